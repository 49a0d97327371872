// The tables of a duplicate group, side by side.

/** Tables of one duplicate group: all show the same move as the first, and those that differ by then are marked. */
class KozyrTables extends HTMLElement {
  follow(leader) {
    const frame = leader.frames.list[leader.at];
    if (!frame) return;
    const apart = Number(this.dataset.apart || Infinity);
    for (const table of this.querySelectorAll("kozyr-table")) {
      if (!table.frames) continue;
      table.classList.toggle("kt-four", leader.classList.contains("kt-four"));
      table.parentElement.classList.toggle("kt-apart", frame.move >= apart);
      if (table === leader) continue;
      table.seat = leader.seat;
      table.go(table.frames.find(frame.deal, frame.move), { quiet: true });
    }
  }
}

customElements.define("kozyr-tables", KozyrTables);
