// What the table says: `Words` has the texts of one language and of one match.

import { CARD, GLYPHS } from "./cards.js";

/** The texts of one language: words by key, and how cards, seats and times read. */
export class Words {
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

export function short(name) {
  return name.includes("/") ? name.slice(name.indexOf("/") + 1) : name;
}
