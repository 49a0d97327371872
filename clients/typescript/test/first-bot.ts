// A bot that plays at random. KOZYR_URL names the service, KOZYR_TOKEN the bot.
import { Client, untilInterrupted, type Turn } from "kozyr-client";

function choose(turn: Turn): string {
  const moves = turn.legalMoves;
  return moves[Math.floor(Math.random() * moves.length)]!;
}

const client = new Client();
await client.play(choose, {
  finish: untilInterrupted(), // The first Ctrl-C finishes the running matches, the second one ends the bot.
  onFinished: (match) => console.log(`${match.match}: place ${match.places[match.seat]}`),
});
