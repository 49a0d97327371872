import { KozyrError, ProblemError, UnreachableError } from "./errors.js";
import type { Problem } from "./types.js";
import type { Warn } from "./warnings.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 60_000;
/** How much longer than its wait a response may take. */
const MARGIN_MS = 10_000;
const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504]);

export interface Call {
  method: string;
  path: string;
  body?: unknown;
  query?: Record<string, string | number | boolean | undefined>;
  /** The Idempotency-Key of a request that creates something. */
  key?: string;
  /** Seconds that the service may wait before it responds. */
  wait?: number;
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
  ) {}
}

/** The growing pauses between the tries of one request. */
export class Backoff {
  #failures = 0;
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
    warn("retry", `${lost.error.message}; retry in ${Math.round(pause)} ms`);
    return again;
  }
}

/** Sends requests, and sends them again until they get a response. */
export class Http {
  readonly #deprecated = new Set<string>();

  constructor(
    readonly url: string,
    private readonly token: string | undefined,
    private readonly warn: Warn,
  ) {}

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
    const stop = () => limit.abort(call.signal?.reason);
    const timer = setTimeout(() => limit.abort(new Error("no response in time")), (call.wait ?? 0) * 1000 + MARGIN_MS);
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
      });
      text = await response.text();
    } catch (error) {
      call.signal?.throwIfAborted();
      throw new Lost(new UnreachableError(`${call.method} ${this.url}${call.path}: ${reason(error)}`));
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
    this.#checkDeprecation(call, response.headers);
    return read(response, text) as T;
  }

  #checkDeprecation(call: Call, headers: Headers): void {
    const route = `${call.method} ${call.path}`;
    if (!headers.has("Deprecation") || this.#deprecated.has(route)) return;
    this.#deprecated.add(route);
    const sunset = headers.get("Sunset");
    this.warn("deprecated", `${route} is deprecated${sunset ? ` and may end on ${sunset}` : ""}`);
  }
}

function read(response: Response, text: string): unknown {
  if (response.status >= 300 && response.status < 400) {
    const target = JSON.stringify(response.headers.get("Location") ?? "");
    const reason = `the service is not at this address, which redirects to ${target}; set the address of the service`;
    throw new UnreachableError(`http_${response.status}: ${reason}`);
  }
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    if (response.ok) throw new UnreachableError("the response is not JSON; check the address of the service");
  }
  if (response.ok) return body;
  const problem = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  const error = new ProblemError(response.status, problem);
  if (!(problem.retryable ?? RETRIED.has(response.status))) throw error;
  throw new Lost(error, retryAfterMs(response.headers.get("Retry-After")));
}

/** Return the milliseconds that a `Retry-After` header asks for, in seconds or as a date; 0 without one. */
export function retryAfterMs(header: string | null): number {
  if (!header) return 0;
  const ms = /^[\d.]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
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
