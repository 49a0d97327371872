// Cards that move from where they were to where they are, and the pace of the steps.

import { kept } from "./dom.js";
import { MARKS } from "./frames.js";

const MOVE_MS = 250;
const TRICK_MS = 1000;
export const PACES = [0, 0.25, 0.5, 1, 2];
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const CARDS = "[data-card]";

export class Motion {
  constructor(board) {
    this.board = board;
  }

  /** Seconds between the moves of others; 0 shows them at once. */
  get pace() {
    return STILL.matches ? 0 : Number(kept("pace") ?? 0.5);
  }

  /** How long a step stays before the next: a trick that is taken, a bout that ends, a second at least. */
  pauseAfter(frame) {
    const ends = frame.events.some((event) => MARKS.has(event.type) && event.type !== "bout");
    return Math.max(this.pace * 1000, ends ? TRICK_MS : 0);
  }

  /** Where the cards are now; `null` if nothing is to move. */
  places() {
    if (STILL.matches || document.hidden) return null;
    return new Map([...this.board.querySelectorAll(CARDS)].map((card) => [card.dataset.card, { card, box: card.getBoundingClientRect() }]));
  }

  /** Move the cards of a step from their places before it. A card that was hidden comes from the seat that plays it. */
  run(before, frame) {
    const now = [...this.board.querySelectorAll(CARDS)].map((card) => [card, card.getBoundingClientRect()]);
    const player = this.seat(frame.events.find((event) => event.type === "move")?.seat);
    for (const [card, box] of now) {
      const from = before.get(card.dataset.card)?.box ?? (card.closest(".kt-centre") ? player : null);
      if (from) slide(card, from, box);
    }
    const taker = this.seat(frame.events.find((event) => ["taken", "trick_over"].includes(event.type))?.seat);
    const to = taker ?? this.board.querySelector(".kt-zone-discard")?.getBoundingClientRect();
    const stay = new Set(now.map(([card]) => card.dataset.card));
    for (const [name, { card, box }] of before) if (to && !stay.has(name) && box.width) this.leave(card, box, to);
  }

  /** Show a card that is no longer on the table on its way to a place. */
  leave(card, from, to) {
    const board = this.board.getBoundingClientRect();
    this.board.append(card);
    card.classList.add("kt-leaving");
    Object.assign(card.style, { left: `${from.left - board.left}px`, top: `${from.top - board.top}px`, width: `${from.width}px` });
    const shift = `translate(${to.left + to.width / 2 - from.left - from.width / 2}px, ${to.top + to.height / 2 - from.top - from.height / 2}px)`;
    card.removeAttribute("data-card");
    card.animate([{ transform: "none", opacity: 1 }, { transform: `${shift} scale(.6)`, opacity: 0.2 }], { duration: MOVE_MS, easing: "ease-in" }).finished.then(() => card.remove(), () => card.remove());
  }

  seat(number) {
    return this.board.querySelector(`[data-seat="${number}"]`)?.getBoundingClientRect() ?? null;
  }
}

/** Let a card slide to its place from another one. */
function slide(card, from, to) {
  const [x, y] = [from.left + from.width / 2 - to.left - to.width / 2, from.top + from.height / 2 - to.top - to.height / 2];
  if (!to.width || Math.abs(x) + Math.abs(y) < 3) return;
  card.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-out" });
}
