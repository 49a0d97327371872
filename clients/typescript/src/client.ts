import { randomUUID } from "node:crypto";

import { Http, type Call } from "./http.js";
import { Play, type Choose, type PlayOptions } from "./play.js";
import type { FinishedMatch, Limits, Match, NewMatch } from "./types.js";
import { warnOnStderr, type Warn } from "./warnings.js";

export interface ClientOptions {
  /** The address of the service. Default: `KOZYR_URL`. */
  url?: string;
  /** Default with no `url`: `KOZYR_TOKEN`. */
  token?: string | undefined;
  /** How long a call other than `play` is retried, in milliseconds. Default: 60 s. */
  patienceMs?: number;
  /** Receives warnings. Default: they go to stderr. */
  warn?: Warn;
}

/** A connection to a Kozyr service with the token of an owner, of a bot, or none. */
export class Client {
  readonly #http: Http;
  readonly #patienceMs: number;
  readonly #warn: Warn;

  constructor(options: ClientOptions = {}) {
    const address = options.url ?? process.env.KOZYR_URL;
    if (!address) throw new TypeError("give the address of the service: new Client({ url }) or KOZYR_URL");
    if (!URL.canParse(address)) throw new TypeError(`${address} is not an http address`);
    const url = new URL(address);
    if (url.username || url.password) {
      throw new TypeError("the address has a user name or a password: leave them out, and give a token");
    }
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`${address} is not an http address`);
    // The token of the environment is for the service of the environment and for no other.
    const token = options.token ?? (options.url === undefined ? process.env.KOZYR_TOKEN : undefined);
    if (!/^[\x21-\x7e]*$/.test(token?.trim() ?? "")) {
      throw new TypeError("the token has characters that no token has: copy it again");
    }
    this.#warn = options.warn ?? warnOnStderr;
    this.#http = new Http(url.href.replace(/\/+$/, ""), token?.trim(), this.#warn);
    this.#patienceMs = options.patienceMs ?? 60_000;
  }

  /**
   * Play all matches of the bot until `matches` of them have ended, the running ones have ended after `finish`, or
   * `signal` is aborted. Return the matches that ended. Moves that were already chosen are delivered first.
   */
  play(choose: Choose, options: PlayOptions = {}): Promise<FinishedMatch[]> {
    return new Play(this.#http, choose, options, this.#warn).run();
  }

  /** Send any request and return its JSON. A lost response is asked for again. */
  request<T>(call: Call): Promise<T> {
    return this.#http.request<T>({ patienceMs: this.#patienceMs, ...call });
  }

  /** Create a casual match. `seats` are `owner/bot`, or null for an open seat. */
  createMatch(match: NewMatch): Promise<Match> {
    return this.#create("/v1/matches", match);
  }

  /** Return a match as this token may see it. */
  match(id: string): Promise<Match> {
    return this.request({ method: "GET", path: `/v1/matches/${encodeURIComponent(id)}` });
  }

  /** Give up a match. */
  resign(id: string): Promise<Match> {
    return this.request({ method: "POST", path: `/v1/matches/${encodeURIComponent(id)}/resign` });
  }

  /** Return the limits of the service. */
  limits(): Promise<Limits> {
    return this.request({ method: "GET", path: "/v1/limits" });
  }

  #create<T>(path: string, body: unknown): Promise<T> {
    return this.request({ method: "POST", path, body, key: randomUUID() });
  }
}
