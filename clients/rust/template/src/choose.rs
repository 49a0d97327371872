use kozyr::Turn;
use kozyr::types::DurakObservation;

const RANKS: &str = "6789TJQKA";

/// Returns one of the turn's legal moves. It runs for several matches at a time.
pub fn choose(turn: &Turn) -> String {
    let moves = turn.legal_moves();
    let best = match turn.observation.decode::<DurakObservation>() {
        Ok(durak) => moves.iter().min_by_key(|&each| cost(each, &durak.trump)),
        Err(_) => moves.first(), // Another game.
    };
    best.expect("a turn has a legal move").clone()
}

/// Says how dear the cards of a move are: "attack 7H" is cheap, a move with a trump is dear. A move
/// without cards, such as "take" or "pass", is the last resort.
fn cost(chosen: &str, trump: &str) -> usize {
    let cards = chosen.split(' ').skip(1);
    let costs = cards.map(|card| {
        let (rank, suit) = card.split_at(1);
        RANKS.find(rank).unwrap_or(0) + if suit == trump { RANKS.len() } else { 0 }
    });
    costs.reduce(|sum, each| sum + each).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::cost;

    #[test]
    fn a_trump_is_dearer_than_any_other_card() {
        assert!(cost("attack 6S", "S") > cost("attack AH", "S"));
    }
}
