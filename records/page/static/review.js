// The review of a match: the mistakes, and what they cost.

import { drawn } from "./dom.js";
import { placeOf } from "./frames.js";
import { Graph } from "./graph.js";

const REVIEW_MS = 2000;
const isMove = (frame) => frame.events.some((event) => event.type === "move");

export class Review {
  constructor(table) {
    this.table = table;
    this.moves = new Map();
    this.graph = new Graph(table);
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** Read the review of the match, again and again while it is computed, and mark the mistakes. */
  async read() {
    let found = null;
    try {
      const answer = await fetch(this.table.data.review, { headers: { Accept: "application/json" } });
      found = answer.ok ? await answer.json() : null;
      if (answer.status === 404) return;
    } catch { /* the next attempt may succeed */ }
    if (found) {
      this.moves = new Map(found.moves.map((move) => [placeOf(move), move]));
      this.mark();
      this.graph.draw((frame) => {
        const move = isMove(frame) ? this.moves.get(placeOf(frame)) : null;
        return typeof move?.value === "number" ? move : null;
      });
      this.table.reviewed();
      this.table.parts.live.textContent = found.finished ? "" : this.table.words.get("reviewing", { done: found.done, total: found.total ?? "?" });
      if (found.finished) return;
    }
    this.timer = setTimeout(() => this.read(), REVIEW_MS);
  }

  /** Draw a tick at each mistake below the slider. */
  mark() {
    const { list } = this.table.frames;
    const { marks } = this.table.parts;
    marks.setAttribute("viewBox", `0 0 ${Math.max(1, list.length - 1)} 1`);
    const wide = Math.max(1, list.length) / 200;
    marks.replaceChildren(...list.flatMap((frame, at) => (this.mistaken(frame) ? [drawn("rect", { x: at - wide / 2, y: 0, width: wide, height: 1 })] : [])));
  }

  /** Whether the move of a frame is a mistake by the review. */
  mistaken(frame) {
    return isMove(frame) && this.moves.get(placeOf(frame))?.mistake === true;
  }

  /** The regret of a frame's move as text, or "". */
  regret(frame) {
    const move = this.moves.get(placeOf(frame));
    if (!move || move.regret === null) return "";
    const [mean, low, high] = [move.regret, move.low, move.high].map((points) => points.toLocaleString(this.table.words.language, { maximumFractionDigits: 2 }));
    return this.table.words.get("regret", { mean, low, high }) + (move.best === move.played ? "" : `, ${this.table.words.get("better", { move: this.table.words.move(move.best) })}`);
  }
}
