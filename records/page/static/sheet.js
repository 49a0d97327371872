// The score sheet of a running match, which the page has: each deal that ends fills its line.

/** Write the points of the deals that end in these frames into the sheet, and their sums. */
export function fill(frames, words) {
  const sheet = document.querySelector(".kt-sheet");
  for (const event of sheet ? frames.flatMap((frame) => frame.events) : []) {
    if (event.type === "deal_over") write(sheet.querySelector(`[data-deal="${event.deal}"]`), event.returns, words);
    if (event.type === "deal_over" || event.type === "match_over") write(sheet.querySelector("tfoot tr"), event.scores, words);
  }
}

function write(row, points, words) {
  row?.querySelectorAll("td").forEach((cell, seat) => { cell.textContent = words.points(points[seat]); });
}
