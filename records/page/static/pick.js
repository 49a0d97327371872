// The card that the reader has picked: marked on the table and in the address, and followed through its deal.

import { CARD } from "./cards.js";

const OPEN = ["pairs", "trick", "last_trick", "top", "pickup"];

/** Where a card is after a step: on a seat, on the table, or `null` if it is hidden or gone. */
function whereIs(card, { seen }) {
  const hands = seen.hands ?? { [seen.seat]: seen.hand ?? [] };
  const seat = Object.keys(hands).find((each) => hands[each].includes(card));
  if (seat !== undefined) return seat;
  return OPEN.some((name) => seen[name]?.toString().includes(card)) ? "table" : null;
}

export class Pick {
  constructor(table, linked) {
    this.table = table;
    this.card = CARD.test(linked) ? linked : null;
  }

  get query() {
    return this.card ? `&card=${this.card}` : "";
  }

  /** Follow clicks on the cards of a scene. */
  listen(scene) {
    scene.classList.add("kt-picks");
    scene.addEventListener("click", ({ target }) => {
      this.card = target.closest("[data-card]")?.dataset.card ?? null;
      this.jump();
    });
  }

  /** Pick the next open card in a direction. */
  next(step) {
    const cards = [...new Set([...this.table.parts.scene.querySelectorAll("[data-card]")].map((each) => each.dataset.card))];
    const at = cards.indexOf(this.card);
    this.set(cards.at(at < 0 && step < 0 ? -1 : (at + step) % cards.length) ?? null);
  }

  set(card) {
    this.card = card;
    this.table.show();
    this.table.remember();
  }

  /** The steps of the shown deal that brought the card to another place. */
  changes() {
    const { frames: { list }, at } = this.table;
    const { deal } = list[at];
    return [...list.keys()].filter((step) => list[step].deal === deal && (list[step - 1]?.deal !== deal || whereIs(this.card, list[step]) !== whereIs(this.card, list[step - 1])));
  }

  /** Go to the step that brought the card to its place; from there to the one that takes it away. */
  jump() {
    const { at } = this.table;
    const changes = this.card ? this.changes() : [];
    const came = changes.findLast((step) => step <= at);
    this.table.go(came < at ? came : changes.find((step) => step > at) ?? at);
  }

  /** Mark the card on the drawn table. Return its announcement; empty if the card is not there. */
  mark() {
    if (!this.card) return "";
    const shown = this.table.parts.scene.querySelectorAll(`[data-card="${this.card}"]`);
    if (!shown.length) return "";
    for (const each of shown) each.classList.add("kt-picked");
    const { frames, words, at } = this.table;
    const { deal, move } = frames.list[this.changes().findLast((step) => step <= at)];
    return words.get("picked", { card: words.spoken(this.card), place: words.place(deal, move) });
  }
}
