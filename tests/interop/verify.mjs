// Reads {"secret","headers","body_base64"} from standard input and asks both public libraries whether they accept it.
// Prints one line per library: NAME accepted, or NAME refused REASON.
import { readFileSync } from "node:fs";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";

const { secret, headers, body_base64 } = JSON.parse(readFileSync(0, "utf8"));
const body = Buffer.from(body_base64, "base64").toString("utf8");

for (const [name, Webhook] of [["standardwebhooks", StandardWebhook], ["svix", SvixWebhook]]) {
  try {
    new Webhook(secret).verify(body, headers);
    console.log(`${name} accepted`);
  } catch (error) {
    console.log(`${name} refused ${error.message}`);
  }
}
