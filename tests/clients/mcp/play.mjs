// A scripted model on the official TypeScript SDK: plays one match of the game in the arguments and prints its end.
// play.mjs GAME URL TOKEN, or play.mjs GAME COMMAND ARGUMENT…
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [game, target, ...rest] = process.argv.slice(2);
const transport = target.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } })
  : new StdioClientTransport({ command: target, args: rest, env: process.env });
const client = new Client({ name: "scripted", version: "1" });
await client.connect(transport);

let progress = 0;
async function call(name, args) {
  const result = await client.callTool({ name, arguments: args }, undefined, { onprogress: () => progress++ });
  const [{ text }] = result.content;
  if (result.isError) throw new Error(text);
  return text;
}

const tools = (await client.listTools()).tools.map((tool) => tool.name);
let text = await call("start_match", { game });
while (!/^Match \w+ is over/m.test(text)) {
  const turn = /match (\w+), turn (\d+)/.exec(text);
  const moves = text.split("Answer with one move:\n")[1];
  text = moves === undefined
    ? await call("wait", {})
    : await call("play", { match: turn[1], turn: Number(turn[2]), move: moves.split(/ \| |\n/)[0] });
}
await client.close();
console.log(JSON.stringify({ tools, text, progress }));
