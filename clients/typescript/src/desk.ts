import { IllegalMoveError } from "./errors.js";
import { Turn } from "./turn.js";
import type { FinishedMatch, MatchMove, MoveResult, RefusedMove, Turn as TurnData } from "./types.js";
import type { Warn } from "./warnings.js";

/** A move that is ready with less time left than this is worth a warning. */
const NEAR_MS = 500;
/** How many finished matches are remembered, so that none is reported twice. */
const REMEMBERED = 2_000;

/** `open` waits for `choose`, `ready` has a move without a result, and for `over` nothing is to be sent any more. */
type Phase = "open" | "thinking" | "ready" | "made" | "over";

/** The latest turn of a match and what became of it. */
export interface Entry {
  turn: Turn;
  phase: Phase;
  move: string;
  fellBack: boolean;
  abort: AbortController;
}

/** The turns that came and the moves that go: all that the loop knows, without input or output. */
export class Desk {
  /** The cursor of the last response. */
  since: string | undefined;
  /** Whether something has to be sent again, which is worth a pause of `againMs` or more. */
  again = false;
  againMs = 0;
  readonly #entries = new Map<string, Entry>();
  readonly #finished = new Set<string>();
  #polled = false;

  constructor(
    private readonly onIllegal: "throw" | "first",
    private readonly warn: Warn,
  ) {}

  /** Whether a turn waits for `choose`, or a move for the next request. */
  has(phase: Phase): boolean {
    return [...this.#entries.values()].some((entry) => entry.phase === phase);
  }

  /** Return the entries of a phase, the most urgent first. */
  in(phase: Phase): Entry[] {
    const entries = [...this.#entries.values()].filter((entry) => entry.phase === phase);
    return entries.sort((one, other) => compare(one.turn.expires, other.turn.expires));
  }

  /** Whether somebody still waits for a move in this turn. */
  isOpen(entry: Entry): boolean {
    return this.#entries.get(entry.turn.match) === entry && entry.phase === "thinking";
  }

  /** Take the move that was chosen in an open turn. */
  choose(entry: Entry, move: unknown): void {
    if (typeof move !== "string") throw new TypeError(`choose returned ${String(move)}, not a move`);
    const { turn } = entry;
    const left = turn.msLeft;
    if (left > 0 && left < NEAR_MS) this.warn("near_deadline", `${turn}: ${Math.round(left)} ms before its deadline`);
    entry.move = move;
    if (!turn.legalMoves.includes(move) && !isFree(entry)) this.#replace(entry, turn.legalMoves);
    entry.phase = "ready";
  }

  /** Take the results of the moves that were sent. Throw the first `IllegalMoveError`, after taking all. */
  results(taken: readonly Entry[], results: readonly (MoveResult | RefusedMove)[]): void {
    const illegal: unknown[] = [];
    taken.forEach((entry, index) => {
      const result = results[index];
      if (result && !("problem" in result)) {
        entry.phase = isFree(entry) ? "over" : "made";
        return;
      }
      try {
        this.#refused(entry, result?.problem);
      } catch (error) {
        illegal.push(error);
      }
    });
    if (illegal.length > 0) throw illegal[0];
  }

  #refused(entry: Entry, problem: RefusedMove["problem"] | undefined): void {
    const { turn } = entry;
    if (!problem || problem.retryable) {
      this.again = true;
      this.againMs = Math.max(this.againMs, problem?.retry_ms ?? 0);
    } else if (problem.code === "illegal_move" || problem.code === "not_a_move") {
      this.#replace(entry, problem.legal_moves ?? turn.legalMoves);
    } else {
      if (turn.msLeft <= 0) this.#warnLate(turn);
      else this.warn("not_open", `${turn} is not open: ${problem.detail}`);
      entry.phase = "over";
      this.since = undefined;
    }
  }

  /**
   * Take a turn of a response that came at `now`, the same for all its turns: they are ordered by their deadlines. The
   * same turn may come more than once.
   */
  arrive(data: TurnData, now: number): void {
    const known = this.#entries.get(data.match);
    if (known && known.turn.number >= data.turn) {
      if (known.turn.number > data.turn || !isDone(known)) return;
      this.again = true;
      if (known.phase === "made" && data.observation.legal_moves.includes(known.move)) {
        known.phase = "ready"; // The service lost the move, or sent the turn twice. It gets the same move.
        return;
      }
    }
    this.#drop(data.match);
    const abort = new AbortController();
    const turn = new Turn(data, abort.signal, now);
    this.#entries.set(data.match, { turn, phase: "open", move: "", fellBack: false, abort });
  }

  /** Take the finished matches of a response, and return those that ended since the first response. */
  finish(listed: readonly FinishedMatch[]): FinishedMatch[] {
    const news = listed.filter((each) => !this.#finished.has(each.match));
    for (const { match } of news) {
      this.#drop(match);
      this.#finished.add(match);
    }
    for (const match of this.#finished) {
      if (this.#finished.size <= REMEMBERED) break;
      this.#finished.delete(match);
    }
    const first = !this.#polled;
    this.#polled = true;
    return first ? [] : news;
  }

  /** Abort the thinking about every turn. */
  close(): void {
    for (const entry of this.#entries.values()) entry.abort.abort();
  }

  /** Put the first legal move in place of an illegal one, once, if the options say so. */
  #replace(entry: Entry, legal: readonly string[]): void {
    const { turn, move } = entry;
    const error = new IllegalMoveError(turn.match, turn.number, move, legal);
    const [first] = legal;
    if (this.onIllegal === "throw" || entry.fellBack || first === undefined) throw error;
    this.warn("illegal_move", `${error.message}; ${first} is sent instead`);
    Object.assign(entry, { phase: "ready", move: first, fellBack: true });
  }

  #drop(match: string): void {
    const entry = this.#entries.get(match);
    if (!entry) return;
    this.#entries.delete(match);
    if (!isDone(entry) && entry.turn.msLeft <= 0) this.#warnLate(entry.turn);
    entry.abort.abort();
  }

  #warnLate(turn: Turn): void {
    const late = `${turn} was late by ${Math.round(-turn.msLeft)} ms`;
    this.warn("late", `${late}; the service plays a safe move and counts a strike`);
  }
}

/** Return the move to send. */
export function wire(entry: Entry): MatchMove {
  const { match, number, deal } = entry.turn;
  return isFree(entry) ? { match, deal, move: entry.move } : { match, turn: number, move: entry.move };
}

function isDone({ phase }: Entry): boolean {
  return phase === "made" || phase === "over";
}

function isFree({ turn, move }: Entry): boolean {
  return turn.freeMoves.includes(move) && !turn.legalMoves.includes(move);
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other; // Infinity minus Infinity is not a number.
}
