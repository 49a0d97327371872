import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client, IllegalMoveError, KozyrError, UnreachableError, type Turn } from "../src/index.js";
import { Http, Lost, retryAfterMs } from "../src/http.js";
import { Replayer, load, pace, type Fixture } from "./replayer.js";

const quiet = () => {};

async function playing(fixture: Fixture, t: { after(end: () => void): void }) {
  const replayer = new Replayer(fixture);
  const url = await replayer.listen();
  t.after(() => replayer.close());
  return { replayer, client: new Client({ url, token: "kozyr_fixture", warn: quiet }) };
}

test("an illegal move is an error by default", async (t) => {
  const { client } = await playing(load("illegal_move"), t);
  await assert.rejects(client.play(() => "nonsense"), (error) => {
    assert(error instanceof IllegalMoveError && error instanceof KozyrError);
    assert.equal(error.move, "nonsense");
    assert(error.legalMoves.length > 0);
    return true;
  });
});

test("an error of choose ends play", async (t) => {
  const { client } = await playing(load("normal_play"), t);
  const wrong = new Error("a bug in the bot");
  await assert.rejects(client.play(() => Promise.reject(wrong)), wrong);
});

test("choose must return a string", async (t) => {
  const { client } = await playing(load("normal_play"), t);
  await assert.rejects(client.play(() => undefined as unknown as string), TypeError);
});

test("a stop ends a waiting poll and aborts the thinking", async (t) => {
  const { client } = await playing(load("normal_play"), t);
  const stop = new AbortController();
  let aborted = false;
  const choose = async (turn: Turn): Promise<string> => {
    turn.signal.addEventListener("abort", () => (aborted = true));
    setTimeout(() => stop.abort(), 10);
    return new Promise(() => {});
  };
  assert.deepEqual(await client.play(choose, { signal: stop.signal }), []);
  assert(aborted);
});

test("a chosen move is delivered before a stop", async (t) => {
  const fixture = load("normal_play");
  const { client, replayer } = await playing(fixture, t);
  const first = fixture.exchanges[2]!.request as { body: { wait: number } };
  first.body.wait = 0; // A client that stops does not wait for news.
  fixture.exchanges.length = 3;
  const stop = new AbortController();
  const choose = (turn: Turn) => {
    stop.abort();
    return fixture.choices[`${turn.match}/${turn.number}`]!.move;
  };
  await client.play(choose, { signal: stop.signal });
  assert.deepEqual(replayer.mistakes, []);
  assert(replayer.done);
});

test("a stop sends the moves of a waiting request again, without a wait", async (t) => {
  const fixture = load("normal_play");
  const { client, replayer } = await playing(fixture, t);
  fixture.exchanges.length = 3;
  (fixture.exchanges[2]!.request as { body: { wait: number } }).body.wait = 0;
  replayer.holdAt(2);
  const stop = new AbortController();
  void replayer.held.then(() => stop.abort());
  const choose = (turn: Turn) => fixture.choices[`${turn.match}/${turn.number}`]!.move;
  await client.play(choose, { signal: stop.signal });
  assert.deepEqual(replayer.mistakes, []);
  assert(replayer.done);
});

/** Return the index of the first request with this key. */
const joinIndex = ({ exchanges }: Fixture, key: number) => exchanges.findIndex(({ request }) => request.key === key);

/** Cut the dialogue of a search off, and let the bot leave the queue instead. */
function leavingAfter(requests: number): Fixture {
  const fixture = load("finds_opponents");
  fixture.exchanges.splice(requests, Infinity, fixture.exchanges.at(-1)!);
  return fixture;
}

test("a stopped bot sends its last moves and leaves the queue", async (t) => {
  const held = joinIndex(load("finds_opponents"), 4) + 2;
  const fixture = leavingAfter(held + 1);
  (fixture.exchanges[held]!.request as { body: { wait: number } }).body.wait = 0;
  const { client, replayer } = await playing(fixture, t);
  replayer.holdAt(held);
  const stop = new AbortController();
  void replayer.held.then(() => stop.abort());
  const choose = (turn: Turn) => fixture.choices[`${turn.match}/${turn.number}`]!.move;
  await client.play(choose, { find: fixture.play.find, signal: stop.signal });
  assert.deepEqual(replayer.mistakes, []);
  assert(replayer.done);
});

test("a bot that is stopped while its join is lost leaves the queue, even if it never joined", async (t) => {
  const fixture = leavingAfter(2);
  fixture.exchanges[2]!.response = { status: 404, body: { code: "not_queued", retryable: false } };
  const replayer = new Replayer(fixture);
  t.after(() => replayer.close());
  const stop = new AbortController();
  const client = new Client({ url: await replayer.listen(), token: "kozyr_fixture", warn: () => stop.abort() });
  await client.play(() => "nothing", { find: fixture.play.find, signal: stop.signal });
  assert.deepEqual(replayer.mistakes, []);
  assert(replayer.done);
});

test("a bot plays its matches while the queue refuses it", async (t) => {
  const fixture = load("match_ends");
  const { play, exchanges: queue } = load("finds_opponents");
  for (const { request } of fixture.exchanges.slice(1)) (request as { body: { wait: number } }).body.wait = 2;
  const refusal = {
    request: queue[1]!.request,
    response: { status: 503, headers: { "Retry-After": "1.5" }, body: { code: "service_draining", retryable: true } },
  };
  // The bot looks before its first poll, and after each match that ends.
  for (const index of [9, 5, 2, 1]) fixture.exchanges.splice(index, 0, refusal);
  fixture.exchanges.push(queue.at(-1)!);
  const { client, replayer } = await playing(fixture, t);
  const choose = (turn: Turn) => turn.legalMoves[0]!;
  const finished = await client.play(choose, { matches: fixture.play.matches, find: play.find, pace });
  assert.deepEqual(replayer.mistakes, []);
  assert(replayer.done);
  assert.deepEqual(finished.map((match) => match.match), fixture.expect.finished);
});

test("a match of a lost join may end before the join is sent again", async (t) => {
  const fixture = load("finds_opponents");
  const { exchanges } = fixture;
  const index = joinIndex(fixture, 3);
  const after = joinIndex(fixture, 4);
  const join = exchanges[index]!;
  for (const { request } of exchanges.slice(index + 1, after)) (request as { body: { wait: number } }).body.wait = 1;
  exchanges.splice(after, 0, join);
  exchanges[index] = { ...join, response: { cut: "before" } };
  const { client, replayer } = await playing(fixture, t);
  const { matches, find } = fixture.play;
  await client.play((turn) => turn.legalMoves[0]!, { matches, find });
  assert.deepEqual(replayer.mistakes, []);
  assert(replayer.done);
});

test("a service out of reach is an error when patience is over", async () => {
  const client = new Client({ url: "http://127.0.0.1:9", patienceMs: 300, warn: quiet });
  await assert.rejects(client.limits(), UnreachableError);
});

test("a response that stops in its body is lost in time", { timeout: 60_000 }, async (t) => {
  const server = createServer((_, response) => void response.writeHead(200).write('{"a":'));
  t.after(() => (server.closeAllConnections(), server.close()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const http = new Http(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined, quiet);
  const wait = 1 - 10; // With the margin of 10 s, a response may take a second.
  await assert.rejects(http.once({ method: "GET", path: "/v1/limits", wait }), (lost) => {
    assert(lost instanceof Lost);
    assert.match(lost.error.message, /no response in time/);
    return true;
  });
});

test("a redirect is an error that names its address", async (t) => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const status = request.url === "/moved" ? 200 : 302;
    response.writeHead(status, { Location: "/moved" }).end("{}");
  });
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Client({ url, token: "kozyr_fixture", warn: quiet });
  const isNamed = (error: unknown) =>
    error instanceof UnreachableError && error.message.includes('redirects to "/moved"; set the address of the service');
  await assert.rejects(client.request({ method: "POST", path: "/v1/moves", body: { moves: [] } }), isNamed);
  await assert.rejects(client.play(() => "nothing"), isNamed);
  assert.deepEqual(seen, ["POST /v1/moves", "GET /v1/limits"]);
});

test("a client without a usable address is an error", () => {
  delete process.env.KOZYR_URL;
  assert.throws(() => new Client(), TypeError);
  for (const url of ["localhost:8000", "ftp://example.org", "nonsense"]) {
    assert.throws(() => new Client({ url }), TypeError);
  }
});

test("the token of the environment is for the service of the environment only", async (t) => {
  process.env.KOZYR_TOKEN = "kozyr_secret";
  t.after(() => delete process.env.KOZYR_TOKEN);
  const fixture = load("bad_token");
  const replayer = new Replayer(fixture);
  t.after(() => replayer.close());
  const seen: (string | null)[] = [];
  const original = globalThis.fetch;
  t.after(() => void (globalThis.fetch = original));
  globalThis.fetch = (input, init) => {
    seen.push(new Headers(init?.headers).get("Authorization"));
    return original(input, init);
  };
  await new Client({ url: await replayer.listen(), warn: quiet }).limits();
  assert.deepEqual(seen, [null]);
});

test("Retry-After is read in both of its forms", () => {
  assert.equal(retryAfterMs("2"), 2000);
  assert.equal(retryAfterMs(null), 0);
  assert.equal(retryAfterMs("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  const ms = retryAfterMs(new Date(Date.now() + 10_000).toUTCString());
  assert(ms > 8_000 && ms <= 10_000);
});

test("the first bot ends cleanly at SIGINT", { timeout: 20_000 }, async (t) => {
  const fixture = load("normal_play");
  fixture.exchanges.length = 1;
  const replayer = new Replayer(fixture);
  const url = await replayer.listen();
  t.after(() => replayer.close());
  const program = fileURLToPath(new URL("../examples/first-bot.js", import.meta.url));
  const bot = spawn(process.execPath, [program], { env: { ...process.env, KOZYR_URL: url, KOZYR_TOKEN: "kozyr_fixture" } });
  replayer.holdAt(1);
  await replayer.held;
  bot.kill("SIGINT");
  assert.deepEqual(await once(bot, "exit"), [0, null]);
});
