// A person's match: `<kozyr-play>` holds the card table and the panel with the legal moves.
//
// It knows no rules. The table's frames have the legal moves of the person's seat; this module shows them as buttons
// with the person's cards, sends the chosen one, announces what the others did, and keeps the focus where it was. The
// same panel works without scripts as forms.

import { cardFace, pretty } from "./cards.js";
import { element } from "./dom.js";
import { isSessionOver, signIn } from "./table.js";

const CARD = /^[2-9TJQKA][CDHS]$/;
const cardsOf = (move) => move.split(" ").filter((word) => CARD.test(word));

/** A text for screen readers. */
const aloud = (text) => element("span", { class: "hidden-label" }, text);

class KozyrPlay extends HTMLElement {
  connectedCallback() {
    if (this.table) return;
    this.table = this.querySelector("kozyr-table");
    this.panel = this.querySelector(".play-panel");
    this.status = this.panel.querySelector("h2");
    this.live = this.panel.querySelector(".play-live");
    this.words = this.table.words;
    this.seat = this.table.data.seat;
    this.code = document.querySelector("input[name=code]")?.value;
    this.selected = new Set();
    this.told = -1;
    this.parts = {
      hand: element("div", { class: "play-hand", role: "group", "aria-label": this.words.get("your cards") }),
      moves: element("div", { class: "play-moves", role: "group", "aria-label": this.words.get("legal moves") }),
      free: element("div", { class: "play-free", role: "group", "aria-label": this.words.get("free moves") }),
      problem: element("p", { class: "play-problem bad", role: "alert" }),
      log: element("div", { class: "play-log", role: "log", "aria-live": "polite", tabindex: 0, "aria-label": this.words.get("since") }),
    };
    const { hand, moves, free, problem, log } = this.parts;
    this.live.replaceChildren(hand, moves, free, problem);
    this.table.querySelector(".kt-board").after(log, this.panel);
    this.table.parts.said.removeAttribute("aria-live");
    this.classList.add("play-ready");
    hand.addEventListener("click", (event) => this.select(event.target.closest("button")));
    hand.addEventListener("keydown", (event) => this.walk(event));
    moves.addEventListener("click", (event) => this.choose(event.target.closest("button"), false));
    free.addEventListener("click", (event) => this.choose(event.target.closest("button"), true));
    this.addEventListener("kozyr-frames", ({ detail }) => this.take(detail));
  }

  /** A page of frames has come: show what may be done now, once the last page is here. */
  take(page) {
    this.page = page;
    if (!this.table.frames.list.length) return;
    this.announce();
    const key = `${page.deal}/${page.turn}/${page.over}/${JSON.stringify(this.moves())}`;
    if (key === this.key) return;
    this.key = key;
    this.selected.clear();
    this.draw();
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
  announce() {
    const { list } = this.table.frames;
    const own = list.findLastIndex((frame) => frame.events.some((event) => event.type === "move" && event.seat === this.seat && event.by !== "continued"));
    if (own > this.told) this.parts.log.replaceChildren();
    const from = Math.max(this.told + 1, own, list.length - 60);
    for (const frame of list.slice(from)) {
      const texts = frame.events.map((event) => this.words.event(event)).filter((text) => text);
      if (texts.length) this.parts.log.append(element("p", {}, ...pretty(texts.join(" · "))));
    }
    this.told = list.length - 1;
  }

  draw() {
    const { parts, words } = this;
    const focused = this.panel.contains(document.activeElement) ? document.activeElement : null;
    const same = focused?.closest(".play-hand") ? focused.value : null;
    const { legal, free } = this.moves();
    const useful = new Set(legal.flatMap(cardsOf));
    const shown = legal.filter((move) => [...this.selected].every((card) => cardsOf(move).includes(card)));
    this.status.textContent = this.heading();
    const cards = this.page.over ? [] : this.seen().hand ?? [];
    parts.hand.replaceChildren(...cards.map((card) => this.card(card, useful.has(card))));
    parts.moves.replaceChildren(...shown.map((move) => this.button(move, shown.length === 1 && this.selected.size > 0)));
    if (this.selected.size) parts.moves.append(element("button", { type: "button", class: "plain play-all", value: "" }, words.get("deselect")));
    parts.free.replaceChildren(...free.map((move) => this.button(move, false)));
    if (this.page.over) {
      document.querySelector(".play-resign")?.remove();
      // The page of a finished match has this link already.
      if (!document.querySelector(".play-after .button")) parts.moves.append(element("a", { class: "button", href: this.table.data.replay }, words.get("over")));
    }
    parts.moves.hidden = !parts.moves.childNodes.length;
    parts.free.hidden = !free.length;
    parts.hand.hidden = !cards.length;
    if (focused) (parts.hand.querySelector(`button[value="${same}"]`) ?? parts.moves.querySelector("button, a") ?? this.status).focus();
  }

  heading() {
    const { words, page } = this;
    const seen = this.seen();
    if (page.over) return page.result ?? words.get("match over");
    if (page.turn !== null) return words.get("your move", { question: words.value(seen.question ?? "play") });
    return words.get("waiting for", { name: seen.to_move === null || seen.to_move === undefined ? "…" : words.seat(seen.to_move) });
  }

  card(card, useful) {
    const pressed = this.selected.has(card);
    return element(
      "button",
      { type: "button", class: "play-card", value: card, "aria-pressed": String(pressed), "aria-disabled": useful ? null : "true" },
      cardFace(card, this.words),
      aloud(this.words.spoken(card)),
    );
  }

  button(move, sure) {
    const spoken = this.words.moveWith(move, (word) => (CARD.test(word) ? this.words.spoken(word) : this.words.value(word)), ", ");
    return element("button", { type: "button", class: `play-move${sure ? " play-sure" : ""}`, value: move }, element("span", { "aria-hidden": "true" }, ...pretty(this.words.move(move))), aloud(spoken));
  }

  select(button) {
    if (!button || button.getAttribute("aria-disabled")) return;
    if (!this.selected.delete(button.value)) this.selected.add(button.value);
    const { legal } = this.moves();
    // A card that goes with none of the others is a new choice.
    if (!legal.some((move) => [...this.selected].every((card) => cardsOf(move).includes(card)))) this.selected = new Set([button.value]);
    this.draw();
  }

  /** The arrow keys walk through the cards, and don't step through the match meanwhile. */
  walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const cards = [...this.parts.hand.children];
    cards[(cards.indexOf(document.activeElement) + step + cards.length) % cards.length]?.focus();
  }

  choose(button, free) {
    if (!button) return;
    if (button.classList.contains("play-all")) {
      this.selected.clear();
      this.draw();
    } else this.send(button.value, free);
  }

  /** Send a move. A repeated request changes nothing, so a lost answer is asked for again by another click. */
  async send(move, free) {
    if (this.sending) return;
    this.sending = true;
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
  }
}

customElements.define("kozyr-play", KozyrPlay);
