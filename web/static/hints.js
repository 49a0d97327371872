// The hint for the open question of a person's match: its button, what it says, and the cards that it marks.

import { pretty } from "./cards.js";
import { element } from "./dom.js";
import { isSessionOver, signIn } from "./table.js";

const POLL_MS = 1000;

export class Hints {
  constructor(play) {
    this.play = play;
    this.said = element("p", { class: "play-hint", role: "status" });
    this.take(play.table.data.hint ?? null);
  }

  /** The hint for the open question, or its state while it waits; `null` if nobody has asked. */
  get current() {
    const { page } = this.play;
    return page?.turn !== null && this.found?.turn === page?.turn ? this.found : null;
  }

  /** The button that asks for a hint, where there may be one. */
  buttons() {
    const { choice, page, table, words } = this.play;
    if (!table.data.hints || page.turn === null || choice.legal.length < 2 || this.current?.may_ask === false) return [];
    const made = this.play.act("plain play-ask-hint", words.get("hint"), () => this.ask());
    made.title = `${words.get("do hint")} (i)`;
    made.setAttribute("aria-keyshortcuts", "i");
    return [made];
  }

  /** Ask for a hint, if one may be asked for and no move is about to be sent. */
  ask() {
    const { choice, code, page, pending } = this.play;
    if (!page || !choice || pending || !this.buttons().length) return;
    this.read({ method: "POST", body: new URLSearchParams({ code }) });
  }

  async read(request = {}) {
    clearTimeout(this.timer);
    const { parts, table, words } = this.play;
    try {
      const answer = await fetch(table.data.hints, { ...request, headers: { Accept: "application/json" } });
      if (isSessionOver(answer)) parts.problem.replaceChildren(signIn(words, table.data));
      else if (answer.ok) this.take(await answer.json());
      else throw new Error(String(answer.status));
    } catch {
      parts.problem.textContent = words.get("hint failed");
    }
  }

  /** A hint has come, or the news that it waits: then ask again. */
  take(found) {
    this.found = found;
    if (found?.waits) this.timer = setTimeout(() => this.read(), POLL_MS);
    if (this.play.choice && !this.play.pending) this.play.show();
  }

  /** Say the hint and mark what it plays. */
  draw() {
    const { parts, table } = this.play;
    const { text = "", move = null } = this.current ?? {};
    if (this.said.textContent !== text) this.said.replaceChildren(...pretty(text));
    const words = move?.split(" ") ?? [];
    for (const each of parts.hand.children) each.classList.toggle("play-hinted", words.includes(each.value));
    for (const each of parts.moves.children) each.classList.toggle("play-hinted", move !== null && each.value === move);
    for (const each of table.parts.scene.querySelectorAll(".kt-centre [data-card]")) each.classList.toggle("play-hinted", words.includes(each.dataset.card));
  }
}
