// What the table says: `Words` has the texts of one language and of one match.

import { CARD, GLYPHS } from "./cards.js";

/** The texts of one language: words by key, and how cards, seats and times read. */
export class Words {
  constructor(data) {
    this.words = data.words;
    this.game = data.game;
    this.ranks = data.ranks;
    this.seats = data.seats;
    this.you = data.you ?? null;
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

  /** The name at a seat without its owner, unless two would be equal. */
  name(number) {
    const names = this.seats.map(short);
    return names.indexOf(names[number]) === names.lastIndexOf(names[number]) ? names[number] : this.seat(number);
  }

  /** A place in the match as text. */
  place(deal, move) {
    return move === "end" ? this.get("place end", { deal }) : this.get("place", { deal, move });
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

  /** A move as text: what somebody does, or what the reader does if it is the move of their seat. */
  move(text, seat = null) {
    return this.moveWith(text, (word) => this.value(word), " ", seat);
  }

  /** A move, its words after the first as `say` puts them, with `between` where no sentence places them. */
  moveWith(text, say, between, seat = null) {
    const [verb, ...rest] = text.split(" ");
    const said = rest.map(say);
    const person = seat !== null && seat === this.you ? "you " : "";
    const sentence = this.words[`${person}move ${this.game} ${verb} ${rest.length}`];
    if (sentence !== undefined) return sentence.replace(/\{(\d)\}/g, (_, place) => said[place]);
    return [this.words[`${person}move ${verb}`] ?? verb, ...said].join(between);
  }

  /** Whether a move's sentence gives each of its cards a place of its own. */
  places(move) {
    const words = move.split(" ");
    return `move ${this.game} ${words[0]} ${words.length - 1}` in this.words;
  }

  /** An event as a sentence, or "" for one that says nothing by itself. */
  event(event) {
    if (event.type === "move") return `${this.seat(event.seat)}${event.seat === this.you ? "" : ":"} ${this.move(event.move, event.seat)}${this.by(event)}`;
    const key = `event ${event.type}`;
    const template = this.words[key + this.person(event)] ?? this.words[key];
    if (template === undefined) return "";
    return template.replace(/\{(\w+)\}/g, (_, name) => {
      if (["seat", "attacker", "defender", "giver", "receiver", "dealer"].includes(name)) return this.seat(event[name]);
      if (name === "returns" || name === "scores") return event[name].map((points, seat) => `${this.seat(seat)} ${this.value(points)}`).join(", ");
      return this.value(event[name]);
    });
  }

  /** What the key of an event about the reader ends with. */
  person(event) {
    if (this.you === null) return "";
    if (["seat", "attacker", "giver", "dealer"].some((name) => event[name] === this.you)) return " you";
    return ["defender", "receiver"].some((name) => event[name] === this.you) ? " to you" : "";
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
    const parts = [Math.floor(whole / 60) % 60, whole % 60];
    if (whole >= 3600) parts.unshift(Math.floor(whole / 3600));
    return parts.map((part, place) => (place ? String(part).padStart(2, "0") : part)).join(":");
  }

  points(number) {
    return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0";
  }
}

export function short(name) {
  return name.includes("/") ? name.slice(name.indexOf("/") + 1) : name;
}
