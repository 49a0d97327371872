/** Serves one fixture of clients/fixtures and compares the requests with it. */
import { readFileSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import type { JoinQueue } from "../src/index.js";

export interface Fixture {
  format: 1;
  about: string;
  play: { matches: number; on_illegal: "raise" | "first"; find?: JoinQueue };
  choices: Record<string, { move: string; delay_ms?: number; finish?: boolean }>;
  expect: {
    finished: string[];
    error: { code: string; status: number | null } | null;
    warnings: string[];
  };
  exchanges: {
    request: { method: string; path: string; body?: unknown; key?: number };
    response: {
      status?: number;
      headers?: Record<string, string>;
      body?: unknown;
      text?: string;
      cut?: "before" | "inside";
    };
  }[];
}

// The compiled tests are in build/test.
const folder = fileURLToPath(new URL("../../../fixtures/", import.meta.url));

export const names = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length));

export const load = (name: string) => JSON.parse(readFileSync(`${folder}${name}.json`, "utf8")) as Fixture;

/** The dialogue must not depend on the speed of the machine. */
export const pace = { gatherMs: 5_000, pollMs: 5_000 };

export class Replayer {
  /** What was wrong with the requests. */
  readonly mistakes: string[] = [];
  /** Resolves when a request is held; see `holdAt`. */
  readonly held: Promise<void>;
  #held = -1;
  #onHeld = () => {};
  #next = 0;
  readonly #keys = new Set<string>();
  #notBefore = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(private readonly fixture: Fixture) {
    this.held = new Promise((resolve) => (this.#onHeld = resolve));
  }

  /** Never answer the request with this index, as a long poll without news. */
  holdAt(index: number): void {
    this.#held = index;
  }

  get done(): boolean {
    return this.#next === this.fixture.exchanges.length;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    const key = request.headers["idempotency-key"];
    if (key !== undefined) this.#keys.add(String(key));
    const got = {
      method: request.method,
      path: request.url,
      ...(text ? { body: JSON.parse(text) } : {}),
      ...(key === undefined ? {} : { key: [...this.#keys].indexOf(String(key)) + 1 }),
    };
    const exchange = this.fixture.exchanges[this.#next];
    if (this.#next === this.#held) {
      this.#held = -1;
      this.#onHeld();
      return;
    }
    if (!exchange || !isDeepStrictEqual(got, exchange.request)) {
      const wanted = exchange ? JSON.stringify(exchange.request) : "no more requests";
      this.mistakes.push(`request ${this.#next}: got ${JSON.stringify(got)}, expected ${wanted}`);
      const unexpected = { type: "/docs/problems#unexpected", code: "unexpected", status: 400, retryable: false };
      response.writeHead(400, { "Content-Type": "application/problem+json" }).end(JSON.stringify(unexpected));
      return;
    }
    if (performance.now() < this.#notBefore) this.mistakes.push(`request ${this.#next} ignored Retry-After`);
    this.#next += 1;
    const { status = 200, headers: own = {}, body, cut } = exchange.response;
    const kind = status < 400 ? "application/json" : "application/problem+json";
    const headers = { "Content-Type": exchange.response.text === undefined ? kind : "text/plain", ...own };
    if (cut === "before") {
      request.socket.destroy();
      return;
    }
    const content = exchange.response.text ?? JSON.stringify(body ?? {});
    const isQueue = request.url === "/v1/queue"; // Polls go on, and the next idle one brings the request again.
    const pause = own["Retry-After"] ?? "0";
    const pauseMs = /^\d+$/.test(pause) ? Number(pause) * 1000 : Date.parse(pause) - Date.parse(own.Date ?? "");
    if (pauseMs && !isQueue) this.#notBefore = performance.now() + pauseMs;
    response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(content) });
    if (cut !== "inside") response.end(content);
    else response.write(content.slice(0, content.length / 2), () => request.socket.destroy());
  }
}
