// The card table of a match: `<kozyr-table>` shows the frames of one match as a viewer may see them.
//
// It knows no rules. A frame of the API has the events of one step and the table after it; this module draws them,
// steps through them and follows a match that still runs. Its texts, in the language of the page, and the addresses
// that it reads come as JSON in its attribute `data-table`, so the same module serves pages, embedded tables and files.

import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { drawn, element, icon, keep, kept, nextTask } from "./dom.js";
import { Frames, isDeal, isMark, isNoted, isTimeout } from "./frames.js";
import { ACTIONS, KEY_OF } from "./keys.js";
import { Motion } from "./motion.js";
import { MoveList } from "./moves.js";
import { Pick } from "./pick.js";
import { Review } from "./review.js";
import { Facts } from "./facts.js";
import { fill } from "./sheet.js";
import { Strip } from "./strip.js";
import { Words } from "./words.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const LEAST_PAUSE_MS = 120;
const POLL_MS = 2000;
const PAGE = 1000;
const RETRIES = 20;
const REMEMBER_MS = 400;
const PRINTS = ["beforeprint", "afterprint"];
// How many new steps are shown one by one; more are skipped.
const MOST_SHOWN = 60;

class KozyrTable extends HTMLElement {
  connectedCallback() {
    if (this.frames) return;
    this.tv = this.closest("kozyr-tv");
    this.data = { ...this.tv?.shared, ...JSON.parse(this.dataset.table) };
    this.words = new Words(this.data);
    this.group = this.closest("kozyr-tables");
    this.leads = this.tv || this.data.plays ? false : !this.group || this.group.querySelector("kozyr-table") === this;
    this.picks = this.leads && !this.group && !this.closest("kozyr-play");
    this.board = new Board(this.words, this.data);
    this.frames = new Frames();
    this.review = new Review(this);
    this.facts = new Facts(this);
    this.moves = new MoveList(this);
    this.clock = new Clock(this.words, this.data.clock);
    this.strip = new Strip(this.words);
    this.linked = new URLSearchParams(this.data.address === "" ? location.hash.slice(1) : this.data.address && location.search);
    this.pick = new Pick(this, this.linked.get("card"));
    this.at = 0;
    this.shown = -1;
    this.late = null;
    this.remembered = -REMEMBER_MS;
    this.seat = this.data.seat;
    this.following = false;
    this.hides = this.data.hides;
    this.furthest = 0;
    this.speed = this.data.speed ?? "real";
    this.build();
    // The text of the page stays until the frames are here. Other elements expect their tables at once.
    if (!this.leads || this.group || this.closest("kozyr-play")) this.place();
    this.start();
  }

  /** The review has come, or more of it. */
  reviewed() {
    this.moves.clear();
    this.show();
  }

  disconnectedCallback() {
    clearTimeout(this.filler);
    clearTimeout(this.timer);
    clearTimeout(this.late);
    clearTimeout(this.poller);
    this.review?.stop();
    this.clock?.stop();
    clearTimeout(this.rememberer);
    this.stream?.close();
    document.removeEventListener("keydown", this.onKey);
    for (const name of PRINTS) removeEventListener(name, this.onPrint);
  }

  // The parts around the board

  build() {
    const { words } = this;
    this.parts = {
      scene: element("div", { class: "kt-scene" }),
      board: element("div", { class: "kt-board", "data-seats": this.data.seats.length }),
      said: element("p", { class: "kt-said", "aria-live": this.data.plays ? "off" : "polite" }),
      thoughts: element("div", { class: "kt-thoughts", dir: "auto", tabindex: 0, role: "region", "aria-label": words.get("thoughts"), hidden: true }),
      slider: element("input", { type: "range", min: 0, max: 0, value: 0, class: "kt-slider", "aria-label": words.get("position") }),
      count: element("span", { class: "kt-count" }),
      deals: element("select", { "aria-label": words.get("deal") }),
      speed: element("select", { "aria-label": words.get("speed") }),
      view: element("select", { "aria-label": words.get("view") }),
      live: element("span", { class: "kt-live", role: "status" }),
      marks: drawn("svg", { class: "kt-marks", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }),
    };
    const { parts } = this;
    parts.board.append(parts.scene);
    if (this.picks) this.pick.listen(parts.scene);
    this.motion = new Motion(parts.board);
    parts.speed.append(new Option(words.get("real time"), "real"), ...SPEEDS.map((speed) => new Option(words.get("per second", { n: speed }), speed)));
    parts.speed.value = this.speed;
    parts.view.append(new Option(words.get(this.data.all ? "all hands" : "spectator"), ""), ...this.data.seats.map((name, seat) => new Option(words.get("view of", { name }), seat)));
    parts.view.value = this.seat ?? "";
    parts.view.hidden = !this.data.all;
    this.buttons = {};
    const controls = element("div", { class: "kt-controls", role: "toolbar", "aria-label": words.get("controls") });
    for (const [name, sign] of [["first", "⏮"], ["deal back", "⏪"], ["back", "◀"], ["play", "▶"], ["next", "▶︎"], ["deal next", "⏩"], ["last", "⏭"]]) {
      const made = element("button", { type: "button", class: `kt-button kt-do-${name.replace(" ", "-")}`, title: `${words.get(`do ${name}`)} (${KEY_OF[name]})`, "aria-label": words.get(`do ${name}`) }, icon(name, sign));
      made.addEventListener("click", () => this.act(name));
      this.buttons[name] = made;
      controls.append(made);
    }
    const more = element("div", { class: "kt-more" }, parts.deals, parts.speed, parts.view);
    for (const name of ["apart", "four colours", "help"]) {
      if (!this.offers(name)) continue;
      const made = element("button", { type: "button", class: "kt-button kt-text", title: `${words.get(`do ${name}`)} (${KEY_OF[name]})`, "aria-pressed": name === "four colours" ? "false" : null }, words.get(`do ${name}`));
      made.addEventListener("click", () => this.act(name));
      this.buttons[name] = made;
      more.append(made);
    }
    this.help = element("dialog", { class: "kt-help", "aria-label": words.get("do help") });
    const bar = element("div", { class: "kt-bar" }, controls, element("span", { class: "kt-scrub" }, parts.slider, parts.marks), parts.count, parts.live);
    Object.assign(parts, { bar, more });
    parts.slider.addEventListener("input", () => this.go(Number(parts.slider.value)));
    parts.deals.addEventListener("change", () => this.go(this.frames.find(Number(parts.deals.value), 0)));
    parts.speed.addEventListener("change", () => { this.speed = parts.speed.value; this.schedule(); });
    parts.view.addEventListener("change", () => this.look(parts.view.value === "" ? null : Number(parts.view.value)));
    this.onKey = (event) => this.key(event);
    this.onPrint = (event) => this.moves.print(event.type === "beforeprint");
    if (kept("colours") === "4") this.colours();
  }

  /** Put the parts into the page. */
  place() {
    if (this.classList.contains("kt-ready")) return;
    const { parts, words } = this;
    const stage = element("div", { class: "kt-stage" }, parts.board, parts.said, ...(this.data.live ? [this.strip.list] : []));
    if (this.tv || this.data.plays) {
      if (this.data.plays) stage.append(this.buttons.play);
      this.replaceChildren(stage);
    } else if (this.group) {
      if (this.leads) this.group.before(element("div", { class: "kt-shared" }, parts.bar, parts.more), this.help);
      this.replaceChildren(this.querySelector("h2") ?? "", stage);
    } else {
      stage.append(parts.bar, parts.more, parts.thoughts, this.review.graph.box);
      const side = element("section", { class: "kt-side", "aria-label": words.get("moves") }, this.moves.title, this.moves.list);
      // The page has the same moves, which stay until this list is filled in a task of its own.
      const shown = this.querySelector(":scope > .kt-side");
      this.replaceChildren(stage, shown ?? side, this.help);
      if (shown) {
        this.filler = setTimeout(() => {
          this.filler = null;
          shown.replaceWith(side);
          const frame = this.frames.list[this.at];
          if (frame) this.moves.show(frame);
        });
      }
    }
    this.removeAttribute("data-table");
    this.classList.add("kt-ready");
    if (!this.leads) return;
    document.addEventListener("keydown", this.onKey);
    for (const name of PRINTS) addEventListener(name, this.onPrint);
  }

  /** Open the list of keys, or close it. */
  toggleHelp() {
    if (this.help.open) return this.help.close();
    const { words } = this;
    const rows = Object.entries(KEY_OF).filter(([name]) => this.offers(name)).map(([name, keys]) => element("tr", {}, element("td", {}, ...keys.split(" / ").flatMap((key, at) => (at ? [" ", element("kbd", {}, key)] : [element("kbd", {}, key)]))), element("td", {}, words.get(`do ${name}`))));
    const close = element("button", { type: "button", class: "kt-button kt-text" }, words.get("close"));
    close.addEventListener("click", () => this.help.close());
    this.help.replaceChildren(element("h2", {}, words.get("do help")), element("table", {}, element("tbody", {}, ...rows)), close);
    this.help.showModal();
  }

  // Frames

  async start() {
    if (this.data.frames) {
      this.frames.add(this.data.frames);
      this.frames.over = true;
    }
    try {
      if (this.data.source) await this.load();
    } catch (error) {
      this.failed(error);
    }
    await nextTask();
    this.place();
    this.fillDeals();
    const { linked, data: { address, deal, move } } = this;
    if (address === "" && linked.has("seat")) this.look(Number(linked.get("seat")));
    if (address === "" && linked.has("deal")) this.go(this.frames.find(Number(linked.get("deal")), linked.get("move") ?? 0), { quiet: true });
    else if (deal === null) this.go(this.data.live ? this.frames.list.length - 1 : Math.max(0, this.frames.find(1, 0)), { quiet: true });
    else this.go(this.frames.find(deal, move ?? 0), { quiet: true });
    if (this.data.live && this.data.source && !this.stopped) this.follow();
    if (this.data.review && !this.hides) this.review.read();
    if (this.data.facts) this.facts.read();
    if (this.data.plays && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
  }

  /** Read all frames that are new. Returns whether there were any. */
  async load() {
    const before = this.frames.last;
    for (;;) {
      const page = await this.page();
      this.take(page.frames);
      this.frames.over = page.over;
      this.latest = page;
      this.dispatchEvent(new CustomEvent("kozyr-frames", { bubbles: true, detail: page }));
      if (page.over || page.frames.length < PAGE) break;
      this.place();
      this.parts.live.textContent = this.words.get("loading", { n: this.frames.list.length });
    }
    this.parts.live.textContent = "";
    return this.frames.last > before;
  }

  /** New frames of a running match have come, or the first ones. */
  take(frames) {
    this.frames.add(frames);
    this.clock.hear(frames);
    fill(frames, this.words);
  }

  /** The next page of frames. A service that is not ready is asked again when it says so. */
  async page() {
    const address = `${this.data.source}?${this.data.all ? "seat=all&" : ""}after=${this.frames.last}&limit=${PAGE}`;
    for (let attempt = 0; ; attempt++) {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (isSessionOver(answer)) throw new NoMore(signIn(this.words, this.data));
      if (answer.ok) return answer.json();
      if (answer.status === 404) throw new NoMore(this.gone());
      if (![429, 503].includes(answer.status) || attempt >= RETRIES) throw new Error(String(answer.status));
      const pause = 1000 * Math.max(1, Number(answer.headers.get("Retry-After") ?? 1));
      await new Promise((done) => setTimeout(done, pause));
    }
  }

  /** Follow a running match: read new frames when the stream says that there are some, and now and then anyway. */
  follow() {
    this.following = true;
    this.parts.live.textContent = this.words.get("live");
    if (this.data.stream && "EventSource" in window) {
      this.stream = new EventSource(`${this.data.stream}?after=${this.frames.last}`);
      this.stream.addEventListener("message", () => this.refresh());
    }
    this.refreshLater();
  }

  /** Show the new steps one by one, as far apart as the reader likes. */
  catchUp() {
    if (this.late) return;
    const { list } = this.frames;
    if (!this.motion.pace || document.hidden || list.length - this.at > MOST_SHOWN) this.go(list.length - 1, { quiet: true });
    else this.showNext();
  }

  showNext() {
    this.late = null;
    this.go(this.at + 1, { quiet: true });
    if (this.at >= this.frames.list.length - 1) return;
    this.late = setTimeout(() => this.showNext(), this.motion.pauseAfter(this.frames.list[this.at]));
  }

  refreshLater() {
    clearTimeout(this.poller);
    const quiet = this.stream && this.stream.readyState === EventSource.OPEN ? 10 : 1;
    this.poller = setTimeout(() => (document.hidden ? this.refreshLater() : this.refresh()), POLL_MS * quiet);
  }

  async refresh() {
    clearTimeout(this.poller);
    this.again = this.refreshing;
    if (this.refreshing) return;
    this.refreshing = true;
    const atEnd = this.late || this.at >= this.frames.list.length - 1;
    try {
      const some = await this.load();
      this.parts.live.textContent = this.words.get("live");
      if (some) {
        this.fillDeals();
        if (atEnd) this.catchUp();
        else this.show();
      }
      if (this.frames.over) {
        this.stream?.close();
        this.parts.live.replaceChildren(element("a", { href: this.data.replay ?? this.data.address }, this.words.get("over")));
        return;
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.refreshing = false;
    }
    if (this.stopped) return;
    if (this.again) this.refresh();
    else this.refreshLater();
  }

  /** A request failed: say so, and ask no more if the answer will always be the same. */
  failed(error) {
    this.stopped = error instanceof NoMore;
    if (this.stopped) {
      this.stream?.close();
      this.dispatchEvent(new CustomEvent("kozyr-stopped", { bubbles: true, detail: error.link.cloneNode(true) }));
    }
    this.parts.live.replaceChildren(this.stopped ? error.link : this.words.get("unreachable"));
  }

  /** What somebody can do whose match the service no longer has. */
  gone() {
    const { root = "" } = document.documentElement.dataset;
    return element("a", { href: `${root}/${this.closest("kozyr-play") ? "play" : "matches"}` }, this.words.get("gone"));
  }

  fillDeals() {
    const { deals } = this.parts;
    const known = new Set([...deals.options].map((option) => Number(option.value)));
    for (const frame of this.frames.list) {
      if (!known.has(frame.deal)) {
        known.add(frame.deal);
        deals.append(new Option(this.words.get("deal n", { n: frame.deal, of: frame.seen.deals }), frame.deal));
      }
    }
    deals.hidden = known.size < 2 || this.hides;
    this.parts.slider.max = this.end;
  }

  /** The last step that the page shows something of: all of them, unless it hides how the match ends. */
  get end() {
    return this.hides ? this.furthest : Math.max(0, this.frames.list.length - 1);
  }

  /** Remember how far the reader has come. At the end of the match nothing is hidden any more. */
  reach() {
    this.furthest = Math.max(this.furthest, this.at);
    if (!this.hides) return;
    this.hides = this.at < this.frames.list.length - 1;
    this.fillDeals();
    if (this.hides) return;
    for (const result of document.querySelectorAll("[data-result]")) result.hidden = false;
    if (this.data.review) this.review.read();
  }

  // Moving about

  act(name) {
    const { frames, at } = this;
    const to = (place) => { if (place !== null) this.go(place); };
    if (name === "play") this.play(!this.playing);
    else if (name === "next") this.go(at + 1);
    else if (name === "back") this.go(at - 1);
    else if (name === "first") this.go(0);
    else if (name === "last") this.go(frames.list.length - 1);
    else if (name === "deal next") to(frames.next(at, 1, isDeal));
    else if (name === "deal back") to(frames.next(at, -1, isDeal));
    else if (name === "mark next") to(frames.next(at, 1, isMark));
    else if (name === "mark back") to(frames.next(at, -1, isMark));
    else if (name === "timeout next") to(frames.next(at, 1, isTimeout));
    else if (name === "timeout back") to(frames.next(at, -1, isTimeout));
    else if (name === "mistake next") to(frames.next(at, 1, (frame) => this.review.mistaken(frame)));
    else if (name === "mistake back") to(frames.next(at, -1, (frame) => this.review.mistaken(frame)));
    else if (name === "note next") to(frames.next(at, 1, isNoted));
    else if (name === "card next" || name === "card back") this.pick.next(name === "card next" ? 1 : -1);
    else if (name === "card jump") this.pick.jump();
    else if (name === "card drop") this.pick.set(null);
    else if (name === "faster" || name === "slower") this.change(name === "faster" ? 1 : -1);
    else if (name === "view next") this.turn();
    else if (name === "four colours") this.colours();
    else if (name === "apart") this.go(this.frames.find(frames.list[at].deal, Number(this.group.dataset.apart)));
    else if (name === "hint") this.dispatchEvent(new CustomEvent("kozyr-hint", { bubbles: true }));
    else if (name === "help") this.toggleHelp();
  }

  key(event) {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input:not(.kt-slider), textarea, select, [contenteditable]")) return;
    if (this.help.open && event.key !== "?") return;
    const key = latin(event);
    const name = ACTIONS[event.shiftKey && key.length > 1 ? `Shift+${key}` : key];
    if (!name || !this.offers(name) || ([" ", "Enter"].includes(event.key) && target.closest?.("button, a, summary"))) return;
    event.preventDefault();
    this.act(name);
  }

  /** Whether an action means anything here. */
  offers(name) {
    if (name.startsWith("mistake")) return Boolean(this.data.review) && !this.hides;
    if (name.startsWith("card")) return this.picks;
    if (name === "hint") return Boolean(this.data.hints);
    return name !== "apart" || Boolean(this.group?.dataset.apart);
  }

  go(place, { quiet = false } = {}) {
    clearTimeout(this.late);
    this.late = null;
    const most = this.frames.list.length - 1;
    this.at = Math.min(Math.max(0, place), Math.max(0, most));
    this.reach();
    if (this.playing && this.at >= most && !this.following) this.play(false);
    this.show();
    if (!quiet) this.remember();
    this.schedule();
    if (this.leads) this.group?.follow(this);
  }

  look(seat) {
    this.seat = seat;
    this.parts.view.value = seat ?? "";
    this.show();
    this.remember();
    if (this.leads) this.group?.follow(this);
  }

  turn() {
    if (!this.data.all) return;
    const next = this.seat === null ? 0 : this.seat + 1;
    this.look(next < this.data.seats.length ? next : null);
  }

  change(step) {
    const options = [...this.parts.speed.options].map((option) => option.value);
    const place = Math.min(Math.max(0, options.indexOf(this.speed) + step), options.length - 1);
    this.speed = this.parts.speed.value = options[place];
    this.schedule();
  }

  colours() {
    const on = this.classList.toggle("kt-four");
    this.buttons["four colours"].setAttribute("aria-pressed", String(on));
    keep("colours", on ? "4" : "2");
    if (this.leads) this.group?.follow(this);
  }

  play(on) {
    this.playing = on;
    const { play } = this.buttons;
    play.replaceChildren(icon(on ? "pause" : "play"));
    const name = this.words.get(on ? "do pause" : "do play");
    play.setAttribute("aria-label", name);
    play.title = `${name} (${KEY_OF.play})`;
    if (on && this.at >= this.frames.list.length - 1 && !this.following) this.go(0);
    this.schedule();
  }

  /** Set the timer for the next step: the time that its move took, or a fixed pace. */
  schedule() {
    clearTimeout(this.timer);
    if (!this.leads && !this.data.plays) return;
    const next = this.frames.list[this.at + 1];
    if (!this.playing || !next) return;
    const took = next.events.reduce((sum, event) => sum + (event.ms ?? 0), 0);
    const pause = this.speed === "real" ? Math.max(LEAST_PAUSE_MS, took) : 1000 / Number(this.speed);
    this.timer = setTimeout(() => this.go(this.at + 1), pause);
  }

  /** Put the place into the address, so that it can be linked to. */
  remember() {
    const frame = this.frames.list[this.at];
    if (!frame || this.data.address === null || this.data.shares) return;
    clearTimeout(this.rememberer);
    const wait = this.playing ? this.remembered + REMEMBER_MS - performance.now() : 0;
    if (wait > 0) {
      this.rememberer = setTimeout(() => this.remember(), wait);
      return;
    }
    this.remembered = performance.now();
    try {
      history.replaceState(null, "", this.link(frame) + this.pick.query);
    } catch {
      // Browsers limit how often an address changes: Safari to 100 times in 30 s.
      this.rememberer = setTimeout(() => this.remember(), 10 * REMEMBER_MS);
      return;
    }
    // The links to this page in other languages lead to the same place.
    for (const other of document.querySelectorAll("a[hreflang]")) {
      const there = new URL(location.href);
      there.searchParams.set("lang", other.hreflang);
      other.href = there.href;
    }
  }

  link(frame) {
    const seat = this.seat === null ? "" : `&seat=${this.seat}`;
    const place = `deal=${frame.deal}&move=${this.frames.moveOf(frame)}${seat}`;
    return this.data.address ? `${this.data.address}?${place}` : `#${place}`;
  }

  // Showing

  show() {
    const { frames, parts, words } = this;
    const frame = frames.list[this.at];
    if (!frame) {
      parts.said.textContent = words.get("not started");
      return;
    }
    const forward = frame === frames.list[this.shown + 1];
    const before = forward ? this.motion.places() : null;
    parts.scene.replaceChildren(...this.board.draw(frame, this.seat));
    this.shown = this.at;
    const said = [...frame.events.map((event) => words.event(event)), this.pick.mark()].filter((text) => text);
    const notes = frame.events.filter((event) => event.note).map((event) => element("q", { class: "kt-note" }, element("bdi", {}, event.note)));
    const moved = frame.events.some((event) => event.type === "move");
    const regret = moved ? this.review.regret(frame) : "";
    const verdict = regret && element("span", { class: `kt-regret${this.review.mistaken(frame) ? " kt-mistake" : ""}` }, this.review.mistaken(frame) ? `${words.get("mistake")}: ${regret}` : regret);
    parts.said.replaceChildren(said.join(" · ") || words.get("not started"), ...[...notes, verdict].filter(Boolean).flatMap((note) => [" ", note]));
    parts.thoughts.textContent = this.facts.of(frame);
    parts.thoughts.hidden = !parts.thoughts.textContent;
    parts.slider.value = this.at;
    this.review.graph.show(this.at);
    parts.count.textContent = words.place(frame.deal, this.frames.moveOf(frame));
    parts.slider.setAttribute("aria-valuetext", parts.count.textContent);
    parts.deals.value = frame.deal;
    if (!this.filler) this.moves.show(frame);
    this.clock.stop();
    if (this.data.live) {
      this.strip.show(frames.list, this.at);
      if (this.at === frames.list.length - 1 && !frames.over) this.clock.run(parts.board, frame.clocks);
    }
    this.dispatchEvent(new CustomEvent("kozyr-step", { bubbles: true, detail: { at: this.at, deal: frame.deal, move: frame.move, forward } }));
    if (before) this.motion.run(before, frame);
  }
}

// Links to a page about the shown place.
document.addEventListener("kozyr-step", ({ detail }) => {
  for (const link of document.querySelectorAll("a[data-follows]")) {
    const there = new URL(link.href);
    for (const name of ["deal", "move"]) there.searchParams.set(name, detail[name]);
    link.href = there.href;
  }
});

/** The key as Latin layouts name it, so that letters work with a Russian layout too. */
export function latin({ code, key, shiftKey }) {
  if (!/^Key[A-Z]$/.test(code) || /^[a-z]$/i.test(key)) return key;
  return shiftKey ? code[3] : code[3].toLowerCase();
}

/** Whether this is the answer to somebody who has lost the session or the seat. */
export function isSessionOver(answer) {
  return answer.redirected || [401, 403].includes(answer.status);
}

/** No further request will be answered; the link says why and leads on. */
class NoMore extends Error {
  constructor(link) {
    super();
    this.link = link;
  }
}

/** What somebody can do whose requests are refused: sign in and come back here, or load this page again as a guest. */
export function signIn(words, data) {
  const page = location.pathname;
  const { root = "" } = document.documentElement.dataset;
  return data.signed_in
    ? element("a", { href: `${root}/sign-in?next=${encodeURIComponent(page.slice(root.length))}` }, words.get("session over"))
    : element("a", { href: page }, words.get("seat lost"));
}

customElements.define("kozyr-table", KozyrTable);
