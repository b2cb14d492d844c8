// Writes the example payloads of @octokit/webhooks-examples as files: FOLDER/EVENT/NUMBER.json. Prints how many.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const folder = process.argv[2];
const index = createRequire(import.meta.url).resolve("@octokit/webhooks-examples/api.github.com/index.json");
let count = 0;
for (const { name, examples } of JSON.parse(readFileSync(index, "utf8"))) {
  mkdirSync(`${folder}/${name}`, { recursive: true });
  for (const [number, example] of examples.entries()) {
    writeFileSync(`${folder}/${name}/${number}.json`, JSON.stringify(example, null, 2) + "\n");
    count += 1;
  }
}
console.log(count);
