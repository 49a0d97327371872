import { randomUUID } from "node:crypto";

import { ProblemError } from "./errors.js";
import type { Call, Http } from "./http.js";
import type { JoinQueue, QueueEntry } from "./types.js";

const path = "/v1/queue";

/** Keeps a bot in the queue while it has no match from there: one match after another. */
export class OpponentSearch {
  /** The match from the queue; null while the bot waits for one; undefined if it has to join. */
  #match: string | null | undefined;
  /** The matches that ended since the bot joined. */
  readonly #over = new Set<string>();
  /** Whether the queue comes before the next poll. */
  #isDue = true;
  /** The Idempotency-Key of a join without a response. */
  #key: string | undefined;

  /** Without a wish, nothing is looked for. */
  constructor(private readonly wish: JoinQueue | undefined) {}

  /**
   * Return the request to send before the next poll, if there is one. If `play` is ending, it is the last request: a
   * join without a response may have reached the queue.
   */
  next(isEnding: boolean): Call | undefined {
    const waits = this.#match === null;
    if (isEnding) return waits || this.#key !== undefined ? { method: "DELETE", path } : undefined;
    if (!this.wish || !this.#isDue || this.#match) return undefined;
    if (waits) return { method: "GET", path };
    return { method: "POST", path, body: this.wish, key: (this.#key ??= randomUUID()) };
  }

  /** Send such a request. A stop does not abort it: the service must not be left to pair a bot that is gone. */
  async send(http: Http, call: Call): Promise<void> {
    try {
      this.#take(await http.once<QueueEntry>(call));
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== "not_queued") throw error;
      this.#take({ state: "left", match: null });
    }
  }

  #take({ state, match }: Pick<QueueEntry, "state" | "match">): void {
    const joined = this.#key !== undefined;
    this.#key = undefined;
    if (joined) this.#over.clear();
    const isOut = state === "left" || state === "dropped" || this.#over.has(match ?? "");
    this.#match = isOut ? undefined : match;
    this.#isDue = isOut && !joined;
  }

  /** Take a match that is over. */
  finished(match: string): void {
    if (this.wish) this.#over.add(match);
    if (this.#match === match) this.#match = undefined;
    this.#isDue = true;
  }

  /** Take a poll that brought nothing. */
  idle(): void {
    this.#isDue = true;
  }
}
