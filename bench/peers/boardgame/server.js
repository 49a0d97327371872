"use strict";
// A boardgame.io server of one game on the loopback, in memory or with its FlatFile storage:
//
//     node server.js PORT [FOLDER]
//
// package.json keeps two packages at older versions, in boardgame.io's favour. koa-compose 4.2 copies the list of routes
// before boardgame.io adds its own. Later versions of node-persist let every write of FlatFile wait for a tick of 1 s.

const { FlatFile, Server } = require("boardgame.io/server");
const tricks = require("../tricks.js");

const INVALID_MOVE = "INVALID_MOVE";
const [port, folder] = process.argv.slice(2);

function dice(random) {
  return { shuffle: (cards) => random.Shuffle(cards), index: (length) => random.Die(length) - 1 };
}

const game = {
  name: "tricks",
  minPlayers: 2,
  maxPlayers: 2,
  disableUndo: true,
  setup: ({ random }) => tricks.begin(dice(random)),
  playerView: ({ G }) => tricks.view(G),
  // The opponent moves within the player's move, so every turn is the player's.
  turn: { minMoves: 1, maxMoves: 1, order: { first: () => 0, next: () => 0 } },
  moves: {
    play: {
      move: ({ G, random }, card) => (tricks.play(G, card, dice(random)) ? undefined : INVALID_MOVE),
      client: false,
    },
  },
};

// Without `db` boardgame.io keeps its matches in memory.
const server = Server({ games: [game], origins: [], db: folder && new FlatFile({ dir: folder }) });
server.run({ port: { port: Number(port), host: "127.0.0.1" } });
