// The graph of a reviewed match: by how many points each side is expected to lead, step by step.

import { drawn, element } from "./dom.js";

const TALL = 100;
const DASHES = ["", "8 4", "2 4", "10 3 2 3", "4 2", "1 2"];

export class Graph {
  constructor(table) {
    this.table = table;
    this.cursor = drawn("line", { y1: 0, y2: TALL, class: "kt-cursor" });
    this.box = element("figure", { class: "kt-graph", hidden: true });
    this.box.addEventListener("click", (event) => {
      const box = event.target.closest("svg")?.getBoundingClientRect();
      if (box) table.go(Math.round(((event.clientX - box.left) / box.width) * this.last));
    });
  }

  get last() {
    return Math.max(1, this.table.frames.list.length - 1);
  }

  /** Draw the values of reviewed moves, which `valueAt` gives by step. */
  draw(valueAt) {
    const { words, frames: { list } } = this.table;
    const lines = this.lines(valueAt).filter((line) => line.points.length > 1);
    this.box.hidden = !lines.length;
    if (!lines.length) return;
    const most = Math.max(0.5, ...lines.flatMap(({ points }) => points.map(({ y, margin }) => Math.abs(y) + margin)));
    const up = (y) => (TALL * (most - y)) / (2 * most);
    const deals = list.flatMap((frame, at) => (at && frame.deal !== list[at - 1].deal ? [at] : []));
    const svg = drawn("svg", { viewBox: `0 0 ${this.last} ${TALL}`, preserveAspectRatio: "none", role: "img", "aria-label": lines.map((line) => this.told(line)).join(" ") },
      ...deals.map((at) => drawn("line", { x1: at, x2: at, y1: 0, y2: TALL, class: "kt-rule" })),
      drawn("line", { x1: 0, x2: this.last, y1: up(0), y2: up(0), class: "kt-zero" }),
      ...lines.map(({ number, points }) => drawn("polygon", { class: `kt-band kt-line-${number % 6}`, points: [...points.map(({ at, y, margin }) => `${at},${up(y + margin)}`), ...points.toReversed().map(({ at, y, margin }) => `${at},${up(y - margin)}`)].join(" ") })),
      ...lines.map(({ number, points }) => drawn("polyline", { class: `kt-line kt-line-${number % 6}`, "stroke-dasharray": DASHES[number % 6], points: points.map(({ at, y }) => `${at},${up(y)}`).join(" ") })),
      this.cursor);
    const axis = (name, ...texts) => element("span", { class: name, "aria-hidden": "true" }, ...texts.map((text) => element("span", {}, text)));
    this.box.replaceChildren(
      element("figcaption", {}, words.get("graph"), ...(lines.length > 1 ? lines.map(({ number, name }) => element("span", { class: "kt-key" }, drawn("svg", { viewBox: "0 0 30 4", "aria-hidden": "true" }, drawn("path", { d: "M0 2h30", class: `kt-line kt-line-${number % 6}`, "stroke-dasharray": DASHES[number % 6] })), element("bdi", {}, name))) : [element("bdi", {}, ` ${lines[0].name}`)])),
      axis("kt-y", this.points(most), "0", this.points(-most)),
      svg,
      axis("kt-x", ...[list[0], list.at(-1)].map((frame) => words.place(frame.deal, frame.move))));
    this.show(this.table.at);
  }

  /** The lines: of the first side alone where two sides play, else of each seat. */
  lines(valueAt) {
    const { words, frames: { list }, data: { seats } } = this.table;
    const teams = list.find((frame) => frame.seen.teams)?.seen.teams ?? seats.map((_, seat) => [seat]);
    const side = (seat) => teams.findIndex((team) => team.includes(seat));
    const lead = (scores, seat) => scores[seat] - mean(scores.filter((_, other) => side(other) !== side(seat)));
    const two = teams.length === 2;
    return (two ? [teams[0][0]] : [...seats.keys()]).map((seat, number) => {
      const points = [];
      let before = 0;
      list.forEach((frame, at) => {
        if (frame.deal !== list[at - 1]?.deal) before = lead(frame.seen.scores, seat);
        const found = valueAt(frame);
        if (found && (two || found.seat === seat)) points.push({ at, y: before + (side(found.seat) === side(seat) ? found.value : -found.value), margin: found.margin });
      });
      const last = list.length - 1;
      if (points.length) points.push({ at: last, y: lead(list[last].seen.scores, seat), margin: 0 });
      const members = two ? teams[0] : [seat];
      return { number, name: members.map((each) => words.name(each)).join(", "), points };
    });
  }

  /** A line in words, for those who don't see it. */
  told({ name, points }) {
    const { words, frames: { list } } = this.table;
    const by = (better) => points.reduce((one, other) => (better(other.y, one.y) ? other : one));
    const [low, high] = [by((a, b) => a < b), by((a, b) => a > b)];
    const place = ({ at }) => words.place(list[at].deal, list[at].move);
    return words.get("graph told", { name, low: this.points(low.y), low_place: place(low), high: this.points(high.y), high_place: place(high), last: this.points(points.at(-1).y) });
  }

  points(number) {
    return number.toLocaleString(this.table.words.language, { maximumFractionDigits: 1, signDisplay: "exceptZero" }).replace("-", "−");
  }

  /** Mark the shown step. */
  show(at) {
    for (const name of ["x1", "x2"]) this.cursor.setAttribute(name, at);
  }
}

function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
