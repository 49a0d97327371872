// Which puzzles this browser has solved: kept in it alone, as `SET/NUMBER: whether right`.

import { keep, kept } from "./dom.js";

let answers = {};
try { answers = JSON.parse(kept("puzzles")) ?? {}; } catch { /* a broken entry counts as none */ }

for (const { dataset } of document.querySelectorAll("[data-answered]")) {
  answers[dataset.answered] = dataset.isRight === "yes" || answers[dataset.answered] === true;
  keep("puzzles", JSON.stringify(answers));
}

for (const link of document.querySelectorAll("[data-puzzle]")) {
  const right = answers[link.dataset.puzzle];
  if (right === undefined) continue;
  link.classList.add(right ? "puzzle-right" : "puzzle-wrong");
  link.title = link.dataset[right ? "right" : "wrong"];
}

for (const box of document.querySelectorAll("[data-progress]")) {
  const solved = Object.entries(answers).filter(([puzzle, right]) => right && puzzle.startsWith(`${box.dataset.progress}/`)).length;
  box.textContent = box.dataset.text.replace("{n}", solved);
  box.hidden = !solved;
}
