import { IllegalMoveError } from "./errors.js";
import { Turn } from "./turn.js";
import type { FinishedMatch, MatchMove, MoveResult, RefusedMove, Turn as TurnData } from "./types.js";
import type { Warn } from "./warnings.js";

/** A move that is ready with less time left than this is worth a warning. */
const NEAR_MS = 500;
/** How many finished matches are remembered, so that none is reported twice. */
const REMEMBERED = 2_000;

type Phase = "open" | "thinking" | "ready" | "sent" | "made" | "over";

/** The latest turn of a match and what became of it. */
interface Entry {
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

  /** Return the most urgent open turn and mark it as being thought about. */
  nextTurn(): Turn | undefined {
    const entry = this.#in("open")[0];
    if (entry) entry.phase = "thinking";
    return entry?.turn;
  }

  /** Take the move that was chosen in a turn. A move for a turn that is over is dropped. */
  choose(turn: Turn, move: unknown): void {
    if (typeof move !== "string") throw new TypeError(`choose returned ${String(move)}, not a move`);
    const entry = this.#entries.get(turn.match);
    if (entry?.turn !== turn || entry.phase !== "thinking") return;
    const left = turn.msLeft;
    if (left > 0 && left < NEAR_MS) {
      this.warn("near_deadline", `turn ${turn.number} of ${turn.match}: ${Math.round(left)} ms before its deadline`);
    }
    entry.move = move;
    if (!turn.legalMoves.includes(move) && !isFree(turn, move)) this.#replace(entry, turn.legalMoves);
    entry.phase = "ready";
  }

  /** Whether somebody still waits for a move in this turn. */
  isOpen(turn: Turn): boolean {
    const entry = this.#entries.get(turn.match);
    return entry?.turn === turn && entry.phase === "thinking";
  }

  /** Return the turns and moves of the next request, at most `most`, and mark them as sent. */
  take(most: number): { turns: Turn[]; moves: MatchMove[] } {
    this.again = false;
    this.againMs = 0;
    const entries = this.#in("ready").slice(0, most);
    const moves = entries.map(({ turn: { match, number, deal }, turn, move }) =>
      isFree(turn, move) ? { match, deal, move } : { match, turn: number, move },
    );
    for (const entry of entries) entry.phase = "sent";
    return { turns: entries.map((entry) => entry.turn), moves };
  }

  /** Make moves ready again after a request that had no effect. */
  giveBack(turns: readonly Turn[]): void {
    for (const entry of this.#current(turns)) if (entry?.phase === "sent") entry.phase = "ready";
  }

  /** Take the results of the moves that were sent in these turns. */
  results(turns: readonly Turn[], results: readonly (MoveResult | RefusedMove)[]): void {
    let illegal: unknown;
    this.#current(turns).forEach((entry, index) => {
      const result = results[index];
      if (!entry) return;
      if (result && !("problem" in result)) {
        entry.phase = isFree(entry.turn, entry.move) ? "over" : "made";
        return;
      }
      try {
        this.#refused(entry, result?.problem);
      } catch (error) {
        illegal ??= error;
      }
    });
    if (illegal) throw illegal;
  }

  #refused(entry: Entry, problem: RefusedMove["problem"] | undefined): void {
    const { turn } = entry;
    if (!problem || problem.retryable) {
      entry.phase = "ready";
      this.again = true;
      this.againMs = Math.max(this.againMs, problem?.retry_ms ?? 0);
    } else if (problem.code === "illegal_move" || problem.code === "not_a_move") {
      this.#replace(entry, problem.legal_moves ?? turn.legalMoves);
    } else {
      if (turn.msLeft <= 0) this.#warnLate(turn);
      else this.warn("not_open", `turn ${turn.number} of ${turn.match} is not open: ${problem.detail}`);
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
      if (known.turn.number > data.turn || !["made", "over"].includes(known.phase)) return;
      this.again = true;
      if (known.phase === "made" && data.observation.legal_moves.includes(known.move)) {
        known.phase = "ready"; // The service lost the move, or sent the turn twice. It gets the same move.
        return;
      }
    }
    if (known) this.#drop(known);
    const abort = new AbortController();
    const turn = new Turn(data, abort.signal, now);
    this.#entries.set(data.match, { turn, phase: "open", move: "", fellBack: false, abort });
  }

  /** Take the finished matches of a response, and return those that ended since the first response. */
  finish(listed: readonly FinishedMatch[]): FinishedMatch[] {
    const news = listed.filter((each) => !this.#finished.has(each.match));
    for (const { match } of news) {
      const entry = this.#entries.get(match);
      if (entry) this.#drop(entry);
      this.#entries.delete(match);
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

  #in(phase: Phase): Entry[] {
    const entries = [...this.#entries.values()].filter((entry) => entry.phase === phase);
    return entries.sort((one, other) => compare(one.turn.expires, other.turn.expires));
  }

  #current(turns: readonly Turn[]): (Entry | undefined)[] {
    return turns.map((turn) => {
      const entry = this.#entries.get(turn.match);
      return entry?.turn === turn ? entry : undefined;
    });
  }

  #replace(entry: Entry, legal: readonly string[]): void {
    const { turn, move } = entry;
    const error = new IllegalMoveError(turn.match, turn.number, move, legal);
    const [first] = legal;
    if (this.onIllegal === "throw" || entry.fellBack || first === undefined) throw error;
    this.warn("illegal_move", `${error.message}; ${first} is sent instead`);
    Object.assign(entry, { phase: "ready", move: first, fellBack: true });
  }

  #drop(entry: Entry): void {
    if (["open", "thinking", "ready"].includes(entry.phase) && entry.turn.msLeft <= 0) this.#warnLate(entry.turn);
    entry.abort.abort();
  }

  #warnLate({ match, number, msLeft }: Turn): void {
    const late = `turn ${number} of ${match} was late by ${Math.round(-msLeft)} ms`;
    this.warn("late", `${late}; the service plays a safe move and counts a strike`);
  }
}

function isFree(turn: Turn, move: string): boolean {
  return turn.freeMoves.includes(move) && !turn.legalMoves.includes(move);
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other; // Infinity minus Infinity is not a number.
}
