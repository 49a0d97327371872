import type { Observation, Turn as TurnData } from "./types.js";

/** An open turn of your seat. */
export class Turn {
  readonly match: string;
  /** The number of the turn in its match. */
  readonly number: number;
  readonly deal: number;
  readonly seat: number;
  /** All that your seat sees; `observation.game` narrows its type. */
  readonly observation: Observation;
  /** Aborted when the turn is over: the match ended, time ran out, or `play` stops. */
  readonly signal: AbortSignal;
  /** When the turn times out, by `performance.now()`. */
  readonly expires: number;
  /** Milliseconds from the arrival of the turn to its deadline. */
  readonly budgetMs: number;
  /** The part of `budgetMs` that is your bank. */
  readonly bankMs: number;

  constructor(
    /** The turn as the service sent it. */
    readonly data: TurnData,
    signal: AbortSignal = new AbortController().signal,
    arrived = performance.now(),
  ) {
    this.match = data.match;
    this.number = data.turn;
    this.deal = data.deal;
    this.seat = data.seat;
    this.observation = data.observation;
    this.signal = signal;
    // Both instants are service time. The clock of this machine may be wrong.
    this.budgetMs = data.deadline === null ? Infinity : Date.parse(data.deadline) - Date.parse(data.now);
    this.bankMs = data.clocks?.[data.seat]?.bank_ms ?? 0;
    this.expires = arrived + this.budgetMs;
  }

  /** Every answer to the turn. Return one of them unchanged. */
  get legalMoves(): readonly string[] {
    return this.observation.legal_moves;
  }

  /** The moves that you may make without answering the turn. After one, `choose` is called again. */
  get freeMoves(): readonly string[] {
    return this.observation.free_moves;
  }

  /** Milliseconds to the deadline, by a monotonic clock. Includes the bank, but not the grace. */
  get msLeft(): number {
    return this.expires - performance.now();
  }

  /** Return the turn's number and match, for messages. */
  toString(): string {
    return `turn ${this.number} of ${this.match}`;
  }
}
