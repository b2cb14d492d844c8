// Reads {"secret","messages":[{"id","body"}]} from standard input and signs each with both public libraries, now.
// Prints [{"library","id","body","timestamp","signature"}].
import { readFileSync } from "node:fs";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";

const { secret, messages } = JSON.parse(readFileSync(0, "utf8"));
const now = new Date();
const signed = [];
for (const [library, Webhook] of [["standardwebhooks", StandardWebhook], ["svix", SvixWebhook]]) {
  for (const { id, body } of messages) {
    const own_id = `${id}-${library}`;
    const own_body = body.replaceAll(id, own_id);
    const signature = new Webhook(secret).sign(own_id, now, own_body);
    signed.push({ library, id: own_id, body: own_body, timestamp: String(Math.floor(now.getTime() / 1000)), signature });
  }
}
console.log(JSON.stringify(signed));
