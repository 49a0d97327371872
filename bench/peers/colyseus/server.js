"use strict";
// A Colyseus server on the loopback with one kind of room, a match of tricks:
//
//     node server.js PORT
//
// Colyseus 0.16 is the last version for Node.js 18 and 20. package.json keeps msgpackr-extract at 3.0.4, because 3.0.7 is
// not released for all the platforms that it names, and `npm ci` refuses such a lock file.

const { createServer } = require("http");
const { Room, Server } = require("@colyseus/core");
const { WebSocketTransport } = require("@colyseus/ws-transport");
const tricks = require("../tricks.js");

const index = (length) => Math.floor(Math.random() * length);

function shuffle(cards) {
  const mixed = [...cards];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = index(last + 1);
    [mixed[last], mixed[other]] = [mixed[other], mixed[last]];
  }
  return mixed;
}

const random = { shuffle, index };

// A message answers each move. The room has no synchronised state: Colyseus sends that 20 times a second at most.
class TricksRoom extends Room {
  onCreate() {
    this.maxClients = 1;
    this.match = tricks.begin(random);
    this.onMessage("play", (client, { turn, card }) => {
      const played = turn === this.match.turn && tricks.play(this.match, card, random);
      client.send(played ? "turn" : "refused", tricks.view(this.match));
    });
  }

  onJoin(client) {
    client.send("turn", tricks.view(this.match));
  }
}

// The matchmaker answers its own routes; anything else says that the server is ready.
const http = createServer((request, response) => response.end("{}"));
const server = new Server({ greet: false, transport: new WebSocketTransport({ server: http }) });
server.define("tricks", TricksRoom);
server.listen(Number(process.argv[2]), "127.0.0.1");
