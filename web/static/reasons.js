// Why a card can't be played, from what its holder sees.

const HEARTS_ALONE = new Set(["no_hearts", "negative_yeralash", "positive_yeralash"]);

/** The reason as text. */
export function whyNot(card, seen, words) {
  const other = words.get("why other");
  if (seen.question === "throw" || seen.question === "give") return words.get("why throw");
  if (seen.question === "defend") return words.get("why defend");
  if (seen.question === "beat") return words.get("why beat", { card: words.card(seen.top) });
  if (seen.question !== "play") return other;
  const led = seen.trick[0]?.[1][1];
  const has = (suit) => seen.hand.some((each) => each[1] === suit);
  if (led && card[1] !== led && has(led)) return words.get("why follow", { suit: words.get(`suit ${led}`) });
  if (!led && card[1] === "H" && HEARTS_ALONE.has(seen.contract)) return words.get("why hearts");
  return led && seen.hand.includes("KH") ? words.get("why king") : other;
}
