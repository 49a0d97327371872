// What the bots reported about their moves: the thoughts of language models.

/** The key of a move: its turn, or for a free move its seat, deal and text. */
const keyOf = ({ seat, turn, move }, deal) => turn ?? `${seat} ${deal} ${move}`;

export class Facts {
  constructor(table) {
    this.table = table;
    this.thoughts = new Map();
  }

  /** Read the facts of the match, which are beside the record. */
  async read() {
    try {
      const answer = await fetch(this.table.data.facts, { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      for (const { seat, moves } of (await answer.json()).seats) for (const told of moves) this.thoughts.set(keyOf({ ...told, seat }, told.deal), told.thoughts);
    } catch { return; /* the page is whole without them */ }
    this.table.show();
  }

  /** The thoughts on the move of a frame, or "". */
  of(frame) {
    const move = frame.events.find((event) => event.type === "move");
    return (move && this.thoughts.get(keyOf(move, frame.deal))) || "";
  }
}
