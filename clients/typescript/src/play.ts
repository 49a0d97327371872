import { Desk, wire, type Entry } from "./desk.js";
import { ProblemError, UnreachableError } from "./errors.js";
import { Backoff, sleep, type Call, type Http } from "./http.js";
import type { Turn } from "./turn.js";
import type { FinishedMatch, Limits, MoveResults } from "./types.js";
import type { Warn } from "./warnings.js";

/** How long a poll waits, in seconds, if the service allows that long. */
const WAIT_S = 25;
const MOST_MOVES = 256;
/** How long after the start of a round ready moves wait for others, to travel in the same request. */
const GATHER_MS = 50;
/** How often the service is asked for news while the bot thinks. */
const POLL_MS = 250;
/** How long `play` tries to deliver the last moves when it stops. */
const ENDING_MS = 5_000;

/** Return one of the turn's `legalMoves` or `freeMoves`. */
export type Choose = (turn: Turn) => string | Promise<string>;

export interface PlayOptions {
  /** Stop after this many matches have ended. Matches that ended before `play` do not count. */
  matches?: number;
  /** Stops `play` when aborted; see `untilInterrupted`. */
  signal?: AbortSignal | undefined;
  /** Called with each match that ends. */
  onFinished?: (match: FinishedMatch) => void;
  /** For a move that is not legal: throw, or send the first legal move and warn. Default: `throw`. */
  onIllegal?: "throw" | "first";
  /** How long the service may be out of reach, in milliseconds. Default: for ever. */
  patienceMs?: number;
  /** @internal The pace of the loop, which tests change. */
  pace?: { gatherMs: number; pollMs: number };
}

/** Play until the goal is reached or the signal is aborted. */
export async function play(http: Http, choose: Choose, options: PlayOptions, warn: Warn): Promise<FinishedMatch[]> {
  const loop = new Loop(http, choose, options, warn);
  options.signal?.addEventListener("abort", loop.wake);
  try {
    return await loop.run();
  } finally {
    options.signal?.removeEventListener("abort", loop.wake);
    loop.desk.close();
  }
}

class Loop {
  readonly desk: Desk;
  readonly wake = () => this.#wake();
  readonly #finished: FinishedMatch[] = [];
  /** Ends what waits for the service. The last moves are delivered after a stop, so nothing aborts them. */
  #signal: AbortSignal | undefined;
  #patienceMs: number;
  #ending = false;
  #service = "running";
  #failure: { error: unknown } | undefined;
  #wake = () => {};

  constructor(
    private readonly http: Http,
    private readonly choose: Choose,
    private readonly options: PlayOptions,
    private readonly warn: Warn,
  ) {
    this.desk = new Desk(options.onIllegal ?? "throw", warn);
    this.#signal = options.signal;
    this.#patienceMs = options.patienceMs ?? Infinity;
  }

  async run(): Promise<FinishedMatch[]> {
    const limits = await this.#request<Limits>({ method: "GET", path: "/v1/limits" });
    if (!limits) return [];
    if (!limits.max_moves) throw new UnreachableError("the limits do not fit; check the address of the service");
    const longest = Math.min(WAIT_S, limits.max_wait_s);
    const most = Math.min(MOST_MOVES, limits.max_moves);
    let backoff = new Backoff(this.#patienceMs);
    for (;;) {
      await this.#think();
      if (!this.#ending && this.#goalReached) {
        this.#ending = true;
        this.#signal = undefined;
        this.#patienceMs = ENDING_MS;
        backoff = new Backoff(ENDING_MS);
      }
      if (this.#ending && !this.desk.has("ready")) return this.#finished;
      await this.#exchange(most, longest);
      if (!this.desk.again) {
        backoff = new Backoff(this.#patienceMs);
        continue;
      }
      const pause = backoff.next(this.desk.againMs);
      if (pause === undefined) throw new UnreachableError("the service did not take all moves");
      await sleep(pause, this.#signal).catch(() => {}); // A stop is noticed at the top of the loop.
    }
  }

  get #goalReached(): boolean {
    return this.options.signal?.aborted === true || this.#finished.length >= (this.options.matches ?? Infinity);
  }

  /**
   * Send a request, and return undefined if a stop aborts it, since the service may hold it for a long time. Its moves
   * are then sent once more, with no wait: a move that was made gets its first result.
   */
  async #request<T>(call: Call): Promise<T | undefined> {
    const signal = this.#signal;
    try {
      return await this.http.request<T>({ ...call, patienceMs: this.#patienceMs, signal });
    } catch (error) {
      if (signal?.aborted && error === signal.reason) return undefined;
      throw error;
    }
  }

  /** Send what is ready, wait for news if nothing else is to be done, and take the response. */
  async #exchange(most: number, longest: number): Promise<void> {
    const { desk } = this;
    desk.again = false;
    desk.againMs = 0;
    const ready = desk.in("ready");
    const taken = ready.slice(0, most);
    const busy = this.#ending || ready.length > most || desk.has("open") || desk.has("thinking");
    const wait = busy ? 0 : longest;
    const body = { moves: taken.map(wire), wait, ...(desk.since === undefined ? {} : { since: desk.since }) };
    try {
      const answer = await this.#request<MoveResults>({ method: "POST", path: "/v1/turns", body, wait });
      if (answer) this.#read(answer, taken);
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === "bad_cursor" && desk.since !== undefined)) throw error;
      desk.since = undefined;
    }
  }

  #read(answer: MoveResults, taken: readonly Entry[]): void {
    const { desk } = this;
    desk.since = answer.since;
    try {
      desk.results(taken, answer.results);
    } finally {
      const now = performance.now();
      for (const turn of answer.turns) desk.arrive(turn, now);
      for (const match of desk.finish(answer.finished)) {
        this.#finished.push(match);
        this.options.onFinished?.(match);
      }
      if (answer.service !== this.#service) this.warn("service", `the service is ${answer.service}`);
      this.#service = answer.service;
    }
  }

  /** Start `choose` for every open turn, the most urgent first, until moves are due or news may have come. */
  async #think(): Promise<void> {
    const { gatherMs = GATHER_MS, pollMs = POLL_MS } = this.options.pace ?? {};
    const began = performance.now();
    const due = () => began + (this.desk.has("ready") ? Math.min(gatherMs, pollMs) : pollMs);
    while (!this.#goalReached) {
      for (const entry of this.desk.in("open")) {
        if (performance.now() >= due() && this.desk.has("ready")) break;
        this.#start(entry);
      }
      await Promise.resolve(); // Lets a `choose` that did not wait for anything finish.
      if (this.#failure) throw this.#failure.error;
      const rest = due() - performance.now();
      if (!this.desk.has("thinking") || rest <= 0) return;
      await this.#news(rest);
    }
  }

  #start(entry: Entry): void {
    entry.phase = "thinking";
    const done = (move: unknown) => {
      if (this.desk.isOpen(entry)) this.desk.choose(entry, move);
      this.#wake();
    };
    const failed = (error: unknown) => {
      if (!this.desk.isOpen(entry)) return; // Nobody waits for the move any more.
      this.#failure ??= { error };
      this.#wake();
    };
    try {
      const move = this.choose(entry.turn);
      if (typeof move === "string") done(move);
      else Promise.resolve(move).then(done).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Wait until a move is chosen, `play` is to stop, or `ms` have passed. */
  async #news(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => (clearTimeout(timer), resolve());
    });
    this.#wake = () => {};
  }
}

/** Return a signal that is aborted by the first SIGINT or SIGTERM. The second one ends the process. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  const names = ["SIGINT", "SIGTERM"] as const;
  const stop = () => {
    for (const name of names) process.off(name, stop);
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  return controller.signal;
}
