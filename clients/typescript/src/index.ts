export { Client, type ClientOptions } from "./client.js";
export { IllegalMoveError, KozyrError, ProblemError, UnreachableError } from "./errors.js";
export type { Call } from "./http.js";
export type { Choose, PlayOptions } from "./play.js";
export { untilInterrupted } from "./stop.js";
export { Turn } from "./turn.js";
export type * from "./types.js";
export type { Turn as TurnData } from "./types.js";
export { warnOnStderr, type Warn, type WarningKind } from "./warnings.js";
