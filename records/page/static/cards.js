// Drawing cards, with no pictures but paths.

import { ARTWORK } from "./artwork.js";
import { drawn, element } from "./dom.js";

export const CARD = /^[2-9TJQKA][CDHS]$/;
export const GLYPHS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const ROWS = { top: 21, upper: 35, middle: 48, lower: 61, bottom: 75, high: 30, low: 66, q1: 33, q3: 63 };
const LEFT = 29, CENTRE = 41, RIGHT = 53;
const both = (...rows) => rows.flatMap((row) => [[LEFT, ROWS[row]], [RIGHT, ROWS[row]]]);
const mid = (row) => [CENTRE, ROWS[row]];
const PIPS = {
  2: [mid("top"), mid("bottom")],
  3: [mid("top"), mid("middle"), mid("bottom")],
  4: both("top", "bottom"),
  5: [...both("top", "bottom"), mid("middle")],
  6: both("top", "middle", "bottom"),
  7: [...both("top", "middle", "bottom"), mid("upper")],
  8: [...both("top", "middle", "bottom"), mid("upper"), mid("lower")],
  9: [...both("top", "q1x", "q3x", "bottom").filter(([, y]) => y), ...[39, 57].flatMap((y) => [[LEFT, y], [RIGHT, y]]), mid("middle")],
  T: [...both("top", "bottom"), ...[39, 57].flatMap((y) => [[LEFT, y], [RIGHT, y]]), mid("high"), mid("low")],
};

/** Signs of a suit, all in one path: elements are what drawing cards takes time for. */
function suitsAt(suit, places, size) {
  const [top, outline] = ARTWORK.suits[suit];
  const scale = size / 100;
  const d = places.map(([x, y]) => `M${Math.round(x / scale + 50)} ${Math.round(y / scale + top)}${outline}`).join("");
  return drawn("path", { d, transform: `scale(${scale})` });
}

/** A figure with two heads: each outline, and the same turned by half a circle. */
function court(rank) {
  const figure = drawn("g", { class: "kt-court", transform: "translate(40.5 45)" });
  figure.append(drawn("rect", { x: -19.5, y: -40, width: 39, height: 80, rx: 3 }));
  for (const [paint, outline] of ARTWORK.courts[rank]) {
    figure.append(drawn("path", { d: outline + outline.replace(/-?[\d.]+/g, (number) => -number), class: `kt-${paint}` }));
  }
  return figure;
}

export function cardFace(card, words, trump = null) {
  const [rank, suit] = card;
  const made = drawn("svg", { viewBox: "0 0 64 90", class: `kt-card kt-${suit}`, "aria-hidden": "true", "data-card": card });
  made.append(drawn("rect", { x: 1, y: 1, width: 62, height: 88, rx: 6, class: "kt-face" }));
  const shown = words.rank(card);
  made.append(drawn("text", { x: 11.5, y: 21, class: `kt-index${shown.length > 1 ? " kt-long" : ""}` }, shown));
  made.append(suitsAt(suit, [[5, 26]], 13));
  if (PIPS[rank]) {
    made.append(suitsAt(suit, PIPS[rank].map(([x, y]) => [x - 6, y - 6]), 12));
  } else if (rank === "A") {
    made.append(suitsAt(suit, [[23, 30]], 36));
  } else {
    made.append(court(rank), suitsAt(suit, [[22, 7], [49, 73]], 10));
  }
  if (suit === trump) made.append(drawn("path", { d: "M44 1h14a5 5 0 0 1 5 5v14Z", class: "kt-trump" }));
  return made;
}

export function cardBack() {
  return drawn(
    "svg",
    { viewBox: "0 0 64 90", class: "kt-card kt-back", "aria-hidden": "true" },
    drawn("rect", { x: 1, y: 1, width: 62, height: 88, rx: 6, class: "kt-face" }),
    drawn("rect", { x: 5, y: 5, width: 54, height: 80, rx: 3, class: "kt-weave" }),
    drawn("path", { d: "M32 23 45 45 32 67 19 45Z", class: "kt-sign" }),
  );
}

/** Cards with the trumps apart at the end. */
export function trumpsLast(cards, trump) {
  const isTrump = (card) => card !== null && card[1] === trump;
  return [...cards.filter((card) => !isTrump(card)), ...cards.filter(isTrump)];
}

/** Cards in a row that overlap as far as the width needs. `null` is a card whose face is not to be seen. */
export function hand(given, words, { label, trump = null } = {}) {
  const cards = trumpsLast(given, trump);
  const half = cards.length > 14 ? Math.ceil(cards.length / 2) : cards.length;
  const box = element("div", { class: "kt-hand", role: "img", "aria-label": label });
  for (let start = 0; start < cards.length || start === 0; start += half || 1) {
    const row = element("div", { class: "kt-row" });
    for (const card of cards.slice(start, start + half)) {
      const first = card !== null && card[1] === trump && cards[cards.indexOf(card) - 1]?.[1] !== trump;
      const place = element("span", { class: `kt-place${first ? " kt-first-trump" : ""}` });
      place.append(card === null ? cardBack() : cardFace(card, words, trump));
      row.append(place);
    }
    box.append(row);
  }
  return box;
}

/** A text with its suits in colour. */
export function pretty(text) {
  return text.split(/([♣♦♥♠])/).map((part) => {
    const suit = Object.keys(GLYPHS).find((each) => GLYPHS[each] === part);
    return suit ? element("span", { class: `kt-suit kt-${suit}` }, `${part}\uFE0E`) : part;
  });
}
