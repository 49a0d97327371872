use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::{GameId, SeatClock};

const FOREVER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// An open turn of your seat.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Turn {
    #[serde(rename = "match")]
    pub match_id: String,
    /// The number of the turn in its match.
    #[serde(rename = "turn")]
    pub number: u64,
    /// The deal in progress, from 1.
    pub deal: u64,
    /// Your seat.
    pub seat: u64,
    /// All that your seat sees.
    pub observation: Observation,
    /// The clocks by seat.
    pub clocks: Vec<SeatClock>,
    /// When the turn times out, in service time. Includes the bank, but not the grace.
    pub deadline: Option<Timestamp>,
    /// The time of the response, in service time.
    pub now: Timestamp,
    #[serde(skip, default = "Instant::now")]
    pub(crate) arrived: Instant,
    #[serde(skip)]
    pub(crate) over: Arc<AtomicBool>,
}

impl Turn {
    /// Returns every answer to the turn. Return one of them unchanged.
    pub fn legal_moves(&self) -> &[String] {
        &self.observation.legal_moves
    }

    /// Returns the moves that you may make without answering the turn. After one, the bot is asked
    /// again.
    pub fn free_moves(&self) -> &[String] {
        &self.observation.free_moves
    }

    /// Returns the time to the deadline by a monotonic clock; a hundred years without a deadline.
    pub fn time_left(&self) -> Duration {
        self.expires().saturating_duration_since(Instant::now())
    }

    /// Says whether nobody waits for a move in this turn any more. A long search may end then.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Returns when the turn times out. Both times of a turn are service time, so only their
    /// difference counts.
    pub(crate) fn expires(&self) -> Instant {
        let left = self.deadline.map_or(FOREVER, |deadline| {
            deadline.duration_since(self.now).try_into().unwrap_or(Duration::ZERO)
        });
        self.arrived + left
    }

    pub(crate) fn is_free(&self, chosen: &String) -> bool {
        self.free_moves().contains(chosen) && !self.legal_moves().contains(chosen)
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "turn {} of {}", self.number, self.match_id)
    }
}

/// All that a seat sees. [`Observation::decode`] gives the fields of the game.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Value", into = "Value")]
#[non_exhaustive]
pub struct Observation {
    pub game: GameId,
    pub legal_moves: Vec<String>,
    pub free_moves: Vec<String>,
    raw: Value,
}

impl Observation {
    /// Decodes the observation of a game, such as a [`DurakObservation`](crate::types::DurakObservation).
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.raw)
    }
}

impl TryFrom<Value> for Observation {
    type Error = serde_json::Error;

    fn try_from(raw: Value) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Common {
            game: GameId,
            legal_moves: Vec<String>,
            free_moves: Vec<String>,
        }
        let Common { game, legal_moves, free_moves } = Common::deserialize(&raw)?;
        Ok(Self { game, legal_moves, free_moves, raw })
    }
}

impl From<Observation> for Value {
    fn from(observation: Observation) -> Value {
        observation.raw
    }
}
