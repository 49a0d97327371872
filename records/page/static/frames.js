// The steps of a match.

export const MARKS = new Set(["bout", "transferred", "trick_over", "taken", "beaten_off", "declared"]);

const END = "end";

/** The frames of a match, each with the whole table, its deal and the number of its move in that deal. */
export class Frames {
  constructor() {
    this.list = [];
    this.last = 0;
    this.over = false;
  }

  add(coded) {
    for (const frame of coded) {
      if (frame.n <= this.last) continue;
      const before = this.list.at(-1);
      const seen = frame.observation ?? { ...before.seen, ...frame.changes };
      const moves = frame.events.filter((event) => event.type === "move").length;
      const same = before && before.deal === seen.deal;
      this.list.push({
        events: frame.events,
        seen,
        clocks: frame.clocks ?? before?.clocks,
        charged: frame.charged_ms ?? 0,
        deal: seen.deal,
        move: (same ? before.move : 0) + moves,
      });
      this.last = frame.n;
    }
  }

  /** The step of a place. `end` stands for the last step of a deal, which may be no move. */
  find(deal, move) {
    const found = this.list.findIndex((frame) => frame.deal === deal && frame.move >= move && (move > 0 || this.dealt(frame)));
    return found >= 0 ? found : this.list.findLastIndex((frame) => frame.deal <= deal);
  }

  /** What a link says of a step besides its deal: its move, or `end` for the end of the match, which has none. */
  moveOf(frame) {
    return frame.events.some((event) => event.type === "match_over") ? END : frame.move;
  }

  dealt(frame) {
    return frame.events.some((event) => event.type === "deal" || event.type === "dealt") || frame.move > 0;
  }

  /** The next frame in a direction for which `wanted` holds, or `null`. */
  next(at, step, wanted) {
    for (let place = at + step; place >= 0 && place < this.list.length; place += step) {
      if (wanted(this.list[place])) return place;
    }
    return null;
  }
}

export const isDeal = (frame) => frame.events.some((event) => event.type === "deal");
export const isMark = (frame) => frame.events.some((event) => MARKS.has(event.type));
export const isTimeout = (frame) => frame.events.some((event) => event.by === "timeout");
/** Where a reviewed move stands in the match. */
export const placeOf = ({ deal, move }) => `${deal}/${move}`;
export const isNoted = (frame) => frame.events.some((event) => event.note);
