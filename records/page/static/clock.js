// The clock of the seat to move. It runs in the browser: no request tells the time.

const LOW_MS = 10000;

export class Clock {
  /** `rule` has the time for a move, the number of the open turn and how long it has been open; `null` if no clock runs. */
  constructor(words, rule) {
    this.words = words;
    this.rule = rule;
    this.turn = rule?.turn ?? 0;
    this.since = performance.now() - (rule?.elapsed_ms ?? 0);
  }

  /** New frames have come: a turn that was answered begins the next. */
  hear(frames) {
    const answered = frames.flatMap((frame) => frame.events).reduce((most, event) => Math.max(most, event.turn ?? 0), 0);
    if (answered < this.turn) return;
    this.turn = answered + 1;
    this.since = performance.now();
  }

  /** Let the clock of a frame run in the place that the board has for it, until `stop`. */
  run(board, clocks) {
    this.stop();
    const seat = board.querySelector(".kt-turn");
    const place = seat?.querySelector(".kt-clock time");
    if (!this.rule || !place) return;
    const bank = clocks[seat.dataset.seat].bank_ms;
    const tick = () => {
      const left = this.rule.move_ms + bank - (performance.now() - this.since);
      place.textContent = this.text(left, bank);
      place.classList.toggle("kt-low", left < LOW_MS);
      if (left > 0) this.timer = setTimeout(tick, (left % 1000) + 1);
    };
    tick();
  }

  /** What is left for the move, and then of the bank. */
  text(left, bank) {
    if (left <= bank || !bank) return this.words.clock(left);
    return `${this.words.clock(left - bank)} + ${this.words.clock(bank)}`;
  }

  stop() {
    clearTimeout(this.timer);
  }
}
