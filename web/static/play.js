// A person's match: `<kozyr-play>` lets the person's cards lie on the card table and be played.
//
// It knows no rules. The table's frames have the legal moves of the person's seat. A card that decides the move is
// played; otherwise the cards that may come next light up. Moves without a card, and those that the chosen cards leave
// open, are buttons. The same moves work without scripts as forms.

import { cardFace, pretty, trumpsLast } from "./cards.js";
import { Choice } from "./choice.js";
import { element, keep, kept } from "./dom.js";
import { Hints } from "./hints.js";
import { PACES } from "./motion.js";
import { whyNot } from "./reasons.js";
import { sound, soundsOn } from "./sounds.js";
import { isSessionOver, signIn } from "./table.js";

const TAKE_BACK_MS = 1000;

/** A text for screen readers. */
const aloud = (text) => element("span", { class: "hidden-label" }, text);

class KozyrPlay extends HTMLElement {
  connectedCallback() {
    if (this.table) return;
    this.table = this.querySelector("kozyr-table");
    this.panel = this.querySelector(".play-panel");
    this.status = this.panel.querySelector("h2");
    this.words = this.table.words;
    this.seat = this.words.you;
    // A puzzle or study has one question. The address of the next page begins with `answers` and ends with the move.
    if (this.dataset.answers) this.page = { turn: 1, deal: this.table.data.deal, over: false };
    this.code = document.querySelector("input[name=code]")?.value;
    this.told = -1;
    this.build();
    this.fit();
    addEventListener("resize", () => this.fit());
    this.addEventListener("kozyr-frames", ({ detail }) => this.take(detail));
    this.addEventListener("kozyr-step", ({ detail }) => this.step(detail));
    this.addEventListener("kozyr-stopped", ({ detail }) => this.parts.problem.replaceChildren(detail));
    this.addEventListener("keydown", (event) => this.key(event));
    this.addEventListener("kozyr-hint", () => this.hints.ask());
    // The table may have shown its first frames before this module was loaded.
    if (this.table.latest) this.take(this.table.latest);
    if (this.table.shown >= 0) this.step({ at: this.table.at });
  }

  disconnectedCallback() {
    clearTimeout(this.sender);
  }

  build() {
    const { words } = this;
    this.parts = {
      hand: element("div", { class: "play-hand", role: "group", "aria-label": words.get("your cards") }),
      moves: element("div", { class: "play-moves", role: "group", "aria-label": words.get("legal moves") }),
      problem: element("p", { class: "play-problem", role: "alert" }),
      log: element("div", { class: "play-log", role: "log", "aria-live": "polite", tabindex: 0, "aria-label": words.get("since") }),
    };
    this.hints = new Hints(this);
    const { hand, moves, problem, log } = this.parts;
    const { board, said, more } = this.table.parts;
    board.append(hand);
    this.panel.querySelector(".play-live").replaceChildren(moves, this.hints.said, problem);
    this.table.querySelector(".kt-stage").prepend(element("div", { class: "play-screen" }, board, log, this.panel));
    said.removeAttribute("aria-live");
    if (!this.dataset.answers) more.append(...this.settings());
    this.classList.add("play-ready");
    board.addEventListener("click", ({ target }) => this.pick(target.closest(".play-card") ?? target.closest("[data-card]")));
    moves.addEventListener("click", ({ target }) => target.closest("button")?.act?.());
  }

  /** What this browser keeps: how a move is sent, the pace, sounds. */
  settings() {
    const { words } = this;
    const choice = (name, label, options, usual) => {
      const made = element("select", { "aria-label": words.get(label) }, ...options.map(([value, text]) => new Option(text, value)));
      made.value = kept(name) ?? usual;
      made.addEventListener("change", () => keep(name, made.value));
      return element("label", {}, `${words.get(label)} `, made);
    };
    const ways = ["second", "ask", "now"].map((way) => [way, words.get(`sending ${way}`)]);
    const paces = PACES.map((pace) => [pace, pace ? words.get("pace n", { n: pace.toLocaleString(words.language) }) : words.get("pace 0")]);
    const sounds = element("button", { type: "button", class: "kt-button kt-text", "aria-pressed": String(soundsOn()) }, words.get("sounds"));
    sounds.addEventListener("click", () => {
      keep("sounds", soundsOn() ? "off" : "on");
      sounds.setAttribute("aria-pressed", String(soundsOn()));
      sound("card");
    });
    return [choice("sending", "sending", ways, "second"), choice("pace", "pace", paces, "0.5"), sounds];
  }

  /** Let the table and the choices fill what the header leaves of the window. */
  fit() {
    this.style.setProperty("--above", `${Math.round(this.getBoundingClientRect().top + scrollY)}px`);
  }

  /** A page of frames has come. The steps follow as they are shown. */
  take(page) {
    this.page = page;
    if (!this.table.late && this.table.at >= this.table.frames.list.length - 1) this.ask();
  }

  /** The table shows a step: announce what it brings, and ask once it is the last one. */
  step({ at, forward }) {
    const { list } = this.table.frames;
    const behind = Boolean(this.table.late) || at < list.length - 1;
    if (at > this.told) this.announce(at);
    this.classList.toggle("play-back", behind && at < this.told);
    if (behind && at >= this.told) this.wait(list[at].seen);
    if (!behind) this.ask();
    if (forward) sound("card");
  }

  /** The table after the last step, as the person's seat sees it. */
  seen() {
    return this.table.frames.list.at(-1).seen;
  }

  moves() {
    const { legal_moves: legal = [], free_moves: free = [] } = this.seen();
    return { legal: this.page.turn === null ? [] : legal, free: this.page.over ? [] : free };
  }

  /** Say what happened since the person's own last move, each event once. */
  announce(at) {
    const { list } = this.table.frames;
    const isOwn = (frame) => frame.events.some((event) => event.type === "move" && event.seat === this.seat && event.by !== "continued");
    const own = list.slice(0, at + 1).findLastIndex(isOwn);
    if (own > this.told) this.parts.log.replaceChildren();
    for (const frame of list.slice(Math.max(this.told + 1, own, at - 60), at + 1)) {
      const texts = frame.events.map((event) => this.words.event(event)).filter((text) => text);
      if (texts.length) this.parts.log.append(element("p", {}, ...pretty(texts.join(" · "))));
    }
    this.parts.log.scrollTop = this.parts.log.scrollHeight;
    this.told = at;
  }

  /** Show the hand while the others move. */
  wait(seen) {
    this.choice = null;
    this.status.textContent = this.heading(seen, null);
    this.draw(seen, []);
  }

  /** Ask for a move, unless this question stands already. */
  ask() {
    if (!this.page || !this.table.frames.list.length) return;
    const { legal, free } = this.moves();
    const key = `${this.page.deal}/${this.page.turn}/${this.page.over}/${this.seen().to_move}/${JSON.stringify([legal, free])}`;
    if (key === this.question && this.choice) return;
    const asked = key !== this.question && (legal.length || this.page.over);
    this.question = key;
    this.takeBack();
    const seen = this.seen();
    this.choice = new Choice(this.words, legal, seen.hand ?? []);
    if (this.page.over) this.end();
    if (asked) sound(this.page.over ? "over" : "turn");
    this.show();
  }

  /** The match is over: a rematch takes the place of the resignation. */
  end() {
    document.querySelector(".play-resign")?.remove();
    const again = document.querySelector(".play-again");
    again.hidden = false;
    const ways = document.querySelector(".play-ways");
    if (ways && this.page.before) {
      for (const way of ways.querySelectorAll("[data-way]")) way.textContent = this.page[way.dataset.way];
      ways.hidden = false;
      this.panel.append(ways);
    }
    this.panel.append(again);
  }

  /** Show the choices that are open now. */
  show() {
    const { choice, words } = this;
    const { free } = this.moves();
    const { open, picked } = choice;
    this.status.textContent = picked.length ? words.get("next card") : this.heading(this.seen(), this.page.turn);
    const bare = (move) => !move.split(" ").some((word) => choice.hand.has(word));
    const buttons = open.filter(picked.length ? (move) => this.isWhole(move) : bare).map((move) => this.button(move, false, picked.length > 0));
    if (picked.length) buttons.push(this.act("plain", words.get("deselect"), () => this.deselect()));
    else buttons.push(...free.map((move) => this.button(move, true)), ...this.hints.buttons());
    // The page of a finished match has this link already.
    if (this.page.over && !document.querySelector(".play-after .button")) buttons.push(element("a", { class: "button plain", href: this.table.data.replay }, words.get("over")));
    this.draw(this.seen(), buttons);
  }

  /** Whether the chosen cards are all that a move plays from the hand. */
  isWhole(move) {
    const { hand, picked } = this.choice;
    return move.split(" ").filter((word) => hand.has(word)).length === picked.length;
  }

  heading(seen, turn) {
    const { words, page } = this;
    if (page.over && seen === this.seen()) return page.result ?? words.get("match over");
    if (turn !== null) return words.get("your move", { question: words.value(seen.question ?? "play") });
    return words.get("waiting for", { name: seen.to_move === null || seen.to_move === undefined ? "…" : words.seat(seen.to_move) });
  }

  /** Draw the hand and these buttons, and keep the focus where it was. */
  draw(seen, buttons) {
    const { parts, choice } = this;
    const focused = this.contains(document.activeElement) ? document.activeElement : null;
    const inside = focused?.closest(".play-hand, .play-moves") || focused === this.status ? focused : null;
    const same = inside?.closest(".play-hand") ? inside.value : null;
    const trump = seen.trumps?.[this.seat] ?? seen.trump ?? null;
    const cards = this.page?.over && seen === this.seen() ? [] : trumpsLast(seen.hand ?? [], trump);
    parts.hand.replaceChildren(...cards.map((card) => this.card(card, seen, trump)));
    parts.hand.style.setProperty("--cards", cards.length);
    parts.hand.hidden = !cards.length;
    parts.moves.replaceChildren(...buttons);
    const next = choice?.picked.length ? choice.next() : new Set();
    for (const card of this.table.parts.scene.querySelectorAll(".kt-centre [data-card]")) card.classList.toggle("play-next", next.has(card.dataset.card));
    this.hints.draw();
    if (inside) this.focusOn(parts.hand.querySelector(`button[value="${same}"]:not([aria-disabled])`));
  }

  focusOn(card) {
    const { hand, moves } = this.parts;
    (card ?? hand.querySelector("button:not([aria-disabled])") ?? moves.querySelector("button, a") ?? this.status).focus();
  }

  card(card, seen, trump) {
    const { choice, words } = this;
    const why = this.why(card, seen);
    const pressed = Boolean(choice?.picked.includes(card));
    return element(
      "button",
      { type: "button", class: `play-card${choice?.next().has(card) && choice.picked.length ? " play-next" : ""}`, value: card, "aria-pressed": String(pressed), "aria-disabled": why ? "true" : null, title: why },
      cardFace(card, words, trump),
      aloud(why ? `${words.spoken(card)}: ${why}` : words.spoken(card)),
    );
  }

  /** Why a card can't be chosen, or `null` if it can. */
  why(card, seen) {
    if (this.choice?.allows(card)) return null;
    if (this.choice?.legal.length) return whyNot(card, seen, this.words);
    return this.page?.over ? this.words.get("why over") : this.words.get("why turn", { name: this.words.seat(seen.to_move ?? this.seat) });
  }

  button(move, free, sure = false) {
    const { words } = this;
    const spoken = words.moveWith(move, (word) => (/^[2-9TJQKA][CDHS]$/.test(word) ? words.spoken(word) : words.value(word)), ", ", this.seat);
    const made = this.act(`play-move${sure ? " play-sure" : ""}`, "", () => this.decide(move, free));
    made.value = move;
    made.append(element("span", { "aria-hidden": "true" }, ...pretty(words.move(move, this.seat))), aloud(spoken));
    return made;
  }

  act(kind, text, act) {
    return Object.assign(element("button", { type: "button", class: kind }, text), { act });
  }

  /** A card of the hand or of the table was clicked. */
  pick(target) {
    const card = target?.value ?? target?.dataset.card;
    if (!card || this.pending) return;
    const own = target.classList.contains("play-card");
    this.parts.problem.textContent = "";
    if (!own && !this.choice?.next().has(card)) return;
    const why = this.why(card, this.seen());
    if (why) {
      this.parts.problem.textContent = `${this.words.card(card)}: ${why}`;
      return;
    }
    const decided = this.choice.pick(card);
    if (decided) this.decide(decided, false);
    else this.show();
  }

  deselect() {
    this.choice.picked = [];
    this.show();
  }

  /** Arrow keys walk through the cards, and don't step through the match meanwhile. Escape takes back. */
  key(event) {
    if (event.key === "Escape" && (this.pending || this.choice?.picked.length)) this.takeBack(true);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !event.target.closest(".play-hand")) return;
    event.preventDefault();
    event.stopPropagation();
    const cards = [...this.parts.hand.children];
    cards[(cards.indexOf(document.activeElement) + step + cards.length) % cards.length]?.focus();
  }

  /** A move is chosen: send it now, in a second, or once it is confirmed. */
  decide(move, free) {
    const way = this.dataset.answers ? "now" : kept("sending") ?? "second";
    if (way === "now") {
      this.send(move, free);
      return;
    }
    this.pending = { move, free };
    this.choice.picked = move.split(" ").filter((word) => this.choice.hand.has(word));
    this.status.textContent = this.words.get("about to", { move: this.words.move(move, this.seat) });
    const back = this.act(`play-take-back${way === "second" ? " play-running" : ""}`, this.words.get("take back"), () => this.takeBack(true));
    const yes = way === "ask" ? [this.act("play-confirm", this.words.get("confirm"), () => this.sendPending())] : [];
    this.draw(this.seen(), [...yes, back]);
    (yes[0] ?? back).focus({ preventScroll: true });
    if (way === "second") this.sender = setTimeout(() => this.sendPending(), TAKE_BACK_MS);
  }

  takeBack(show = false) {
    clearTimeout(this.sender);
    this.pending = null;
    if (!show) return;
    this.deselect();
    this.focusOn(null);
  }

  sendPending() {
    const { move, free } = this.pending;
    this.takeBack();
    this.status.tabIndex = -1;
    this.send(move, free);
  }

  /** Send a move. A repeated request changes nothing, so a lost answer is asked for again by another click. */
  async send(move, free) {
    if (this.sending) return;
    this.sending = true;
    if (this.dataset.answers) {
      location.assign(this.dataset.answers + encodeURIComponent(move));
      return;
    }
    this.parts.problem.textContent = "";
    const { turn, deal } = this.page;
    const body = new URLSearchParams({ code: this.code, move, ...(free ? { deal } : { turn }) });
    try {
      const answer = await fetch(this.dataset.moves, { method: "POST", body, headers: { Accept: "application/json" } });
      if (isSessionOver(answer)) this.parts.problem.replaceChildren(signIn(this.words, this.table.data));
      else if (!answer.ok) {
        const refused = await answer.json().catch(() => null);
        this.parts.problem.textContent = refused?.title ?? this.words.get("not sent");
      }
      this.table.go(Infinity, { quiet: true });
      await this.table.refresh();
    } catch {
      this.parts.problem.textContent = this.words.get("not sent");
    } finally {
      this.sending = false;
    }
    if (this.choice?.picked.length) this.deselect();
  }
}

customElements.define("kozyr-play", KozyrPlay);
