// The table after one step.

import { cardBack, cardFace, hand, GLYPHS } from "./cards.js";
import { element, icon } from "./dom.js";

// Members of an observation that have a place of their own at the table, or say nothing to somebody who watches.
const SHOWN = new Set(
  ("game deal deals dealer scores seat hand hands hand_sizes to_move question legal_moves factored_moves free_moves known out teams " +
    "trump trump_card talon stock discard pairs pile top pickup under trick last_trick tricks_taken taken deal_scores " +
    "contract declared miser attacker defender entitled taking room trumps given moves_made turn_limit anti_trump " +
    "lowest_rank whole_pile").split(" "),
);

/** The table after one step. */
export class Board {
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
      // A person without a bank has a clock only while it runs.
      const time = element("time", { role: "timer" }, clock.bank_ms ? words.clock(clock.bank_ms) : "");
      if (clock.bank_ms || turn) facts.append(element("span", { class: "kt-clock", title: words.get("bank") }, icon("clock"), time));
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
        "data-seat": number,
        class: `kt-seat${turn ? " kt-turn" : ""}${team >= 0 ? ` kt-team-${team}` : ""}${seen.out?.includes(number) ? " kt-out" : ""}`,
        "aria-label": words.seat(number),
      },
      element(
        "div",
        { class: "kt-title" },
        element("span", { class: "kt-name", title: words.seat(number) }, element("bdi", {}, words.name(number))),
        ...roles.map((role) => element("span", { class: "kt-role" }, role)),
        element("span", { class: "kt-size", "aria-hidden": "true" }, cards.length),
        turn ? element("span", { class: "kt-role kt-asked" }, words.value(seen.question ?? words.get("to move"))) : null,
        element("span", { class: "kt-score", title: words.get("score") }, words.points(seen.scores?.[number] ?? 0)),
      ),
      facts,
      hand(cards, words, { label, trump: this.trump(number) }),
    );
  }

  /** The suit of a seat's trumps, or of everybody's. */
  trump(number) {
    return this.seen.trumps?.[number] ?? this.seen.trump ?? null;
  }

  suit(suit) {
    return element("span", { class: `kt-suit kt-${suit}`, role: "img", "aria-label": this.words.get(`suit ${suit}`) }, GLYPHS[suit] + "\uFE0E");
  }

  zone(name, content, text = null) {
    return element("figure", { class: `kt-zone kt-zone-${name}` }, content, element("figcaption", {}, text ?? this.words.get(name)));
  }

  one(card, extra = "") {
    const box = element("span", { class: `kt-single${extra}${this.played.has(card) ? " kt-marked" : ""}`, role: "img", "aria-label": card === null ? this.words.get("card back") : this.words.spoken(card) });
    box.append(card === null ? cardBack() : cardFace(card, this.words, this.seen.trump));
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
    // The trick that has just been taken stays in the middle until the next step.
    const taken = this.frame.events.some((event) => event.type === "trick_over") && !seen.trick?.length;
    if (seen.trick) centre.append(this.trick(taken ? seen.last_trick : seen.trick, "trick"));
    if (seen.last_trick?.length && !taken) centre.append(this.trick(seen.last_trick, "last trick"));
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
      box.append(element("span", { class: "kt-play" }, this.one(card), element("bdi", { class: "kt-by" }, this.words.name(seat))));
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
