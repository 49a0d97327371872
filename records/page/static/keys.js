// The keys of a replay, and what they do.

export const KEY_OF = {
  next: "→", back: "←", play: "Space / k", first: "Home", last: "End", "deal next": "Page Down / ]", "deal back": "Page Up / [",
  "mark next": ". / Shift+→", "mark back": ", / Shift+←", "timeout next": "t", "timeout back": "T", "note next": "n", "mistake next": "m", "mistake back": "M", faster: "+", slower: "-",
  "card next": "c", "card back": "C", "card jump": "Enter", "card drop": "Escape", "view next": "v", "four colours": "4", apart: "d", hint: "i", help: "?",
};
export const ACTIONS = {
  ArrowRight: "next", ArrowLeft: "back", l: "next", h: "back", " ": "play", k: "play", Home: "first", End: "last", PageDown: "deal next", PageUp: "deal back",
  "]": "deal next", "[": "deal back", ".": "mark next", ",": "mark back", "Shift+ArrowRight": "mark next", "Shift+ArrowLeft": "mark back",
  t: "timeout next", T: "timeout back", n: "note next", m: "mistake next", M: "mistake back", "+": "faster", "=": "faster", "-": "slower", c: "card next", C: "card back", Enter: "card jump", Escape: "card drop", v: "view next", 4: "four colours", d: "apart", i: "hint", "?": "help",
};
