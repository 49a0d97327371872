//! Looks for opponents at Durak, plays two matches, and ends.

use kozyr::types::{GameId, JoinQueue};
use kozyr::{Client, Error, Options, Turn};

fn choose(turn: &Turn) -> String {
    let moves = turn.legal_moves();
    moves[turn.number as usize % moves.len()].clone()
}

fn main() -> Result<(), Error> {
    let find = JoinQueue::new(GameId::Durak);
    Client::from_env()?.play(choose, Options { matches: Some(2), find: Some(find), ..Options::default() })
}
