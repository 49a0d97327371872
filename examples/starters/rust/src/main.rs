//! A bot for Kozyr: it reads a turn in each line of its input, and answers with a line that has the move.

use std::io::{self, BufRead, Write};

const RANKS: &str = "6789TJQKA";

fn main() -> io::Result<()> {
    for turn in io::stdin().lock().lines() {
        println!("{}", choose(&turn?));
        io::stdout().flush()?;
    }
    Ok(())
}

/// Returns one of the turn's legal moves. Change this function first.
fn choose(turn: &str) -> &str {
    let observation = get(turn, "observation");
    let legal = parts(get(observation, "legal_moves"));
    let mut moves = legal.into_iter().map(text);
    let trump = text(get(observation, "trump"));
    match text(get(observation, "game")) {
        "durak" => moves.min_by_key(|each| cost(each, trump)),
        _ => moves.next(), // Another game: the first legal move.
    }
    .expect("a turn has a legal move")
}

/// Says how dear the cards of a move are: "attack 7H" is cheap, a move with a trump is dear. A move without cards,
/// such as "take" or "pass", is the last resort.
fn cost(chosen: &str, trump: &str) -> usize {
    let costs = chosen.split(' ').skip(1).map(|card| {
        let (rank, suit) = card.split_at(1);
        RANKS.find(rank).unwrap_or(0) + if suit == trump { RANKS.len() } else { 0 }
    });
    costs.reduce(|sum, each| sum + each).unwrap_or(100)
}

/// Returns the value of a key of a JSON object, as JSON; "null" if the key is not there.
fn get<'a>(object: &'a str, key: &str) -> &'a str {
    let pairs = parts(object);
    let found = pairs.chunks(2).find(|pair| text(pair[0]) == key);
    found.map_or("null", |pair| pair[1])
}

/// Returns a JSON string without its quotes. The names of keys, games, moves and cards have no escapes.
fn text(string: &str) -> &str {
    string.trim_matches('"')
}

/// Splits a JSON array into its items, or a JSON object into its keys and values in turn.
fn parts(json: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (vec![], 0, 1);
    let (mut quoted, mut escaped) = (false, false);
    for (at, each) in json.bytes().enumerate() {
        match each {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => (),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => (),
        }
        let ends = (depth == 1 && matches!(each, b',' | b':')) || (depth == 0 && at > 0);
        if !quoted && ends {
            found.push(json[start..at].trim());
            start = at + 1;
        }
    }
    found.retain(|part| !part.is_empty());
    found
}
