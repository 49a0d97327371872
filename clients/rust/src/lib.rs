//! A client for Kozyr, a league server for bots that play
//! Russian card games with hidden hands.
//!
//! ```no_run
//! # fn main() -> Result<(), kozyr::Error> {
//! let client = kozyr::Client::from_env()?;
//! client.play(|turn| turn.legal_moves()[0].clone(), kozyr::Options::default())
//! # }
//! ```
//!
//! [`Client::play`] waits for turns, calls the function for each, sends the moves and retries what
//! was lost. It plays all matches of the bot at once. A move is never lost and never made twice: the
//! client repeats a request with the same turn numbers, and the service answers a move that it has
//! made with its first result.

mod client;
mod error;
mod options;
mod play;
mod search;
mod stop;
#[cfg(test)]
mod tests;
mod turn;
/// The types of the contract, generated from `openapi.yaml`.
#[rustfmt::skip]
pub mod types;

pub use client::{Client, Warning};
pub use error::Error;
pub use options::Options;
pub use stop::Stop;
pub use turn::{Observation, Turn};
