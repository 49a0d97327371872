// The list of the moves of a deal beside the table.

import { pretty } from "./cards.js";
import { element } from "./dom.js";
import { MARKS } from "./frames.js";

export class MoveList {
  constructor(table) {
    this.table = table;
    this.title = element("h2", {}, table.words.get("moves"));
    this.list = element("ol", { class: "kt-moves", tabindex: 0, "aria-label": table.words.get("moves") });
    this.list.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-at]");
      if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); table.go(Number(link.dataset.at)); }
    });
  }

  /** List the moves of all deals while the page is printed, and then those of the shown deal again. */
  print(begins) {
    const { frames, at } = this.table;
    this.printing = begins;
    if (frames.list.length) this.show(frames.list[at]);
  }

  /** Fill the list again at the next step. */
  clear() {
    this.list.dataset.key = "";
  }

  show(frame) {
    const { frames, at, seat } = this.table;
    const { list: moves } = this;
    const { end } = this.table;
    const key = `${this.printing || frame.deal}/${frames.list.length}/${end}/${seat}`;
    if (moves.dataset.key !== key) {
      moves.dataset.key = key;
      const items = [];
      frames.list.forEach((each, place) => {
        if (place <= end && (this.printing || each.deal === frame.deal)) items.push(...this.items(each, place));
      });
      moves.replaceChildren(...items);
      this.title.textContent = this.table.words.get("moves of deal", { n: frame.deal, of: frame.seen.deals });
    }
    for (const link of moves.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
    moves.querySelector(`a[data-at="${at}"]`)?.setAttribute("aria-current", "step");
    // With the next frame, since asking where the line is computes the layout of the whole page.
    cancelAnimationFrame(this.scroller);
    this.scroller = requestAnimationFrame(() => this.reveal());
  }

  /**
   * Scroll the list to the shown move unless it is in sight. Lines out of sight have estimated heights, so the line may
   * move when those around it are drawn: look again in the next frames.
   */
  reveal(looks = 4) {
    const { list: moves } = this;
    const line = [...moves.querySelectorAll("a")].findLast((link) => Number(link.dataset.at) <= this.table.at)?.parentElement;
    if (!line) {
      moves.scrollTop = 0;
      return;
    }
    const { offsetTop, offsetHeight } = line;
    if (offsetTop < moves.scrollTop || offsetTop + offsetHeight > moves.scrollTop + moves.clientHeight) moves.scrollTop = offsetTop - moves.clientHeight / 2;
    if (looks > 1) this.scroller = requestAnimationFrame(() => this.reveal(looks - 1));
  }

  /** The lines of a frame in the list: its move with time and note, and what followed from it. */
  items(frame, at) {
    const { words, review } = this.table;
    return frame.events.flatMap((event) => {
      if (event.type === "move") {
        const time = element("span", { class: "kt-time" });
        if (event.by) time.append(element("strong", { class: "kt-late" }, words.get(`by ${event.by}`)), " ");
        if (event.ms >= 10) time.append(words.seconds(event.ms));
        if (frame.charged) time.append(" ", element("span", { class: "kt-charged", title: words.get("charged") }, `−${words.seconds(frame.charged)}`));
        return [
          element("li", { class: `kt-move kt-by-${event.seat % 12}` },
            element("a", { href: this.table.link(frame), "data-at": at }, element("span", { class: "kt-no" }, frame.move), element("span", { class: "kt-who" }, element("bdi", {}, words.name(event.seat))), element("span", { class: "kt-what" }, ...pretty(words.move(event.move, event.seat)))),
            time,
            review.mistaken(frame) ? element("span", { class: "kt-regret kt-mistake" }, `${words.get("mistake")}: ${review.regret(frame)}`) : null,
            event.note ? element("q", { class: "kt-note" }, element("bdi", {}, event.note)) : null),
        ];
      }
      if (event.type === "deal" || event.type === "deal_over" || event.type === "match_over" || event.type === "forfeited" || MARKS.has(event.type)) {
        const text = words.event(event);
        const isStep = event.type === "deal" || event.type === "match_over";
        return text ? [element("li", { class: "kt-between" }, isStep ? element("a", { href: this.table.link(frame), "data-at": at }, text) : text)] : [];
      }
      return [];
    });
  }
}
