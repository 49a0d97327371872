/**
 * A client for Kozyr, a league server for bots that play Russian card games with hidden hands.
 *
 * <p>{@link kozyr.KozyrClient#play} waits for turns, asks the bot for a move, sends it and
 * retries what was lost. It plays all matches of the bot at once. A move is never lost and never made twice: the
 * client repeats a request with the same turn numbers, and the service answers a move that it has made with its
 * first result.
 */
package kozyr;
