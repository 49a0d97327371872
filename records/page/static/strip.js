// What happened lately in a running match, besides the moves: who took, what was beaten off, whose trick it was.

import { pretty } from "./cards.js";
import { element } from "./dom.js";

const TOLD = new Set(["deal", "dealt", "taken", "beaten_off", "transferred", "exchanged", "given", "trick_over", "out", "forfeited", "deal_over"]);
const MOST = 8;

export class Strip {
  constructor(words) {
    this.words = words;
    this.list = element("ol", { class: "kt-strip", tabindex: 0, "aria-label": words.get("events"), hidden: true });
  }

  /** Show the events of the deal up to a step, the last one first. */
  show(frames, at) {
    const { deal } = frames[at];
    const told = [];
    for (let place = at; place >= 0 && frames[place].deal === deal && told.length < MOST; place--) {
      told.push(...[...frames[place].events].reverse().map((event) => this.text(event)).filter((text) => text));
    }
    this.list.replaceChildren(...told.slice(0, MOST).map((text) => element("li", {}, ...pretty(text))));
    this.list.hidden = !told.length;
  }

  text(event) {
    const { words } = this;
    if (event.type === "dealt") return event.contract ? words.get("contract is", { contract: words.value(event.contract) }) : "";
    if (event.type === "move") return event.move.startsWith("declare ") ? words.event(event) : "";
    return TOLD.has(event.type) ? words.event(event) : "";
  }
}
