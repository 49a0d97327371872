// A bot for Kozyr. KOZYR_URL names the service, KOZYR_TOKEN the bot.
import { Client, KozyrError, untilInterrupted } from "kozyr-client";

import { choose } from "./choose.js";

const playing = new Client().play(choose, {
  finish: untilInterrupted(), // The first Ctrl-C finishes the running matches, the second one ends the bot.
  onIllegal: "first", // Play on after a move that is not legal, and warn.
  onFinished: ({ match, seat, places, scores, ending }) =>
    console.log(`match ${match}: place ${places[seat]}, scores ${scores.join(" ")} (${ending})`),
});

await playing.catch((error: unknown) => {
  if (!(error instanceof KozyrError)) throw error;
  console.error(`kozyr: ${error.message}`);
  process.exitCode = 1;
});
