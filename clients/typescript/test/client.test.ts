import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client, IllegalMoveError, KozyrError, UnreachableError, type Turn, type TurnData } from "../src/index.js";
import { Http, Lost, retryAfterMs } from "../src/http.js";
import { Replayer, load, pace, type Fixture } from "./replayer.js";

const quiet = () => {};

async function playing(fixture: Fixture, t: { after(end: () => void): void }) {
  const replayer = new Replayer(fixture);
  const url = await replayer.listen();
  t.after(() => replayer.close());
  return { replayer, client: new Client({ url, token: "kozyr_fixture", warn: quiet }) };
}

/** Serve requests on a free port until the test ends. Return the address. */
async function serving(t: { after(end: () => void): void }, serve: RequestListener): Promise<string> {
  const server = createServer(serve);
  t.after(() => (server.closeAllConnections(), server.close()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The last request of a bot without matches after `finish`. */
const leaving = {
  request: { method: "POST", path: "/v1/turns", body: { moves: [], wait: 25, leaving: true } },
  response: { status: 200, body: { results: [], turns: [], finished: [], since: "s", service: "running", running: 0 } },
};

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
  const body = { type: "/docs/problems#not_queued", code: "not_queued", retryable: false };
  fixture.exchanges[2]!.response = { status: 404, body };
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
  for (const { request } of fixture.exchanges.slice(1)) {
    const { body } = request as { body: { wait: number } };
    body.wait = Math.min(body.wait, 2);
  }
  const refusal = {
    request: queue[1]!.request,
    response: { status: 503, headers: { "Retry-After": "1.5" }, body: { type: "/docs/problems#service_draining", code: "service_draining", retryable: true } },
  };
  // The bot looks before its first poll, and after each match that ends.
  const over = new Set<string>();
  const bringsAnEnd = ({ response }: Fixture["exchanges"][number]) => {
    const before = over.size;
    for (const { match } of (response.body as { finished?: { match: string }[] }).finished ?? []) over.add(match);
    return over.size > before;
  };
  const last = fixture.exchanges.length - 1;
  fixture.exchanges = fixture.exchanges.flatMap((exchange, index) =>
    index === 0 || (bringsAnEnd(exchange) && index < last) ? [exchange, refusal] : [exchange],
  );
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
  for (const { request } of exchanges.slice(index + 1, after)) {
    const { body } = request as { body: { wait: number } };
    body.wait = Math.min(body.wait, 1);
  }
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
  const url = await serving(t, (_, response) => void response.writeHead(200).write('{"a":'));
  const http = new Http(url, undefined, quiet);
  await assert.rejects(http.once({ method: "GET", path: "/v1/limits", marginMs: 1_000 }), (lost) => {
    assert(lost instanceof Lost);
    assert.match(lost.error.message, /no response in time/);
    return true;
  });
});

test("headers that drip are lost in time", { timeout: 60_000 }, async (t) => {
  const url = await serving(t, ({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const drip = setInterval(() => socket.write("X-More: 1\r\n"), 20);
    socket.on("close", () => clearInterval(drip)); // The client hangs up.
  });
  const http = new Http(url, undefined, quiet);
  await assert.rejects(http.once({ method: "GET", path: "/v1/limits", marginMs: 1_000 }), (lost) => {
    assert(lost instanceof Lost);
    assert.match(lost.error.message, /no response in time/);
    return true;
  });
});

test("a redirect is an error that names its address", async (t) => {
  const seen: string[] = [];
  const url = await serving(t, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const status = request.url === "/moved" ? 200 : 302;
    response.writeHead(status, { Location: "/moved" }).end("{}");
  });
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
  for (const url of ["localhost:8000", "ftp://example.org", "nonsense", "http://", "http://me:secret@example.org"]) {
    assert.throws(() => new Client({ url }), TypeError);
  }
});

test("a token that no header can hold is an error that does not show it", () => {
  for (const token of ["kozyr_\nsecret", "kozyr secret", "kozyr_sécret"]) {
    assert.throws(() => new Client({ url: "http://127.0.0.1:9", token }), /^TypeError: the token has characters/);
  }
});

test("the token of the environment is for the service of the environment only", async (t) => {
  process.env.KOZYR_TOKEN = "kozyr_secret";
  t.after(() => delete process.env.KOZYR_TOKEN);
  const seen: (string | undefined)[] = [];
  const url = await serving(t, ({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"max_moves": 256}');
  });
  await new Client({ url, warn: quiet }).limits();
  assert.deepEqual(seen, [undefined]);
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
  fixture.exchanges.push(leaving);
  const replayer = new Replayer(fixture);
  const url = await replayer.listen();
  t.after(() => replayer.close());
  const program = fileURLToPath(new URL("./first-bot.js", import.meta.url));
  const bot = spawn(process.execPath, [program], { env: { ...process.env, KOZYR_URL: url, KOZYR_TOKEN: "kozyr_fixture" } });
  replayer.holdAt(1);
  await replayer.held;
  bot.kill("SIGINT");
  assert.deepEqual(await once(bot, "exit"), [0, null]);
  assert.deepEqual(replayer.mistakes, []);
});

test("a lost response to a move is noticed while the clock leaves time", { timeout: 30_000 }, async (t) => {
  const fixture = load("normal_play");
  const [limits, poll, moves] = fixture.exchanges.map(({ response }) => response.body);
  const [turn] = (poll as { turns: [TurnData] }).turns;
  turn.deadline = new Date(Date.parse(turn.now) + 35_000).toISOString();
  turn.clocks[turn.seat]!.bank_ms = 30_000;
  const stop = new AbortController();
  const came: number[] = [];
  const url = await serving(t, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (text.includes('"turn":')) came.push(performance.now());
    if (came.length === 1) return; // The service never answers the first request with the move.
    if (came.length === 2) stop.abort();
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(request.url === "/v1/limits" ? limits : came.length > 1 ? moves : poll));
  });
  const client = new Client({ url, token: "kozyr_fixture", warn: quiet });
  await client.play(({ legalMoves }) => legalMoves[0]!, { signal: stop.signal });
  const [first, second] = came as [number, number];
  assert(second - first < 15_000, `the move was sent again after ${second - first} ms`);
});

test("a poll waits at most a third of the time of a turn", async (t) => {
  const fixture = load("normal_play");
  const { turns } = fixture.exchanges[1]!.response.body as { turns: TurnData[] };
  turns[0]!.deadline = new Date(Date.parse(turns[0]!.now) + 3_000).toISOString();
  const { body } = fixture.exchanges[2]!.response as { body: { turns: TurnData[] } };
  body.turns = []; // The opponent thinks.
  fixture.exchanges.length = 3;
  fixture.exchanges[2]!.request = { ...fixture.exchanges[2]!.request };
  (fixture.exchanges[2]!.request as { body: { wait: number } }).body.wait = 0.6;
  const since = (fixture.exchanges[2]!.response.body as { since: string }).since;
  fixture.exchanges.push({
    request: { method: "POST", path: "/v1/turns", body: { moves: [], wait: 1, since } },
    response: { cut: "before" },
  });
  const { client, replayer } = await playing(fixture, t);
  const stop = new AbortController();
  replayer.holdAt(4);
  void replayer.held.then(() => stop.abort());
  await client.play((turn) => fixture.choices[`${turn.match}/${turn.number}`]!.move, { signal: stop.signal });
  assert.deepEqual(replayer.mistakes, []);
});

test("a finish ends a waiting poll, and the next one begins no match", async (t) => {
  const fixture = load("normal_play");
  fixture.exchanges.length = 1;
  fixture.exchanges.push(leaving);
  const { client, replayer } = await playing(fixture, t);
  replayer.holdAt(1);
  const finish = new AbortController();
  void replayer.held.then(() => finish.abort());
  assert.deepEqual(await client.play(() => "nothing", { finish: finish.signal }), []);
  assert.deepEqual(replayer.mistakes, []);
  assert(replayer.done);
});

test("a finish before the service answers ends play", async (t) => {
  const finish = new AbortController();
  const url = await serving(t, (_, response) => void response.writeHead(502).end());
  const client = new Client({ url, warn: () => finish.abort() });
  assert.deepEqual(await client.play(() => "nothing", { finish: finish.signal }), []);
});

test("a failure that lasts warns once", async (t) => {
  let requests = 0;
  const warnings: string[] = [];
  const url = await serving(t, (_, response) => {
    requests += 1;
    const isOver = requests > 4;
    response.writeHead(isOver ? 200 : 502, { "Content-Type": "application/json" }).end('{"max_moves": 256}');
  });
  await new Client({ url, warn: (kind) => warnings.push(kind) }).limits();
  assert.deepEqual(warnings, ["retry"]);
});

test("a date in Retry-After counts from the date of the response", () => {
  const [date, later] = ["Thu, 26 Nov 2026 12:00:00 GMT", "Thu, 26 Nov 2026 12:00:07 GMT"];
  assert.equal(retryAfterMs(later, date), 7_000);
});
