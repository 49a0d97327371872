import type { Problem } from "./types.js";

/** The base class of every error that the client throws. */
export class KozyrError extends Error {
  override name = "KozyrError";
}

/** The service refused a request, and sending it again would not help. */
export class ProblemError extends KozyrError {
  override name = "ProblemError";
  /** One of `ProblemCode`, or `http_<status>` for a response that is not the service's own. */
  readonly code: string;

  constructor(
    readonly status: number,
    /** The problem document; without its fields if the response had none. */
    readonly problem: Partial<Problem>,
  ) {
    const code = problem.code ?? `http_${status}`;
    const errors = problem.errors ? ` ${JSON.stringify(problem.errors)}` : "";
    const detail = problem.detail ?? "the response is not one of Kozyr; check the address of the service";
    super(`${code}: ${detail}${errors}`);
    this.code = code;
  }
}

/** No response came within the client's patience, or one that is not of the contract. */
export class UnreachableError extends KozyrError {
  override name = "UnreachableError";
  readonly code = "unreachable";
}

/** `choose` returned a move that is not legal in its turn. The clock runs on. */
export class IllegalMoveError extends KozyrError {
  override name = "IllegalMoveError";
  readonly code = "illegal_move";

  constructor(
    readonly match: string,
    readonly turn: number,
    readonly move: string,
    readonly legalMoves: readonly string[],
  ) {
    super(`${JSON.stringify(move)} is not legal in turn ${turn} of ${match}; legal: ${legalMoves.join(", ")}`);
  }
}
