// Choosing a legal move by its cards, one after the other. It knows no rules: the legal moves are all there is.

const CARD = /^[2-9TJQKA][CDHS]$/;

/** The cards of a move. */
export const cardsOf = (move) => move.split(" ").filter((word) => CARD.test(word));

export class Choice {
  constructor(words, legal, hand) {
    this.words = words;
    this.legal = legal;
    this.hand = new Set(hand);
    this.picked = [];
  }

  /** The moves that go on from these cards. */
  after(picked) {
    return this.legal.filter((move) => {
      const cards = cardsOf(move);
      const ordered = this.words.places(move) && cards.every((card) => this.hand.has(card));
      return picked.every((card, at) => (ordered ? cards[at] === card : cards.includes(card)));
    });
  }

  /** The moves that are still possible. */
  get open() {
    return this.after(this.picked);
  }

  /** The cards, in the hand and on the table, that may come next. */
  next(picked = this.picked) {
    return new Set(this.after(picked).flatMap((move) => {
      const cards = cardsOf(move);
      const ordered = this.words.places(move) && cards.every((card) => this.hand.has(card));
      return ordered ? cards.slice(picked.length, picked.length + 1) : cards.filter((card) => !picked.includes(card));
    }));
  }

  /** Whether a card can be chosen now, as the next one or instead of those chosen. */
  allows(card) {
    return this.picked.includes(card) || this.next().has(card) || (this.hand.has(card) && this.next([]).has(card));
  }

  /** Choose a card, or put it back. Returns the move if there is no other any more. */
  pick(card) {
    const at = this.picked.indexOf(card);
    if (at >= 0) this.picked.length = at;
    else this.picked = this.next().has(card) ? [...this.picked, card] : [card];
    const { open } = this;
    return at < 0 && open.length === 1 ? open[0] : null;
  }
}
