"use strict";
// The game that boardgame.io and Colyseus play: tricks with a pack of 36 cards, six in each of two hidden hands.
//
// Seat 0 is the client. Seat 1 replies at random within the client's move, so a move ends with the client's next turn.
// A seat plays any card to an empty table, and otherwise follows suit if it can. The higher card of the suit that was
// led takes the trick; its owner draws first and leads next. The next deal begins when both hands are empty.

const PLAYER = 0;
const OPPONENT = 1;
const HAND = 6;
const RANKS = "6789TJQKA";
const PACK = [..."SCDH"].flatMap((suit) => [...RANKS].map((rank) => suit + rank));

// `random` has shuffle(array), which returns a new array, and index(length).
function begin(random) {
  const state = { turn: 1, deals: 0, tricks: [0, 0] };
  deal(state, random);
  carryOn(state, random);
  return state;
}

function deal(state, random) {
  const pack = random.shuffle(PACK);
  state.hands = [pack.splice(0, HAND), pack.splice(0, HAND)];
  state.pack = pack;
  state.table = null;
  state.toMove = state.deals % 2;
  state.deals += 1;
}

function legal(state, seat) {
  const hand = state.hands[seat];
  const following = state.table === null ? [] : hand.filter((card) => card[0] === state.table[0]);
  return following.length > 0 ? following : hand;
}

// Changes the state and returns true, or returns false if the card is illegal.
function play(state, card, random) {
  if (state.toMove !== PLAYER || !legal(state, PLAYER).includes(card)) return false;
  put(state, PLAYER, card, random);
  carryOn(state, random);
  state.turn += 1;
  return true;
}

// Moves for the opponent until the player is to move.
function carryOn(state, random) {
  while (state.toMove === OPPONENT) {
    const cards = legal(state, OPPONENT);
    put(state, OPPONENT, cards[random.index(cards.length)], random);
  }
}

function put(state, seat, card, random) {
  const hand = state.hands[seat];
  hand.splice(hand.indexOf(card), 1);
  const other = 1 - seat;
  if (state.table === null) {
    state.table = card;
    state.toMove = other;
    return;
  }
  const beats = card[0] === state.table[0] && RANKS.indexOf(card[1]) > RANKS.indexOf(state.table[1]);
  const winner = beats ? seat : other;
  state.tricks[winner] += 1;
  state.table = null;
  state.toMove = winner;
  for (const drawing of [winner, 1 - winner]) {
    if (state.pack.length > 0) state.hands[drawing].push(state.pack.pop());
  }
  if (state.hands[winner].length === 0) deal(state, random);
}

// What the player sees: not the other hand and not the pack.
function view(state) {
  return {
    turn: state.turn,
    hand: state.hands[PLAYER],
    table: state.table,
    tricks: state.tricks,
    left: state.pack.length,
    legal_moves: legal(state, PLAYER),
  };
}

module.exports = { begin, play, view };
