import { Desk } from "./desk.js";
import { ProblemError, UnreachableError } from "./errors.js";
import { Backoff, sleep, type Http } from "./http.js";
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
  const desk = new Desk(options.onIllegal ?? "throw", warn);
  try {
    return await new Loop(http, desk, choose, options, warn).run();
  } finally {
    desk.close();
  }
}

class Loop {
  readonly #finished: FinishedMatch[] = [];
  readonly #patienceMs: number;
  #service = "running";
  #failure: { error: unknown } | undefined;
  #wake = () => {};

  constructor(
    private readonly http: Http,
    private readonly desk: Desk,
    private readonly choose: Choose,
    private readonly options: PlayOptions,
    private readonly warn: Warn,
  ) {
    this.#patienceMs = options.patienceMs ?? Infinity;
  }

  get #ending(): boolean {
    return this.options.signal?.aborted === true || this.#finished.length >= (this.options.matches ?? Infinity);
  }

  async run(): Promise<FinishedMatch[]> {
    const { signal } = this.options;
    const wake = () => this.#wake();
    signal?.addEventListener("abort", wake);
    try {
      await this.#loop();
    } catch (error) {
      if (!(signal?.aborted && error === signal.reason)) throw error;
    } finally {
      signal?.removeEventListener("abort", wake);
    }
    return this.#finished;
  }

  async #loop(): Promise<void> {
    const { signal } = this.options;
    const call = { method: "GET", path: "/v1/limits", patienceMs: this.#patienceMs, signal };
    const limits = await this.http.request<Limits>(call);
    const longest = Math.min(WAIT_S, limits.max_wait_s);
    const most = Math.min(MOST_MOVES, limits.max_moves);
    let backoff: Backoff | undefined;
    for (let ending = false; ; ) {
      if (!this.#ending) await this.#think();
      if (this.#ending && !ending) [ending, backoff] = [true, undefined];
      if (ending && !this.desk.has("ready")) return;
      await this.#exchange(most, longest);
      if (!this.desk.again) {
        backoff = undefined;
        continue;
      }
      backoff ??= new Backoff(ending ? ENDING_MS : this.#patienceMs);
      const pause = backoff.next(this.desk.againMs);
      if (pause === undefined) throw new UnreachableError("the service did not take all moves");
      await sleep(pause, ending ? undefined : signal).catch(() => {});
    }
  }

  /** Send what is ready, wait for news if nothing else is to be done, and take the response. */
  async #exchange(most: number, longest: number): Promise<void> {
    const { desk } = this;
    const { turns, moves } = desk.take(most);
    const busy = this.#ending || desk.has("ready") || desk.has("open") || desk.has("thinking");
    const wait = busy ? 0 : longest;
    const since = desk.since;
    let answer: MoveResults;
    try {
      answer = await this.#send({ moves, wait, ...(since === undefined ? {} : { since }) });
    } catch (error) {
      desk.giveBack(turns);
      if (this.options.signal?.aborted && error === this.options.signal.reason) return;
      if (!(error instanceof ProblemError && error.code === "bad_cursor" && since !== undefined)) throw error;
      desk.since = undefined;
      return;
    }
    desk.since = answer.since;
    try {
      desk.results(turns, answer.results);
    } finally {
      const now = performance.now();
      for (const turn of answer.turns) desk.arrive(turn, now);
      for (const match of desk.finish(answer.finished)) {
        this.#finished.push(match);
        this.options.onFinished?.(match);
      }
    }
    if (answer.service !== this.#service) this.warn("service", `the service is ${answer.service}`);
    this.#service = answer.service;
  }

  /**
   * Send one request. A stop aborts it, since the service may hold it for a long time. Its moves are then sent once
   * more, with no wait: a move that was made gets its first result.
   */
  #send(body: { moves: unknown[]; wait: number; since?: string }): Promise<MoveResults> {
    const call = { method: "POST", path: "/v1/turns", body, wait: body.wait };
    if (this.#ending) return this.http.request({ ...call, patienceMs: ENDING_MS });
    return this.http.request({ ...call, patienceMs: this.#patienceMs, signal: this.options.signal });
  }

  /** Start `choose` for every open turn, the most urgent first, until moves are due or news may have come. */
  async #think(): Promise<void> {
    const { gatherMs = GATHER_MS, pollMs = POLL_MS } = this.options.pace ?? {};
    const began = performance.now();
    const due = () => began + (this.desk.has("ready") ? Math.min(gatherMs, pollMs) : pollMs);
    for (;;) {
      while (performance.now() < due() || !this.desk.has("ready")) {
        const turn = this.desk.nextTurn();
        if (turn === undefined) break;
        this.#start(turn);
      }
      await Promise.resolve(); // Lets a `choose` that did not wait for anything finish.
      if (this.#failure) throw this.#failure.error;
      const rest = due() - performance.now();
      if (!this.desk.has("thinking") || rest <= 0 || this.#ending) return;
      await this.#news(rest);
    }
  }

  #start(turn: Turn): void {
    const done = (move: unknown) => {
      this.desk.choose(turn, move);
      this.#wake();
    };
    const failed = (error: unknown) => {
      if (!this.desk.isOpen(turn)) return; // Nobody waits for the move any more.
      this.#failure ??= { error };
      this.#wake();
    };
    try {
      const move = this.choose(turn);
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
