// A replay that people look at together. The leader's steps and marks go to the service; the others ask for them.

import { latin } from "./table.js";

const ASK_MS = 1000;
const SEND_MS = 250;
const MOST_MARKS = 12;
const SEATS = ".kt-board [data-seat]";

/** The step that a table shows, as fields of a form. */
function placeOf({ frames, at, seat }) {
  const frame = frames.list[at];
  return { deal: frame.deal, move: frames.moveOf(frame), seat: seat ?? "" };
}

class KozyrTogether extends HTMLElement {
  connectedCallback() {
    this.table = document.querySelector("kozyr-table");
    this.leads = "leads" in this.dataset;
    this.follows = !this.leads;
    this.marks = [];
    this.hidden = false;
    this.table.addEventListener("kozyr-step", () => this.step());
    if (this.table.shown >= 0) this.step();
    this.scrollIntoView();
    if (this.leads) {
      this.table.addEventListener("click", (event) => this.point(event), true);
      document.addEventListener("keydown", (event) => this.key(event));
    } else {
      this.querySelector("button").addEventListener("click", () => this.follow());
    }
  }

  /** The table shows a step: the leader's goes to the others; one who follows may have looked away. */
  step() {
    const place = JSON.stringify(placeOf(this.table));
    const isNew = place !== this.place;
    this.place = place;
    if (this.leads && isNew) {
      this.marks = [];
      this.sendSoon();
    }
    if (!this.leads && !this.asks) this.ask();
    if (this.shown && !this.moving) this.keepUp(place === JSON.stringify(this.shownPlace()));
    this.draw();
  }

  draw() {
    const { marks, table, dataset } = this;
    const board = table.querySelector(".kt-board");
    for (const each of board.querySelectorAll(".kt-pointed")) each.classList.remove("kt-pointed");
    const shown = this.leads || this.follows ? marks : [];
    for (const mark of shown) {
      for (const each of board.querySelectorAll(`[data-card="${mark}"], [data-seat="${mark}"]`)) each.classList.add("kt-pointed");
    }
    const named = shown.map((mark) => (/\D/.test(mark) ? table.words.spoken(mark) : table.words.seat(Number(mark))));
    const said = this.over ? dataset.over : named.length ? dataset.marks.replace("{marks}", named.join(", ")) : "";
    const status = this.querySelector("[role=status]");
    if (status.textContent !== said) status.textContent = said;
  }

  // Leading

  /** A click on a card or a seat marks it, or takes the mark away. */
  point(event) {
    const target = event.target.closest(".kt-board [data-card]") ?? event.target.closest(SEATS);
    if (!target) return;
    event.stopPropagation();
    this.mark(target.dataset.card ?? target.dataset.seat);
  }

  mark(name) {
    this.marks = this.marks.includes(name) ? this.marks.filter((each) => each !== name) : [...this.marks, name].slice(-MOST_MARKS);
    this.draw();
    this.sendSoon();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input:not(.kt-slider), textarea, select")) return;
    const key = latin(event);
    if (key === "x" && this.table.pick.card) this.mark(this.table.pick.card);
    if (key === "p") {
      const seats = [...document.querySelectorAll(SEATS)].map((each) => each.dataset.seat).sort((one, other) => one - other);
      const next = seats.findLastIndex((seat) => this.marks.includes(seat)) + 1;
      this.marks = [...this.marks.filter((each) => !seats.includes(each)), ...seats.slice(next, next + 1)];
      this.draw();
      this.sendSoon();
    }
  }

  sendSoon() {
    this.waits = true;
    this.sender ??= setTimeout(() => this.send(), SEND_MS);
  }

  /** Send what is shown now; what changes meanwhile goes later. */
  async send() {
    this.waits = false;
    const { value: code } = this.querySelector("input");
    const body = new URLSearchParams({ code, ...JSON.parse(this.place), marks: this.marks.join(" ") });
    const answer = await fetch(this.dataset.steps, { method: "POST", body }).catch(() => null);
    this.sender = null;
    if (answer && answer.status < 500 && answer.status !== 429) this.end(!answer.ok);
    else this.waits = true;
    if (this.waits && !this.over) this.sender = setTimeout(() => this.send(), answer?.ok ? SEND_MS : 4 * ASK_MS);
  }

  // Following

  async ask() {
    this.asks = true;
    const answer = document.hidden ? null : await fetch(this.dataset.steps, { headers: { Accept: "application/json" } }).catch(() => null);
    if (answer?.ok) this.hear(await answer.json());
    this.end(answer?.status === 404);
    const pause = answer && !answer.ok ? 10 : 1;
    if (!this.over && this.isConnected) setTimeout(() => this.ask(), pause * ASK_MS);
  }

  hear(shown) {
    if (JSON.stringify(shown) === JSON.stringify(this.shown)) return;
    this.shown = shown;
    if (this.follows) this.follow();
  }

  /** Show what the leader shows. */
  follow() {
    const { table, shown } = this;
    this.moving = true;
    this.marks = shown.marks;
    table.play(false);
    table.look(shown.seat === "" ? null : Number(shown.seat));
    table.go(table.frames.find(shown.deal, shown.move), { quiet: true });
    this.moving = false;
    this.keepUp(true);
    this.draw();
  }

  /** The leader's step as this table names it. */
  shownPlace() {
    const { frames } = this.table;
    return placeOf({ frames, at: Math.max(0, frames.find(this.shown.deal, this.shown.move)), seat: this.shown.seat === "" ? null : Number(this.shown.seat) });
  }

  keepUp(follows) {
    this.follows = follows;
    this.querySelector("button").hidden = follows || this.over;
  }

  /** The shared replay may be over. */
  end(over) {
    this.over = over;
    if (!over) return;
    this.marks = [];
    this.draw();
  }
}

customElements.define("kozyr-together", KozyrTogether);

// The link to the page that begins it names the step that the table shows.
const link = document.querySelector("a[data-shows]");
link?.addEventListener("click", () => { link.search = new URLSearchParams(placeOf(document.querySelector("kozyr-table"))); });
