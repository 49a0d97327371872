// Looks for opponents at Durak, plays two matches at random, and ends. It runs in the build folder of the client.
import { Client } from "./src/index.js";

const choose = ({ legalMoves }) => legalMoves[Math.floor(Math.random() * legalMoves.length)];
await new Client().play(choose, { matches: 2, find: { game: "durak" } });
