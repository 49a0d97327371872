// A bot for Kozyr. KOZYR_URL names the service, KOZYR_TOKEN the bot.
import { Client, untilInterrupted } from "kozyr-client";

import { choose } from "./choose.js";

await new Client().play(choose, {
  signal: untilInterrupted(), // Ctrl-C stops the bot after its last moves are sent.
  onIllegal: "first", // Play on after a move that is not legal, and warn.
  onFinished: ({ match, seat, places, scores, ending }) =>
    console.log(`match ${match}: place ${places[seat]}, scores ${scores.join(" ")} (${ending})`),
});
