//! Plays at random. KOZYR_URL names the service, KOZYR_TOKEN the bot.

use kozyr::{Client, Options, Stop, Turn};

fn choose(turn: &Turn) -> String {
    fastrand::choice(turn.legal_moves()).unwrap().clone()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options { stop: Stop::on_signals(), ..Options::default() };
    Ok(Client::from_env()?.play(choose, options)?)
}
