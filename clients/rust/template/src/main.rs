//! A bot for Kozyr. KOZYR_URL names the service, KOZYR_TOKEN the bot.

mod choose;

use kozyr::{Client, Options, Stop};

fn main() -> Result<(), kozyr::Error> {
    let options = Options {
        first_legal: true, // Play on after a move that is not legal, and log it.
        on_finished: Box::new(|ended| {
            let place = ended.places[ended.seat as usize];
            println!(
                "match {}: place {place}, scores {:?} ({:?})",
                ended.match_id, ended.scores, ended.ending
            );
        }),
        stop: Stop::on_signals(), // Ctrl-C stops the bot after its last moves are sent.
        ..Options::default()
    };
    Client::from_env()?.play(choose::choose, options)
}
