import type { DurakObservation, Turn } from "kozyr-client";

const RANKS = "6789TJQKA";

/** Return one of the turn's legal moves. May be async; it runs for several matches at a time. */
export function choose(turn: Turn): string {
  const { legalMoves, observation } = turn;
  if (observation.game !== "durak") return legalMoves[0]!;
  return [...legalMoves].sort((a, b) => cost(a, observation) - cost(b, observation))[0]!;
}

/**
 * How dear the cards of a move are: `attack 7H` is cheap, a move with a trump is dear. A move without cards, such as
 * `take` or `pass`, is the last resort.
 */
export function cost(move: string, durak: Pick<DurakObservation, "trump">): number {
  const cards = move.split(" ").slice(1);
  if (cards.length === 0) return 100;
  const worth = (card: string) => RANKS.indexOf(card[0]!) + (card[1] === durak.trump ? RANKS.length : 0);
  return cards.reduce((sum, card) => sum + worth(card), 0);
}
