/** What a warning is about. A later release may add kinds. */
export type WarningKind =
  | "retry"
  | "late"
  | "near_deadline"
  | "illegal_move"
  | "not_open"
  | "deprecated"
  | "service";

/** Receives the client's warnings. */
export type Warn = (kind: WarningKind, message: string) => void;

/** Write a warning to stderr. */
export const warnOnStderr: Warn = (kind, message) => console.warn(`kozyr: ${kind}: ${message}`);
