// The card table of a match: `<kozyr-table>` shows the frames of one match as a viewer may see them.
//
// It knows no rules. A frame of the API has the events of one step and the table after it; this module draws them,
// steps through them and follows a match that still runs. Its texts, in the language of the page, and the addresses
// that it reads come as JSON in its attribute `data-table`, so the same module serves pages, embedded tables and files.

const SVG = "http://www.w3.org/2000/svg";
const CARD = /^[2-9TJQKA][CDHS]$/;
// The height at which the outline of a suit begins, in the middle of a square of 100, and its outline from there.
const SUITS = {
  C: [6, "a20 20 0 0 1 17 31 20 20 0 1 1-12 34c1 10 4 17 11 23h-32c7-6 10-13 11-23a20 20 0 1 1-12-34 20 20 0 0 1 17-31Z"],
  D: [4, "l34 46-34 46-34-46Z"],
  H: [94, "c-36-30-44-46-44-62a23 23 0 0 1 44-10 23 23 0 0 1 44 10c0 16-8 32-44 62Z"],
  S: [5, "c12 16 40 31 40 51a20 20 0 0 1-34 14c1 11 4 17 10 24h-32c6-7 9-13 10-24a20 20 0 0 1-34-14c0-20 28-35 40-51Z"],
};
const GLYPHS = { C: "♣", D: "♦", H: "♥", S: "♠" };
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
const SPEEDS = [0.5, 1, 2, 4, 8];
const LEAST_PAUSE_MS = 120;
const POLL_MS = 2000;
const PAGE = 1000;
const RETRIES = 20;
const RENEW_MS = 15000;
const REMEMBER_MS = 400;
const MARKS = new Set(["bout", "transferred", "trick_over", "taken", "beaten_off", "declared"]);
// Members of an observation that have a place of their own at the table, or say nothing to somebody who watches.
const SHOWN = new Set(
  ("game deal deals dealer scores seat hand hands hand_sizes to_move question legal_moves free_moves known out teams " +
    "trump trump_card talon stock discard pairs pile top pickup under trick last_trick tricks_taken taken deal_scores " +
    "contract declared miser attacker defender entitled taking room trumps given moves_made turn_limit anti_trump " +
    "lowest_rank whole_pile").split(" "),
);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Wait for another task, so that the browser can paint and take input in between. */
function nextTask() {
  return new Promise((done) => setTimeout(done));
}

/** Signs of a suit, all in one path: elements are what drawing cards takes time for. */
function suitsAt(suit, places, size) {
  const [top, outline] = SUITS[suit];
  const scale = size / 100;
  const d = places.map(([x, y]) => `M${Math.round(x / scale + 50)} ${Math.round(y / scale + top)}${outline}`).join("");
  return drawn("path", { d, transform: `scale(${scale})` });
}

/** The texts of one language: words by key, and how cards, seats and times read. */
class Words {
  constructor(data) {
    this.words = data.words;
    this.game = data.game;
    this.ranks = data.ranks;
    this.seats = data.seats;
    this.language = data.language;
  }

  get(key, values = {}) {
    const text = this.words[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  }

  rank(card) {
    return this.ranks[card[0]] ?? card[0];
  }

  card(card) {
    return this.rank(card) + GLYPHS[card[1]];
  }

  spoken(card) {
    return this.get("card", { rank: this.get(`rank ${card[0]}`), suit: this.get(`of ${card[1]}`) });
  }

  seat(number) {
    return this.seats[number] ?? this.get("seat", { number });
  }

  /** A value of an event or an observation as text. */
  value(value) {
    if (Array.isArray(value)) return value.map((each) => this.value(each)).join(" ");
    if (typeof value === "number" && value < 0) return `−${-value}`;
    if (value === null || value === undefined) return "–";
    if (typeof value === "boolean") return this.get(value ? "yes" : "no");
    if (typeof value === "object") {
      return Object.entries(value).map(([name, each]) => `${this.get(name)} ${this.value(each)}`).join(", ");
    }
    const text = String(value);
    if (CARD.test(text)) return this.card(text);
    return GLYPHS[text] ?? this.words[`value ${text}`] ?? text;
  }

  move(text) {
    return this.moveWith(text, (word) => this.value(word), " ");
  }

  /** A move, its words after the first as `say` puts them, with `between` where no sentence places them. */
  moveWith(text, say, between) {
    const [verb, ...rest] = text.split(" ");
    const said = rest.map(say);
    const sentence = `move ${this.game} ${verb} ${rest.length}`;
    return sentence in this.words ? this.get(sentence, said) : [this.words[`move ${verb}`] ?? verb, ...said].join(between);
  }

  /** An event as a sentence, or "" for one that says nothing by itself. */
  event(event) {
    if (event.type === "move") return `${this.seat(event.seat)}: ${this.move(event.move)}${this.by(event)}`;
    const template = this.words[`event ${event.type}`];
    if (template === undefined) return "";
    return template.replace(/\{(\w+)\}/g, (_, name) => {
      if (["seat", "attacker", "defender", "giver", "receiver", "dealer"].includes(name)) return this.seat(event[name]);
      if (name === "returns" || name === "scores") return event[name].map((points, seat) => `${this.seat(seat)} ${this.value(points)}`).join(", ");
      return this.value(event[name]);
    });
  }

  by(event) {
    return event.by ? ` (${this.get(`by ${event.by}`)})` : "";
  }

  seconds(ms) {
    const digits = ms < 1000 ? 2 : ms < 10000 ? 1 : 0;
    return this.get("seconds", { n: (ms / 1000).toLocaleString(this.language, { maximumFractionDigits: digits }) });
  }

  clock(ms) {
    const whole = Math.max(0, Math.floor(ms / 1000));
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  points(number) {
    return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0";
  }
}

function cardFace(card, words) {
  const [rank, suit] = card;
  const made = drawn("svg", { viewBox: "0 0 64 90", class: `kt-card kt-${suit}`, "aria-hidden": "true" });
  made.append(drawn("rect", { x: 1, y: 1, width: 62, height: 88, rx: 6, class: "kt-face" }));
  const shown = words.rank(card);
  made.append(drawn("text", { x: 11.5, y: 21, class: `kt-index${shown.length > 1 ? " kt-long" : ""}` }, shown));
  made.append(suitsAt(suit, [[5, 26]], 13));
  if (PIPS[rank]) {
    made.append(suitsAt(suit, PIPS[rank].map(([x, y]) => [x - 6, y - 6]), 12));
  } else if (rank === "A") {
    made.append(suitsAt(suit, [[23, 30]], 36));
  } else {
    made.append(drawn("rect", { x: 22, y: 10, width: 36, height: 70, rx: 3, class: "kt-court" }));
    made.append(drawn("text", { x: 40, y: 60, class: "kt-letter" }, shown));
    made.append(suitsAt(suit, [[25, 13], [44, 66]], 11));
  }
  return made;
}

function cardBack() {
  return drawn(
    "svg",
    { viewBox: "0 0 64 90", class: "kt-card kt-back", "aria-hidden": "true" },
    drawn("rect", { x: 1, y: 1, width: 62, height: 88, rx: 6, class: "kt-face" }),
    drawn("rect", { x: 5, y: 5, width: 54, height: 80, rx: 3, class: "kt-weave" }),
    drawn("path", { d: "M32 23 45 45 32 67 19 45Z", class: "kt-sign" }),
  );
}

/** Cards in a row that overlap as far as the width needs. `null` is a card whose face is not to be seen. */
function hand(cards, words, { label, marked = new Set() } = {}) {
  const half = cards.length > 14 ? Math.ceil(cards.length / 2) : cards.length;
  const box = element("div", { class: "kt-hand", role: "img", "aria-label": label });
  for (let start = 0; start < cards.length || start === 0; start += half || 1) {
    const row = element("div", { class: "kt-row" });
    for (const card of cards.slice(start, start + half)) {
      const place = element("span", { class: `kt-place${marked.has(card) ? " kt-marked" : ""}` });
      place.append(card === null ? cardBack() : cardFace(card, words));
      row.append(place);
    }
    box.append(row);
  }
  return box;
}

/** The table after one step. */
class Board {
  constructor(words, { seats, house }) {
    this.words = words;
    this.seats = seats;
    this.house = house;
  }

  /** `seat` is the seat whose view is shown, or `null` for everything that the frame has. */
  draw(frame, seat) {
    const { seen } = frame;
    this.seen = seen;
    this.frame = frame;
    this.played = new Set(frame.events.filter((event) => event.type === "move").flatMap((event) => event.move.split(" ").slice(1)));
    const near = seat ?? (seen.seat ?? 0);
    const order = this.seats.map((_, number) => (near + number) % this.seats.length);
    const others = element("div", { class: "kt-others" }, ...order.slice(1).map((number) => this.seat(number, seat)));
    return [others, this.centre(), element("div", { class: "kt-near" }, this.seat(near, seat))];
  }

  cards(number, seat) {
    const { seen } = this;
    const size = seen.hand_sizes?.[number] ?? 0;
    if (seen.hands && (seat === null || seat === number)) return seen.hands[number];
    if (seen.seat === number && seen.hand) return seen.hand;
    const known = seen.known?.[number] ?? [];
    return [...known, ...Array(Math.max(0, size - known.length)).fill(null)];
  }

  seat(number, seat) {
    const { words, seen, frame } = this;
    const cards = this.cards(number, seat);
    const over = frame.events.some((event) => event.type === "match_over");
    const turn = seen.to_move === number && !over;
    const team = seen.teams?.findIndex((each) => each.includes(number)) ?? -1;
    const roles = ["attacker", "defender"].filter((role) => seen[role] === number).map((role) => words.get(role));
    if (seen.dealer === number) roles.push(words.get("dealer"));
    if (seen.out?.includes(number)) roles.push(words.get("out"));
    if (seen.defender === number && seen.taking) roles.push(words.get("taking"));
    const facts = element("span", { class: "kt-facts" });
    const clock = frame.clocks?.[number];
    if (clock && !this.house[number]) {
      facts.append(element("span", { class: "kt-clock", title: words.get("bank") }, icon("clock"), words.clock(clock.bank_ms)));
      if (clock.strikes) {
        const strikes = words.get("strikes", { n: clock.strikes });
        facts.append(element("span", { class: "kt-strikes", title: strikes, "aria-label": strikes, role: "img" }, "●".repeat(clock.strikes)));
      }
    }
    if (seen.trumps) facts.append(element("span", {}, `${words.get("own trump")} `, this.suit(seen.trumps[number])));
    if (seen.tricks_taken) facts.append(element("span", {}, words.get("tricks", { n: seen.tricks_taken[number] })));
    if (seen.deal_scores) facts.append(element("span", {}, words.get("points", { n: words.points(seen.deal_scores[number]) })));
    const spoken = cards.map((card) => (card === null ? null : words.spoken(card))).filter((text) => text !== null);
    const hidden = cards.length - spoken.length;
    if (hidden) spoken.push(words.get("hidden cards", { n: hidden }));
    const label = words.get("hand of", { name: words.seat(number), cards: spoken.join(", ") || words.get("no cards") });
    return element(
      "div",
      {
        role: "group",
        class: `kt-seat${turn ? " kt-turn" : ""}${team >= 0 ? ` kt-team-${team}` : ""}${seen.out?.includes(number) ? " kt-out" : ""}`,
        "aria-label": words.seat(number),
      },
      element(
        "div",
        { class: "kt-title" },
        element("span", { class: "kt-name" }, element("bdi", {}, words.seat(number))),
        ...roles.map((role) => element("span", { class: "kt-role" }, role)),
        turn ? element("span", { class: "kt-role kt-asked" }, words.value(seen.question ?? words.get("to move"))) : null,
        element("span", { class: "kt-score", title: words.get("score") }, words.points(seen.scores?.[number] ?? 0)),
      ),
      facts,
      hand(cards, words, { label }),
    );
  }

  suit(suit) {
    return element("span", { class: `kt-suit kt-${suit}`, role: "img", "aria-label": this.words.get(`suit ${suit}`) }, GLYPHS[suit] + "\uFE0E");
  }

  zone(name, content, text = null) {
    return element("figure", { class: `kt-zone kt-zone-${name}` }, content, element("figcaption", {}, text ?? this.words.get(name)));
  }

  one(card, extra = "") {
    const box = element("span", { class: `kt-single${extra}${this.played.has(card) ? " kt-marked" : ""}`, role: "img", "aria-label": card === null ? this.words.get("card back") : this.words.spoken(card) });
    box.append(card === null ? cardBack() : cardFace(card, this.words));
    return box;
  }

  centre() {
    const { seen, words } = this;
    const centre = element("div", { class: "kt-centre" });
    const left = seen.talon ?? seen.stock;
    if (left !== undefined) {
      const stack = element("span", { class: "kt-stack" });
      if (seen.trump_card) stack.append(this.one(seen.trump_card, " kt-under"));
      if (left > (seen.trump_card ? 1 : 0)) stack.append(this.one(null, " kt-over"));
      if (!left) stack.append(element("span", { class: "kt-empty" }));
      const caption = element("span", {}, words.get("talon", { n: left }));
      if (seen.trump) caption.append(" ", words.get("trump"), " ", this.suit(seen.trump));
      centre.append(this.zone("talon", stack, caption));
    }
    if (seen.pairs) {
      const pairs = element("div", { class: "kt-pairs" });
      for (const [attack, beat] of seen.pairs) {
        const pair = element("span", { class: "kt-pair" }, this.one(attack));
        if (beat !== null) pair.append(this.one(beat, " kt-beater"));
        pairs.append(pair);
      }
      centre.append(this.zone("bout", pairs));
    }
    if (seen.pile !== undefined) {
      const pile = element("div", { class: "kt-pile" });
      const pickup = seen.pickup && seen.pickup.length > 1 ? [...seen.pickup].reverse() : null;
      if (pickup) pickup.forEach((card) => pile.append(this.one(card)));
      else if (seen.top) pile.append(element("span", { class: seen.pile > 1 ? "kt-heap" : "" }, this.one(seen.top)));
      else pile.append(element("span", { class: "kt-empty" }));
      const text = [words.get("pile", { n: seen.pile })];
      if (seen.pickup) text.push(words.get("pickup", { n: seen.pickup.length }));
      centre.append(this.zone("pile", pile, text.join(" · ")));
    }
    if (seen.trick) centre.append(this.trick(seen.trick, "trick"));
    if (seen.last_trick?.length) centre.append(this.trick(seen.last_trick, "last trick"));
    if (seen.discard !== undefined) {
      centre.append(this.zone("discard", seen.discard ? element("span", { class: "kt-heap" }, this.one(null)) : element("span", { class: "kt-empty" }), words.get("discard", { n: seen.discard })));
    }
    const facts = this.facts();
    if (facts.length) centre.append(element("p", { class: "kt-terms" }, ...facts.flatMap((fact, at) => (at ? [" · ", fact] : [fact]))));
    return centre;
  }

  trick(plays, name) {
    const box = element("div", { class: "kt-trick" });
    for (const [seat, card] of plays) {
      box.append(element("span", { class: "kt-play" }, this.one(card), element("bdi", { class: "kt-by" }, short(this.words.seat(seat)))));
    }
    if (!plays.length) box.append(element("span", { class: "kt-empty" }));
    return this.zone(name.replace(" ", "-"), box, this.words.get(name));
  }

  facts() {
    const { seen, words } = this;
    const facts = [];
    if (seen.contract) facts.push(element("strong", {}, words.value(seen.contract)));
    if (seen.declared) facts.push(`${words.get("declared")} ${words.value(seen.declared)}`);
    if (seen.trump && seen.talon === undefined && seen.stock === undefined) facts.push(element("span", {}, words.get("trump"), " ", this.suit(seen.trump)));
    if (seen.anti_trump) facts.push(element("span", {}, words.get("anti-trump"), " ", this.suit(seen.anti_trump)));
    if (seen.miser) facts.push(words.get("miser"));
    for (const [name, value] of Object.entries(seen)) {
      if (!SHOWN.has(name) && value !== null && value !== false && value !== "" && !(Array.isArray(value) && !value.length)) {
        facts.push(`${words.get(name)} ${words.value(value)}`);
      }
    }
    return facts;
  }
}

/** The frames of a match, each with the whole table, its deal and the number of its move in that deal. */
class Frames {
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

  find(deal, move) {
    const found = this.list.findIndex((frame) => frame.deal === deal && frame.move >= move && (move > 0 || this.dealt(frame)));
    return found >= 0 ? found : this.list.findLastIndex((frame) => frame.deal <= deal);
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

const isDeal = (frame) => frame.events.some((event) => event.type === "deal");
const isMark = (frame) => frame.events.some((event) => MARKS.has(event.type));
const isTimeout = (frame) => frame.events.some((event) => event.by === "timeout");
/** Where a reviewed move stands in the match. */
const placeOf = ({ deal, move }) => `${deal}/${move}`;
const isNoted = (frame) => frame.events.some((event) => event.note);

class KozyrTable extends HTMLElement {
  connectedCallback() {
    if (this.frames) return;
    this.tv = this.closest("kozyr-tv");
    this.data = { ...this.tv?.shared, ...JSON.parse(this.dataset.table) };
    this.words = new Words(this.data);
    this.group = this.closest("kozyr-tables");
    this.leads = this.tv || this.data.plays ? false : !this.group || this.group.querySelector("kozyr-table") === this;
    this.board = new Board(this.words, this.data);
    this.frames = new Frames();
    this.reviewed = new Map();
    this.at = 0;
    this.remembered = -REMEMBER_MS;
    this.seat = this.data.seat;
    this.following = false;
    this.speed = this.data.speed ?? "real";
    this.build();
    // The text of the page stays until the frames are here. Other elements expect their tables at once.
    if (!this.leads || this.group || this.closest("kozyr-play")) this.place();
    this.start();
  }

  disconnectedCallback() {
    clearTimeout(this.filler);
    clearTimeout(this.timer);
    clearTimeout(this.poller);
    clearTimeout(this.reviewer);
    clearTimeout(this.rememberer);
    this.stream?.close();
    document.removeEventListener("keydown", this.onKey);
  }

  // The parts around the board

  build() {
    const { words } = this;
    this.parts = {
      board: element("div", { class: "kt-board", "data-seats": this.data.seats.length }),
      said: element("p", { class: "kt-said", "aria-live": this.data.plays ? "off" : "polite" }),
      slider: element("input", { type: "range", min: 0, max: 0, value: 0, class: "kt-slider", "aria-label": words.get("position") }),
      count: element("span", { class: "kt-count" }),
      moves: element("ol", { class: "kt-moves", tabindex: 0, "aria-label": words.get("moves") }),
      movesTitle: element("h2", {}, words.get("moves")),
      deals: element("select", { "aria-label": words.get("deal") }),
      speed: element("select", { "aria-label": words.get("speed") }),
      view: element("select", { "aria-label": words.get("view") }),
      live: element("span", { class: "kt-live", role: "status" }),
      marks: drawn("svg", { class: "kt-marks", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }),
    };
    const { parts } = this;
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
    parts.moves.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-at]");
      if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); this.go(Number(link.dataset.at)); }
    });
    this.onKey = (event) => this.key(event);
    if (this.kept("colours") === "4") this.colours();
  }

  /** Put the parts into the page. */
  place() {
    if (this.classList.contains("kt-ready")) return;
    const { parts, words } = this;
    const stage = element("div", { class: "kt-stage" }, parts.board, parts.said);
    if (this.tv || this.data.plays) {
      if (this.data.plays) stage.append(this.buttons.play);
      this.replaceChildren(stage);
    } else if (this.group) {
      if (this.leads) this.group.before(element("div", { class: "kt-shared" }, parts.bar, parts.more), this.help);
      this.replaceChildren(this.querySelector("h2") ?? "", stage);
    } else {
      stage.append(parts.bar, parts.more);
      const side = element("section", { class: "kt-side", "aria-label": words.get("moves") }, parts.movesTitle, parts.moves);
      // The page has the same moves, which stay until this list is filled in a task of its own.
      const shown = this.querySelector(":scope > .kt-side");
      this.replaceChildren(stage, shown ?? side, this.help);
      if (shown) {
        this.filler = setTimeout(() => {
          this.filler = null;
          shown.replaceWith(side);
          const frame = this.frames.list[this.at];
          if (frame) this.listMoves(frame);
        });
      }
    }
    this.removeAttribute("data-table");
    this.classList.add("kt-ready");
    if (this.leads) document.addEventListener("keydown", this.onKey);
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
    } catch {
      this.parts.live.textContent = this.words.get("unreachable");
    }
    await nextTask();
    this.place();
    this.fillDeals();
    const { deal, move } = this.data;
    const linked = new URLSearchParams(this.data.address === "" ? location.hash.slice(1) : "");
    if (linked.has("seat")) this.look(Number(linked.get("seat")));
    if (linked.has("deal")) this.go(this.frames.find(Number(linked.get("deal")), Number(linked.get("move") ?? 0)), { quiet: true });
    else if (deal === null) this.go(this.data.live ? this.frames.list.length - 1 : Math.max(0, this.frames.find(1, 0)), { quiet: true });
    else this.go(this.frames.find(deal, move ?? 0), { quiet: true });
    if (this.data.live && this.data.source) this.follow();
    if (this.data.review) this.review();
    if (this.data.plays && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
  }

  /** Read the review of the match, again and again while it is computed, and mark the mistakes. */
  async review() {
    let found = null;
    try {
      const answer = await fetch(this.data.review, { headers: { Accept: "application/json" } });
      found = answer.ok ? await answer.json() : null;
      if (answer.status === 404) return;
    } catch { /* the next attempt may succeed */ }
    if (found) {
      this.reviewed = new Map(found.moves.map((move) => [placeOf(move), move]));
      this.parts.moves.dataset.key = "";
      this.markMistakes();
      this.show();
      this.parts.live.textContent = found.finished ? "" : this.words.get("reviewing", { done: found.done, total: found.total ?? "?" });
      if (found.finished) return;
    }
    this.reviewer = setTimeout(() => this.review(), POLL_MS);
  }

  /** Draw a tick at each mistake below the slider. */
  markMistakes() {
    const { list } = this.frames;
    const { marks } = this.parts;
    marks.setAttribute("viewBox", `0 0 ${Math.max(1, list.length - 1)} 1`);
    const wide = Math.max(1, list.length) / 200;
    marks.replaceChildren(...list.flatMap((frame, at) => (this.mistaken(frame) ? [drawn("rect", { x: at - wide / 2, y: 0, width: wide, height: 1 })] : [])));
  }

  /** Whether the move of a frame is a mistake by the review. */
  mistaken(frame) {
    return frame.events.some((event) => event.type === "move") && this.reviewed.get(placeOf(frame))?.mistake === true;
  }

  /** The regret of a reviewed move as text, or "". */
  regret(move) {
    if (!move || move.regret === null) return "";
    const [mean, low, high] = [move.regret, move.low, move.high].map((points) => points.toLocaleString(this.words.language, { maximumFractionDigits: 2 }));
    return this.words.get("regret", { mean, low, high }) + (move.best === move.played ? "" : `, ${this.words.get("better", { move: this.words.move(move.best) })}`);
  }

  /** Read all frames that are new. Returns whether there were any. */
  async load() {
    const before = this.frames.last;
    for (;;) {
      const page = await this.page();
      this.frames.add(page.frames);
      this.frames.over = page.over;
      this.dispatchEvent(new CustomEvent("kozyr-frames", { bubbles: true, detail: page }));
      if (page.over || page.frames.length < PAGE) break;
      this.place();
      this.parts.live.textContent = this.words.get("loading", { n: this.frames.list.length });
    }
    this.parts.live.textContent = "";
    return this.frames.last > before;
  }

  /** The next page of frames. A service that is not ready is asked again when it says so. */
  async page() {
    const address = `${this.data.source}?${this.data.all ? "seat=all&" : ""}after=${this.frames.last}&limit=${PAGE}`;
    for (let attempt = 0; ; attempt++) {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (isSessionOver(answer)) throw new SessionOver();
      if (answer.ok) return answer.json();
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
    const atEnd = this.at >= this.frames.list.length - 1;
    try {
      const some = await this.load();
      this.parts.live.textContent = this.words.get("live");
      if (some) {
        this.fillDeals();
        if (atEnd) this.go(this.frames.list.length - 1, { quiet: true });
        else this.show();
      }
      if (this.frames.over) {
        this.stream?.close();
        this.parts.live.replaceChildren(element("a", { href: this.data.replay ?? this.data.address }, this.words.get("over")));
        return;
      }
    } catch (error) {
      if (error instanceof SessionOver) {
        this.stream?.close();
        this.parts.live.replaceChildren(signIn(this.words, this.data));
        return;
      }
      this.parts.live.textContent = this.words.get("unreachable");
    } finally {
      this.refreshing = false;
    }
    if (this.again) this.refresh();
    else this.refreshLater();
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
    deals.hidden = known.size < 2;
    this.parts.slider.max = Math.max(0, this.frames.list.length - 1);
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
    else if (name === "mistake next") to(frames.next(at, 1, (frame) => this.mistaken(frame)));
    else if (name === "mistake back") to(frames.next(at, -1, (frame) => this.mistaken(frame)));
    else if (name === "note next") to(frames.next(at, 1, isNoted));
    else if (name === "faster" || name === "slower") this.change(name === "faster" ? 1 : -1);
    else if (name === "view next") this.turn();
    else if (name === "four colours") this.colours();
    else if (name === "apart") this.go(this.frames.find(frames.list[at].deal, Number(this.group.dataset.apart)));
    else if (name === "help") this.toggleHelp();
  }

  key(event) {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input:not(.kt-slider), textarea, select, [contenteditable]")) return;
    if (this.help.open && event.key !== "?") return;
    const name = ACTIONS[event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key];
    if (!name || !this.offers(name) || (event.key === " " && target.closest?.("button, a, summary"))) return;
    event.preventDefault();
    this.act(name);
  }

  /** Whether an action means anything here. */
  offers(name) {
    if (name.startsWith("mistake")) return Boolean(this.data.review);
    return name !== "apart" || Boolean(this.group?.dataset.apart);
  }

  go(place, { quiet = false } = {}) {
    const most = this.frames.list.length - 1;
    this.at = Math.min(Math.max(0, place), Math.max(0, most));
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
    this.keep("colours", on ? "4" : "2");
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
    if (!frame || this.data.address === null) return;
    clearTimeout(this.rememberer);
    const wait = this.playing ? this.remembered + REMEMBER_MS - performance.now() : 0;
    if (wait > 0) {
      this.rememberer = setTimeout(() => this.remember(), wait);
      return;
    }
    this.remembered = performance.now();
    try {
      history.replaceState(null, "", this.link(frame));
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
    const place = `deal=${frame.deal}&move=${frame.move}${seat}`;
    return this.data.address ? `${this.data.address}?${place}` : `#${place}`;
  }

  kept(name) {
    try { return localStorage.getItem(`kozyr-${name}`); } catch { return null; }
  }

  keep(name, value) {
    try { localStorage.setItem(`kozyr-${name}`, value); } catch { /* a browser that keeps nothing */ }
  }

  // Showing

  show() {
    const { frames, parts, words } = this;
    const frame = frames.list[this.at];
    if (!frame) {
      parts.said.textContent = words.get("not started");
      return;
    }
    parts.board.replaceChildren(...this.board.draw(frame, this.seat));
    const said = frame.events.map((event) => words.event(event)).filter((text) => text);
    const notes = frame.events.filter((event) => event.note).map((event) => element("q", { class: "kt-note" }, element("bdi", {}, event.note)));
    const moved = frame.events.some((event) => event.type === "move");
    const regret = moved ? this.regret(this.reviewed.get(placeOf(frame))) : "";
    const verdict = regret && element("span", { class: `kt-regret${this.mistaken(frame) ? " kt-mistake" : ""}` }, this.mistaken(frame) ? `${words.get("mistake")}: ${regret}` : regret);
    parts.said.replaceChildren(said.join(" · ") || words.get("not started"), ...[...notes, verdict].filter(Boolean).flatMap((note) => [" ", note]));
    parts.slider.value = this.at;
    parts.slider.setAttribute("aria-valuetext", words.get("place", { deal: frame.deal, move: frame.move }));
    parts.count.textContent = words.get("place", { deal: frame.deal, move: frame.move });
    parts.deals.value = frame.deal;
    if (!this.filler) this.listMoves(frame);
    this.dispatchEvent(new CustomEvent("kozyr-step", { bubbles: true, detail: { at: this.at, deal: frame.deal, move: frame.move } }));
  }

  listMoves(frame) {
    const { moves } = this.parts;
    const key = `${frame.deal}/${this.frames.list.length}/${this.seat}`;
    if (moves.dataset.key !== key) {
      moves.dataset.key = key;
      const items = [];
      this.frames.list.forEach((each, at) => {
        if (each.deal === frame.deal) items.push(...this.items(each, at));
      });
      moves.replaceChildren(...items);
      this.parts.movesTitle.textContent = this.words.get("moves of deal", { n: frame.deal, of: frame.seen.deals });
    }
    for (const link of moves.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
    const current = moves.querySelector(`a[data-at="${this.at}"]`);
    current?.setAttribute("aria-current", "step");
    // With the next frame, since asking where the line is computes the layout of the whole page.
    cancelAnimationFrame(this.scroller);
    this.scroller = requestAnimationFrame(() => this.reveal());
  }

  /**
   * Scroll the list to the shown move unless it is in sight. Lines out of sight have estimated heights, so the line may
   * move when those around it are drawn: look again in the next frames.
   */
  reveal(looks = 4) {
    const { moves } = this.parts;
    const line = moves.querySelector("a[aria-current]")?.parentElement;
    if (!line) return;
    const { offsetTop, offsetHeight } = line;
    if (offsetTop < moves.scrollTop || offsetTop + offsetHeight > moves.scrollTop + moves.clientHeight) moves.scrollTop = offsetTop - moves.clientHeight / 2;
    if (looks > 1) this.scroller = requestAnimationFrame(() => this.reveal(looks - 1));
  }

  /** The lines of a frame in the list: its move with time and note, and what followed from it. */
  items(frame, at) {
    const { words } = this;
    return frame.events.flatMap((event) => {
      if (event.type === "move") {
        const time = element("span", { class: "kt-time" });
        if (event.by) time.append(element("strong", { class: "kt-late" }, words.get(`by ${event.by}`)), " ");
        if (event.ms >= 10) time.append(words.seconds(event.ms));
        if (frame.charged) time.append(" ", element("span", { class: "kt-charged", title: words.get("charged") }, `−${words.seconds(frame.charged)}`));
        return [
          element("li", { class: `kt-move kt-by-${event.seat % 12}` },
            element("a", { href: this.link(frame), "data-at": at }, element("span", { class: "kt-no" }, frame.move), element("span", { class: "kt-who" }, element("bdi", {}, short(words.seat(event.seat)))), element("span", { class: "kt-what" }, ...pretty(words.move(event.move)))),
            time,
            this.mistaken(frame) ? element("span", { class: "kt-regret kt-mistake" }, `${words.get("mistake")}: ${this.regret(this.reviewed.get(placeOf(frame)))}`) : null,
            event.note ? element("q", { class: "kt-note" }, element("bdi", {}, event.note)) : null),
        ];
      }
      if (event.type === "deal" || event.type === "deal_over" || event.type === "match_over" || event.type === "forfeited" || MARKS.has(event.type)) {
        const text = words.event(event);
        return text ? [element("li", { class: "kt-between" }, event.type === "deal" ? element("a", { href: this.link(frame), "data-at": at }, text) : text)] : [];
      }
      return [];
    });
  }
}

/** Tables of one duplicate group: all show the same move as the first, and those that differ by then are marked. */
class KozyrTables extends HTMLElement {
  follow(leader) {
    const frame = leader.frames.list[leader.at];
    if (!frame) return;
    const apart = Number(this.dataset.apart || Infinity);
    for (const table of this.querySelectorAll("kozyr-table")) {
      if (!table.frames) continue;
      table.classList.toggle("kt-four", leader.classList.contains("kt-four"));
      table.parentElement.classList.toggle("kt-apart", frame.move >= apart);
      if (table === leader) continue;
      table.seat = leader.seat;
      table.go(table.frames.find(frame.deal, frame.move), { quiet: true });
    }
  }
}

/** Running matches over one stream, because browsers allow six connections to a host. */
class KozyrTv extends HTMLElement {
  connectedCallback() {
    if (this.shared) return;
    this.shared = JSON.parse(this.dataset.words);
    if (this.dataset.stream && "EventSource" in window) {
      this.stream = new EventSource(this.dataset.stream);
      this.stream.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    }
    this.timer = setInterval(() => (document.hidden ? null : this.renew()), RENEW_MS);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    this.stream?.close();
  }

  take({ match, frame }) {
    const table = this.querySelector(`[data-match="${match}"] kozyr-table`);
    if (!table?.frames) return;
    table.frames.list.splice(0, table.frames.list.length - 1);
    table.frames.add([frame]);
    table.go(table.frames.list.length - 1, { quiet: true });
  }

  /** Show the matches that run now. Those that go on keep their tables. */
  async renew() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok || !this.isConnected) return;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("kozyr-tv");
    const ids = (tv) => [...tv.querySelectorAll("[data-match]")].map((each) => each.dataset.match).sort().join();
    if (found && ids(found) !== ids(this)) this.replaceWith(document.importNode(found, true));
  }
}

function short(name) {
  return name.includes("/") ? name.slice(name.indexOf("/") + 1) : name;
}

/** A text with its suits in colour. */
function pretty(text) {
  return text.split(/([♣♦♥♠])/).map((part) => {
    const suit = Object.keys(GLYPHS).find((each) => GLYPHS[each] === part);
    return suit ? element("span", { class: `kt-suit kt-${suit}` }, `${part}\uFE0E`) : part;
  });
}

const ICONS = {
  first: "M5 4h3v16H5zM20 4v16L9 12z", last: "M16 4h3v16h-3zM4 4v16l11-8z", back: "M17 4v16L6 12z", next: "M7 4v16l11-8z",
  clock: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm-1 4h2v6l4 3-1.2 1.6L11 13Z",
  play: "M6 3v18l15-9z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", "deal back": "M12 4v16L2 12zM22 4v16l-10-8z", "deal next": "M2 4v16l10-8zM12 4v16l10-8z",
};

function icon(name) {
  return drawn("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, drawn("path", { d: ICONS[name] }));
}

const KEY_OF = {
  next: "→", back: "←", play: "Space / k", first: "Home", last: "End", "deal next": "Page Down / ]", "deal back": "Page Up / [",
  "mark next": ". / Shift+→", "mark back": ", / Shift+←", "timeout next": "t", "timeout back": "T", "note next": "n", "mistake next": "m", "mistake back": "M", faster: "+", slower: "-",
  "view next": "v", "four colours": "4", apart: "d", help: "?",
};
const ACTIONS = {
  ArrowRight: "next", ArrowLeft: "back", l: "next", h: "back", " ": "play", k: "play", Home: "first", End: "last", PageDown: "deal next", PageUp: "deal back",
  "]": "deal next", "[": "deal back", ".": "mark next", ",": "mark back", "Shift+ArrowRight": "mark next", "Shift+ArrowLeft": "mark back",
  t: "timeout next", T: "timeout back", n: "note next", m: "mistake next", M: "mistake back", "+": "faster", "=": "faster", "-": "slower", v: "view next", 4: "four colours", d: "apart", "?": "help",
};

// Links to a page about the shown place.
document.addEventListener("kozyr-step", ({ detail }) => {
  for (const link of document.querySelectorAll("a[data-follows]")) link.search = `?deal=${detail.deal}&move=${detail.move}`;
});

/** Whether this is the answer to somebody who has lost the session or the seat. */
function isSessionOver(answer) {
  return answer.redirected || [401, 403].includes(answer.status);
}

class SessionOver extends Error {}

/** What somebody can do whose requests are refused: sign in and come back here, or load this page again as a guest. */
function signIn(words, data) {
  const page = location.pathname;
  const { root = "" } = document.documentElement.dataset;
  return data.signed_in
    ? element("a", { href: `${root}/sign-in?next=${encodeURIComponent(page.slice(root.length))}` }, words.get("session over"))
    : element("a", { href: page }, words.get("seat lost"));
}

export { cardFace, element, isSessionOver, pretty, signIn };

customElements.define("kozyr-tables", KozyrTables);
customElements.define("kozyr-tv", KozyrTv);
customElements.define("kozyr-table", KozyrTable);
