import { fetch, type Dispatcher, type Headers, type Response } from "undici";

import { KozyrError, ProblemError, UnreachableError } from "./errors.js";
import { dispatcherFor } from "./network.js";
import type { Problem } from "./types.js";
import type { Warn } from "./warnings.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 60_000;
/** How much longer than its wait a response may take. */
const MARGIN_MS = 10_000;
/** How long a failure must last for another warning. */
const WARN_AGAIN_MS = 60_000;
/** Statuses below 500 that are retried, also from a proxy. */
const RETRIED = new Set([408, 425, 429]);
/** Codes of errors of TLS, such as a certificate that is not trusted. */
const TLS_TROUBLE = /^(CERT_|DEPTH_ZERO_|EPROTO|ERR_SSL_|ERR_TLS_|HOSTNAME_|SELF_SIGNED_|UNABLE_TO_)/;

/** Fields that show that a response comes from a Kozyr service, by method and path. */
const SHAPES: Record<string, Record<string, (value: unknown) => boolean>> = {
  "GET /v1/limits": { max_moves: Number.isInteger },
  "POST /v1/turns": { results: Array.isArray, turns: Array.isArray, finished: Array.isArray, since: isText },
  "POST /v1/queue": { state: isText },
  "GET /v1/queue": { state: isText },
  "DELETE /v1/queue": { state: isText },
};

export interface Call {
  method: string;
  path: string;
  body?: unknown;
  query?: Record<string, string | number | boolean | undefined>;
  /** The Idempotency-Key of a request that creates something. */
  key?: string;
  /** Seconds that the service may wait before it responds. */
  wait?: number;
  /** How much longer than its wait the response may take, in milliseconds. */
  marginMs?: number;
  /** How long to retry, in milliseconds. */
  patienceMs?: number;
  /** Ends the request and its retries. */
  signal?: AbortSignal | undefined;
}

/** A failure that a retry may mend, after a pause. */
export class Lost {
  constructor(
    readonly error: KozyrError,
    readonly afterMs = 0,
    /** No response came in time. */
    readonly isLate = false,
  ) {}
}

/** The growing pauses between the tries of one request. */
export class Backoff {
  #failures = 0;
  #warnAt = 0;
  readonly #until: number;

  constructor(patienceMs: number) {
    this.#until = performance.now() + patienceMs;
  }

  /**
   * Return when to try again: after a growing pause, at least as long as the service asks for. Throw the error of the
   * last try if patience does not last that long.
   */
  next(lost: Lost, warn: Warn): number {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures++, 16));
    const least = Math.min(lost.afterMs, LONGEST_RETRY_AFTER_MS) * (1 + Math.random() / 10);
    const pause = Math.max(longest * (0.5 + Math.random() / 2), least);
    const again = performance.now() + pause;
    if (again > this.#until) throw lost.error;
    if (performance.now() >= this.#warnAt) {
      this.#warnAt = performance.now() + WARN_AGAIN_MS;
      warn("retry", `${lost.error.message}; retry in ${Math.round(pause)} ms`);
    }
    return again;
  }
}

/** Sends requests, and sends them again until they get a response. */
export class Http {
  readonly #deprecated = new Set<string>();
  readonly #dispatcher: Dispatcher;
  /** A Kozyr service has answered. From then on, failures of other kinds are taken to heal. */
  #isKnown = false;

  constructor(
    readonly url: string,
    private readonly token: string | undefined,
    private readonly warn: Warn,
  ) {
    this.#dispatcher = dispatcherFor(new URL(url), process.env);
  }

  /** Return the JSON of the response. Throw `ProblemError`, `UnreachableError`, or the signal's reason. */
  async request<T>(call: Call): Promise<T> {
    const backoff = new Backoff(call.patienceMs ?? 60_000);
    for (;;) {
      try {
        return await this.once<T>(call);
      } catch (failure) {
        if (!(failure instanceof Lost)) throw failure;
        await sleep(backoff.next(failure, this.warn) - performance.now(), call.signal);
      }
    }
  }

  /** Send a request once. Throw `Lost` if another try may help. */
  async once<T>(call: Call): Promise<T> {
    call.signal?.throwIfAborted();
    const url = new URL(this.url + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { Accept: "application/json", "User-Agent": "kozyr-client-ts/0.1" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (call.key) headers["Idempotency-Key"] = call.key;
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    const limit = new AbortController();
    const late = new Error("no response in time");
    const stop = () => limit.abort(call.signal?.reason);
    const timer = setTimeout(() => limit.abort(late), (call.wait ?? 0) * 1000 + (call.marginMs ?? MARGIN_MS));
    call.signal?.addEventListener("abort", stop, { once: true });
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method: call.method,
        headers,
        body: call.body === undefined ? null : JSON.stringify(call.body),
        redirect: "manual", // To follow would turn a POST into a GET without its body.
        signal: limit.signal,
        dispatcher: this.#dispatcher,
      });
      text = await response.text();
    } catch (error) {
      call.signal?.throwIfAborted();
      throw this.#failure(`${call.method} ${this.url}${call.path}`, error, limit.signal.aborted);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
    this.#checkDeprecation(call, response.headers);
    return this.#read(call, response, text) as T;
  }

  /** Return what to throw if there was no response. A certificate is wrong for good only at the first contact. */
  #failure(what: string, error: unknown, isLate: boolean): unknown {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const trouble = !isLate && TLS_TROUBLE.test(String((cause as NodeJS.ErrnoException).code));
    const hint = trouble ? "; check the address, or name the file with your own CA in SSL_CERT_FILE" : "";
    const unreachable = new UnreachableError(`${what}: ${reason(error)}${hint}`);
    const isBroken = error instanceof TypeError && error.cause === undefined; // The request itself can't be sent.
    return isBroken || (trouble && !this.#isKnown) ? unreachable : new Lost(unreachable, 0, isLate);
  }

  #read(call: Call, response: Response, text: string): unknown {
    const { status, headers } = response;
    const afterMs = retryAfterMs(headers.get("Retry-After"), headers.get("Date"));
    const problem = problemOf(response, text);
    if (problem) {
      this.#isKnown = true;
      const error = new ProblemError(status, problem);
      throw problem.retryable ? new Lost(error, afterMs) : error;
    }
    const body = response.ok ? parsed(text || "{}") : undefined;
    const shape = SHAPES[`${call.method} ${call.path}`];
    if (body !== undefined && hasShape(body, shape ?? {})) {
      this.#isKnown ||= shape !== undefined;
      return body;
    }
    const isCut = response.ok && body === undefined && (headers.get("Content-Type") ?? "json").includes("json");
    const mayHeal = this.#isKnown || isCut || RETRIED.has(status) || status >= 500;
    throw mayHeal ? new Lost(elsewhere(response), afterMs) : elsewhere(response);
  }

  #checkDeprecation(call: Call, headers: Headers): void {
    const route = `${call.method} ${call.path}`;
    if (!headers.has("Deprecation") || this.#deprecated.has(route)) return;
    this.#deprecated.add(route);
    const sunset = headers.get("Sunset");
    this.warn("deprecated", `${route} is deprecated${sunset ? ` and may end on ${sunset}` : ""}`);
  }
}

/** Return the problem document of a response, unless it is none of a Kozyr service. */
function problemOf(response: Response, text: string): Problem | undefined {
  if (!response.headers.get("Content-Type")?.startsWith("application/problem+json")) return undefined;
  const problem = parsed(text) as Partial<Problem> | null | undefined;
  return problem?.code && problem.type?.endsWith(`#${problem.code}`) ? (problem as Problem) : undefined;
}

/** Return the error for a response that is not one of a Kozyr service. */
function elsewhere(response: Response): KozyrError {
  if (response.status < 300 || response.status >= 400) return new ProblemError(response.status, {});
  const target = JSON.stringify(response.headers.get("Location") ?? "");
  const reason = `the service is not at this address, which redirects to ${target}; set the address of the service`;
  return new UnreachableError(`http_${response.status}: ${reason}`);
}

/** Return the JSON value of a text, or undefined. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasShape(body: unknown, shape: Record<string, (value: unknown) => boolean>): boolean {
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  return Object.entries(shape).every(([name, fits]) => fits(fields[name]));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/**
 * Return the milliseconds that a `Retry-After` header asks for, in seconds or as a date; 0 without one. A date counts
 * from `date`, the header of the same response, or else from the clock of this machine.
 */
export function retryAfterMs(header: string | null, date: string | null = null): number {
  if (!header) return 0;
  const now = date === null ? Date.now() : Date.parse(date);
  const ms = /^[\d.]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** Resolve after `ms`, or reject with the signal's reason. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => (clearTimeout(timer), reject(signal?.reason));
    const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
