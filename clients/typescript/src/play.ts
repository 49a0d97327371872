import { IllegalMoveError, ProblemError, UnreachableError } from "./errors.js";
import { Backoff, Lost, type Http } from "./http.js";
import { OpponentSearch } from "./search.js";
import { Turn } from "./turn.js";
import type { FinishedMatch, JoinQueue, Limits, MatchMove, MoveResults, RefusedMove, Turn as TurnData } from "./types.js";
import type { Warn } from "./warnings.js";

const MOST_MOVES = 256;
/** How long after a response ready moves wait for others, to travel in the same request. */
const GATHER_MS = 50;
/** How often the service is asked for news while the bot thinks. */
const POLL_MS = 250;
/** How long `play` tries to deliver the last moves when it stops. */
const ENDING_MS = 5_000;
/** A move that is ready with less time left than this is worth a warning. */
const NEAR_MS = 500;
/** How long a request with moves waits for news at most, in seconds. Its response shows that the moves arrived. */
const MOVE_WAIT_S = 1;
/** The shortest and the longest time in which a response to moves is expected, in addition to its wait. */
const [LEAST_MARGIN_MS, MOST_MARGIN_MS] = [500, 10_000];
/** The longest time for other responses: 25 s of waiting and these 5 s leave time in the default clock. */
const POLL_MARGIN_MS = 5_000;
/** How many finished matches are remembered, so that none is reported twice. */
const REMEMBERED = 2_000;

/** Return one of the turn's `legalMoves` or `freeMoves`. */
export type Choose = (turn: Turn) => string | Promise<string>;

export interface PlayOptions {
  /** Stop after this many matches have ended. Matches that ended before `play` do not count. */
  matches?: number;
  /** When aborted, the bot begins no new match, and `play` ends with the running ones; see `untilInterrupted`. */
  finish?: AbortSignal | undefined;
  /** Stops `play` when aborted, after the moves that are chosen are sent. The running matches go on without the bot. */
  signal?: AbortSignal | undefined;
  /** Look for opponents: join the queue with this wish whenever the bot has no match from there. */
  find?: JoinQueue | undefined;
  /** Called with each match that ends. */
  onFinished?: (match: FinishedMatch) => void;
  /** For a move that is not legal: throw, or send the first legal move and warn. Default: `throw`. */
  onIllegal?: "throw" | "first";
  /** How long the service may be out of reach, in milliseconds. Default: for ever. */
  patienceMs?: number;
  /** @internal The pace of the loop, which tests change. */
  pace?: { gatherMs: number; pollMs: number };
}

/** The latest turn of a match and what became of it. */
interface Entry {
  turn: Turn;
  /** An `open` turn waits for `choose`; a `ready` one has a move without a result. */
  phase: "open" | "thinking" | "ready" | "made";
  move: string;
  abort: AbortController;
}

/** Play until the goal is reached or the signal is aborted. */
export class Play {
  /** In the order of their arrival. */
  readonly #entries = new Map<string, Entry>();
  readonly #finished = new Set<string>();
  /** The milliseconds that the last turn of each running match had. */
  readonly #budgets = new Map<string, number>();
  /** The matches to report: those that ended since the first response. */
  readonly #ended: FinishedMatch[] = [];
  readonly #search: OpponentSearch;
  #polled = false;
  #limits: Limits | undefined;
  /** The cursor of the last response. */
  #since: string | undefined;
  /** How long to pause at least, since the last response did not take all moves. */
  #againMs: number | undefined;
  #patienceMs: number;
  #backoff: Backoff;
  /** When the next request may be sent. */
  #resume = 0;
  /** The goal is reached: only moves that are chosen are still sent. */
  #ending = false;
  /** After `finish`: no match is left. */
  #left = false;
  /** Ends the current request. */
  #signal: AbortSignal | undefined;
  /** By how much more time responses get, since the last one was late. */
  #stretch = 1;
  #service = "running";
  #failure: { error: unknown } | undefined;
  #wake = () => {};

  constructor(
    private readonly http: Http,
    private readonly choose: Choose,
    private readonly options: PlayOptions,
    private readonly warn: Warn,
  ) {
    this.#patienceMs = options.patienceMs ?? Infinity;
    this.#backoff = new Backoff(this.#patienceMs);
    this.#search = new OpponentSearch(options.find, warn);
  }

  async run(): Promise<FinishedMatch[]> {
    const wake = () => this.#wake();
    const { signal, finish } = this.options;
    for (const each of [signal, finish]) each?.addEventListener("abort", wake);
    try {
      for (;;) {
        await this.#think();
        if (this.#ending && this.#in("ready").length === 0 && !this.#search.next(true)) return this.#ended;
        await this.#exchange().then(
          () => ((this.#backoff = new Backoff(this.#patienceMs)), (this.#stretch = 1)),
          (error: unknown) => this.#failed(error),
        );
      }
    } finally {
      for (const each of [signal, finish]) each?.removeEventListener("abort", wake);
      for (const entry of this.#entries.values()) entry.abort.abort();
    }
  }

  get #leaving(): boolean {
    return this.options.finish?.aborted ?? false;
  }

  /**
   * Return what ends the next request. The last moves are delivered after a stop, so nothing aborts them. A poll would
   * begin new matches, so `finish` aborts it.
   */
  #ends(): AbortSignal | undefined {
    const { signal, finish } = this.options;
    if (this.#ending || !finish || finish.aborted) return this.#ending ? undefined : signal;
    return AbortSignal.any(signal ? [signal, finish] : [finish]);
  }

  /** Start `choose` for every open turn, the most urgent first, until moves are due or news may have come. */
  async #think(): Promise<void> {
    const { gatherMs = GATHER_MS, pollMs = POLL_MS } = this.options.pace ?? {};
    const began = performance.now();
    for (;;) {
      const isOver = this.#left || (this.#leaving && !this.#limits);
      const goalReached = isOver || this.#ended.length >= (this.options.matches ?? Infinity);
      if (!this.#ending && (goalReached || this.options.signal?.aborted)) {
        this.#ending = true;
        this.#resume = began;
        this.#patienceMs = ENDING_MS;
        this.#backoff = new Backoff(ENDING_MS);
      }
      const due = () => began + (this.#in("ready").length > 0 ? gatherMs : pollMs);
      for (const entry of this.#in("open")) {
        if (this.#ending || performance.now() >= due()) break;
        void this.#start(entry);
      }
      await Promise.resolve(); // Lets a `choose` that did not wait for anything finish.
      if (this.#failure) throw this.#failure.error;
      const idle = this.#ending || this.#in("thinking").length === 0;
      const rest = Math.max(idle ? began : due(), this.#resume) - performance.now();
      if (rest <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rest);
        this.#wake = () => (clearTimeout(timer), resolve());
      });
    }
  }

  /** A move that comes without waiting is taken at once, before the next turn is thought about. */
  async #start(entry: Entry): Promise<void> {
    const isOpen = () => this.#entries.get(entry.turn.match) === entry;
    entry.phase = "thinking";
    try {
      const chosen = this.choose(entry.turn);
      const move = typeof chosen === "string" ? chosen : await chosen;
      if (isOpen()) this.#take(entry, move);
    } catch (error) {
      if (isOpen()) this.#failure ??= { error };
    }
    this.#wake();
  }

  /** Take the move that was chosen in an open turn. */
  #take(entry: Entry, move: unknown): void {
    if (typeof move !== "string") throw new TypeError(`choose returned ${String(move)}, not a move`);
    const { turn } = entry;
    const left = turn.msLeft;
    if (left > 0 && left < NEAR_MS) this.warn("near_deadline", `${turn}: ${Math.round(left)} ms before its deadline`);
    entry.move = move;
    if (!mayAllow(turn.legalMoves, move) && !isFree(entry)) this.#replace(entry, turn.legalMoves);
    entry.phase = "ready";
  }

  /** Put the first legal move in place of an illegal one, if the options say so. */
  #replace(entry: Entry, legal: readonly string[]): void {
    const { turn, move } = entry;
    const error = new IllegalMoveError(turn.match, turn.number, move, legal);
    const [first] = legal;
    if (this.options.onIllegal !== "first" || first === undefined || first === move) throw error;
    this.warn("illegal_move", `${error.message}; ${first} is sent instead`);
    entry.move = first;
  }

  /** Look for an opponent, or send what is ready and wait for news if nothing else is to be done. Take the response. */
  async #exchange(): Promise<void> {
    const leaving = this.#leaving;
    const signal = (this.#signal = this.#ends());
    if (!this.#limits) {
      this.#limits = await this.http.once<Limits>({ method: "GET", path: "/v1/limits", signal });
      return;
    }
    const ready = this.#in("ready");
    const look = this.#search.next(this.#ending, leaving);
    if (look && !(this.#ending && ready.length > 0)) {
      return this.#search.send(this.http, { ...look, marginMs: this.#marginMs([]) }, this.#ending);
    }
    const taken = ready.slice(0, Math.min(MOST_MOVES, this.#limits.max_moves));
    const others = this.#in("ready", "open", "thinking").length - taken.length;
    const wait = this.#ending || others > 0 ? 0 : this.#waitS(taken, this.#limits.max_wait_s);
    const since = this.#since === undefined ? {} : { since: this.#since };
    const body = { moves: taken.map(wire), wait, ...since, ...(leaving ? { leaving } : {}) };
    const call = { method: "POST", path: "/v1/turns", body, wait, marginMs: this.#marginMs(taken), signal };
    this.#read(await this.http.once<MoveResults>(call), taken);
  }

  get #shortestMs(): number {
    return Math.min(...this.#budgets.values());
  }

  /**
   * Return how long a request may wait, in seconds: so short that a lost response is noticed while the clocks leave
   * time, at most a third of the time of a turn.
   */
  #waitS(taken: readonly Entry[], most: number): number {
    const wait = Math.min(this.#search.longestWait, most, share(this.#shortestMs, 3));
    if (taken.length === 0) return wait;
    return Math.min(wait, MOVE_WAIT_S, ...taken.map(({ turn }) => share(turn.budgetMs - turn.bankMs, 5)));
  }

  /**
   * Return how much longer than its wait a response may take: for moves, half of what is left before the bank is used,
   * then an eighth of what is left.
   */
  #marginMs(taken: readonly Entry[]): number {
    const margins = taken.map(({ turn: { msLeft, bankMs } }) => (msLeft > bankMs ? (msLeft - bankMs) / 2 : msLeft / 8));
    const margin = taken.length > 0 ? Math.min(...margins) : Math.min(POLL_MARGIN_MS, this.#shortestMs / 3);
    return Math.min(MOST_MARGIN_MS, Math.max(LEAST_MARGIN_MS, margin) * this.#stretch);
  }

  #failed(error: unknown): void {
    const forgotten = error instanceof ProblemError && error.code === "bad_cursor" && this.#since !== undefined;
    if (error instanceof Lost) {
      if (error.isLate) this.#stretch *= 2; // The service may be slow.
      this.#resume = this.#backoff.next(error, this.warn);
    } else if (forgotten) this.#since = undefined;
    // A stop or a finish aborts a request, since the service may hold it for a long time. Its moves are sent once more, with no
    // wait: a move that was made gets its first result.
    else if (!this.#signal?.aborted || error !== this.#signal.reason) throw error;
  }

  #read(answer: MoveResults, taken: readonly Entry[]): void {
    this.#since = answer.since;
    this.#search.polled();
    this.#left ||= answer.running === 0;
    const illegal = this.#results(taken, answer.results);
    const now = performance.now();
    for (const turn of answer.turns) this.#arrive(turn, now);
    for (const match of answer.finished) this.#finish(match);
    if (taken.length + this.#in("ready", "open", "thinking").length === 0) this.#search.idle();
    for (const match of [...this.#finished].slice(0, -REMEMBERED)) this.#finished.delete(match);
    this.#polled = true;
    if (answer.service !== this.#service) this.warn("service", `the service is ${answer.service}`);
    this.#service = answer.service;
    if (illegal) throw illegal;
    if (this.#againMs === undefined) return;
    throw new Lost(new UnreachableError("the service did not take all moves"), this.#againMs);
  }

  /** Take the results of the moves that were sent. Return the error of the first illegal one. */
  #results(taken: readonly Entry[], results: MoveResults["results"]): unknown {
    let illegal: unknown;
    this.#againMs = results.length < taken.length ? 0 : undefined;
    taken.slice(0, results.length).forEach((entry, index) => {
      const result = results[index]!;
      if (!("problem" in result)) {
        entry.phase = "made";
        return;
      }
      const { problem } = result;
      if (problem.code === "free_move_with_turn") {
        entry.turn.observation.free_moves.push(entry.move); // The match did not list it.
        return;
      }
      if (problem.code === "illegal_move" || problem.code === "not_a_move") {
        try {
          this.#replace(entry, problem.legal_moves ?? entry.turn.legalMoves);
        } catch (error) {
          illegal ??= error;
        }
        return;
      }
      this.#againMs = Math.max(this.#againMs ?? 0, problem.retry_ms ?? 0);
      if (problem.retryable) return;
      this.#since = undefined; // The next response has every open turn.
      this.#drop(entry.turn.match, problem);
    });
    return illegal;
  }

  /**
   * Take a turn of a response that came at `now`, the same for all its turns: they are ordered by their deadlines. The
   * same turn may come more than once.
   */
  #arrive(data: TurnData, now: number): void {
    const known = this.#entries.get(data.match);
    if (known?.turn.number === data.turn && known.phase === "made") {
      this.#againMs ??= 0;
      if (mayAllow(data.observation.legal_moves, known.move)) {
        known.phase = "ready"; // The service lost the move, or sent the turn twice. It gets the same move.
        return;
      }
    } else if (known && known.turn.number >= data.turn) return;
    this.#drop(data.match);
    const abort = new AbortController();
    const turn = new Turn(data, abort.signal, now);
    this.#budgets.set(data.match, turn.budgetMs);
    this.#entries.set(data.match, { turn, phase: "open", move: "", abort });
  }

  #finish(match: FinishedMatch): void {
    if (this.#finished.has(match.match)) return;
    this.#drop(match.match);
    this.#finished.add(match.match);
    this.#budgets.delete(match.match);
    this.#search.finished(match.match);
    if (!this.#polled) return; // The first response lists earlier matches.
    this.#ended.push(match);
    this.options.onFinished?.(match);
  }

  /** Forget the turn of a match, with a warning if it was late or the service refused its move. */
  #drop(match: string, refusal?: RefusedMove["problem"]): void {
    const entry = this.#entries.get(match);
    if (!entry) return;
    this.#entries.delete(match);
    entry.abort.abort();
    const left = Math.round(entry.turn.msLeft);
    if (entry.phase !== "made" && left <= 0) {
      this.warn("late", `${entry.turn} was late by ${-left} ms; the service plays a safe move and counts a strike`);
    } else if (refusal) this.warn("not_open", `${entry.turn} is not open: ${refusal.detail}`);
  }

  /** Return the entries of these phases, the most urgent first. */
  #in(...phases: Entry["phase"][]): Entry[] {
    const entries = [...this.#entries.values()].filter((entry) => phases.includes(entry.phase));
    // Without deadlines the difference is NaN, which `sort` takes as 0.
    return entries.sort((one, other) => one.turn.expires - other.turn.expires);
  }
}

/** Return this part of a time in seconds, cut to whole milliseconds, so that all clients send the same number. */
function share(ms: number, parts: number): number {
  return ms === Infinity ? Infinity : Math.floor(Math.max(0, ms) / parts) / 1000;
}

/** Return the move to send. */
function wire(entry: Entry): MatchMove {
  const { match, number, deal } = entry.turn;
  return isFree(entry) ? { match, deal, move: entry.move } : { match, turn: number, move: entry.move };
}

/** Return whether a move is legal, or the match does not list its moves. */
function mayAllow(legal: readonly string[], move: string): boolean {
  return legal.length === 0 || legal.includes(move);
}

function isFree({ turn, move }: Entry): boolean {
  return turn.freeMoves.includes(move) && !turn.legalMoves.includes(move);
}
