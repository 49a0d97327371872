import { randomUUID } from "node:crypto";

import { ProblemError } from "./errors.js";
import { Lost, type Call, type Http } from "./http.js";
import type { JoinQueue, QueueEntry } from "./types.js";
import type { Warn } from "./warnings.js";

const path = "/v1/queue";
/** How long a poll waits, in seconds, if the service allows that long. */
const WAIT_S = 25;

/** Keeps a bot in the queue while it has no match from there: one match after another. */
export class OpponentSearch {
  /** The match from the queue; null while the bot waits for one; undefined if it has to join. */
  #match: string | null | undefined;
  /** The matches that ended since the bot sent its join. */
  readonly #over = new Set<string>();
  /** Whether the queue comes before the next poll. */
  #isDue = true;
  /** The last request failed, and no poll was answered since. */
  #isPostponed = false;
  /** The Idempotency-Key of a join without a response. */
  #key: string | undefined;
  /** How long a poll may wait, in seconds: less while the queue fails, since its request follows an idle poll. */
  longestWait = WAIT_S;

  /** Without a wish, nothing is looked for. */
  constructor(
    private readonly wish: JoinQueue | undefined,
    private readonly warn: Warn,
  ) {}

  /**
   * Return the request to send before the next poll, if there is one. If `play` is ending, or the bot leaves, it is the
   * last request: a join without a response may have reached the queue.
   */
  next(isEnding: boolean, isLeaving = false): Call | undefined {
    const waits = this.#match === null;
    if (isLeaving && !isEnding && this.#isPostponed) return undefined;
    if (isEnding || isLeaving) return waits || this.#key !== undefined ? { method: "DELETE", path } : undefined;
    if (!this.wish || !this.#isDue || this.#match) return undefined;
    if (waits) return { method: "GET", path };
    if (this.#key === undefined) this.#over.clear();
    return { method: "POST", path, body: this.wish, key: (this.#key ??= randomUUID()) };
  }

  /**
   * Send such a request. A stop does not abort it: the service must not be left to pair a bot that is gone. After a
   * failure that a retry may mend, polls go on; the last request throws it.
   */
  async send(http: Http, call: Call, isEnding: boolean): Promise<void> {
    try {
      this.#take(await http.once<QueueEntry>(call));
    } catch (error) {
      if (error instanceof Lost && !isEnding) this.#postpone(error);
      else if (error instanceof ProblemError && error.code === "not_queued") this.#take({ state: "left", match: null });
      else throw error;
    }
  }

  #take({ state, match }: Pick<QueueEntry, "state" | "match">): void {
    const joined = this.#key !== undefined;
    this.#key = undefined;
    this.longestWait = WAIT_S;
    const isOver = this.#over.has(match ?? "");
    const isOut = isOver || state === "left" || state === "dropped";
    this.#match = isOut ? undefined : match;
    this.#isDue = isOver || (isOut && !joined);
  }

  #postpone({ error, afterMs }: Lost): void {
    this.#isDue = false;
    this.#isPostponed = true;
    this.longestWait = Math.min(WAIT_S, Math.max(1, Math.ceil(afterMs / 1000)));
    this.warn("retry", `${error.message}; retry after the next idle poll`);
  }

  /** Take a match that is over. */
  finished(match: string): void {
    if (this.wish) this.#over.add(match);
    if (this.#match === match) this.#match = undefined;
    this.#isDue = true;
  }

  /** Take a response to a poll. */
  polled(): void {
    this.#isPostponed = false;
  }

  /** Take a poll that brought nothing. */
  idle(): void {
    this.#isDue = true;
  }
}
