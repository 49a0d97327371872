use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::client::{Client, Warning};
use crate::error::Error;
use crate::turn::Turn;
use crate::types::{FinishedMatch, MatchMove, MoveOutcome, Problem, ProblemCode};

/// A move that is ready with less time left than this is worth a warning.
const NEAR_DEADLINE: Duration = Duration::from_millis(500);
/// How many finished matches are remembered, so that none is reported twice.
const REMEMBERED: usize = 2000;
const FOREVER: Duration = Duration::from_secs(100 * 365 * 86_400);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    Thinking,
    Ready,
    Sent,
    Made,
    Over,
}

/// The latest turn of a match and what became of it.
struct Entry {
    turn: Arc<Turn>,
    phase: Phase,
    chosen: String,
    fell_back: bool,
    expires: Instant,
    arrival: u64,
}

/// The turns that came and the moves that go: all that the loop knows, without input or output.
pub(crate) struct Desk {
    /// The cursor of the last response.
    pub since: Option<String>,
    /// How long to pause at least, if something has to be sent again.
    pub again: Option<Duration>,
    client: Client,
    first_legal: bool,
    entries: HashMap<String, Entry>,
    finished: VecDeque<String>,
    polled: bool,
    arrivals: u64,
}

impl Desk {
    pub fn new(client: Client, first_legal: bool) -> Self {
        Self {
            since: None,
            again: None,
            client,
            first_legal,
            entries: HashMap::new(),
            finished: VecDeque::new(),
            polled: false,
            arrivals: 0,
        }
    }

    pub fn has(&self, phase: Phase) -> bool {
        self.entries.values().any(|entry| entry.phase == phase)
    }

    /// Moves at most `most` entries to the next phase and returns their turns, the most urgent first.
    pub fn advance(&mut self, most: usize, from: Phase, to: Phase) -> Vec<Arc<Turn>> {
        let mut found: Vec<_> = self.entries.values_mut().filter(|entry| entry.phase == from).collect();
        found.sort_by_key(|entry| (entry.expires, entry.arrival));
        found.truncate(most);
        found.iter_mut().for_each(|entry| entry.phase = to);
        found.iter().map(|entry| entry.turn.clone()).collect()
    }

    /// Says whether somebody still waits for a move in this turn.
    pub fn is_open(&self, turn: &Turn) -> bool {
        let entry = self.entries.get(&turn.match_id);
        entry.is_some_and(|entry| entry.turn.number == turn.number && entry.phase == Phase::Thinking)
    }

    /// Takes the move that was chosen in an open turn.
    pub fn choose(&mut self, turn: &Turn, chosen: String) -> Result<(), Error> {
        let left = turn.time_left();
        if !left.is_zero() && left < NEAR_DEADLINE {
            let message = format_args!("{}: {left:.0?} before its deadline", name(turn));
            self.client.warn(Warning::NearDeadline, message);
        }
        let is_legal = turn.legal_moves().contains(&chosen) || turn.is_free(&chosen);
        let entry = self.entries.get_mut(&turn.match_id).expect("the turn is open");
        (entry.chosen, entry.phase) = (chosen, Phase::Ready);
        if is_legal { Ok(()) } else { self.replace(turn, turn.legal_moves()) }
    }

    /// Returns the move to send for a turn.
    pub fn wire(&self, turn: &Turn) -> MatchMove {
        let chosen = self.entries[&turn.match_id].chosen.clone();
        let free = turn.is_free(&chosen);
        MatchMove {
            match_id: turn.match_id.clone(),
            turn: (!free).then_some(turn.number),
            deal: free.then_some(turn.deal),
            chosen_move: chosen,
        }
    }

    /// Takes the results of the moves that were sent. The error is the first illegal move.
    pub fn results(&mut self, taken: &[Arc<Turn>], results: &[MoveOutcome]) -> Result<(), Error> {
        let mut illegal = Ok(());
        for (i, turn) in taken.iter().enumerate() {
            let entry = self.entries.get_mut(&turn.match_id).expect("a sent turn has an entry");
            match results.get(i).map(|result| &result.problem) {
                None => (entry.phase, self.again) = (Phase::Ready, self.again.or(Some(Duration::ZERO))),
                Some(None) if turn.is_free(&entry.chosen) => entry.phase = Phase::Over,
                Some(None) => entry.phase = Phase::Made,
                Some(Some(problem)) => illegal = illegal.and(self.refused(turn, problem)),
            }
        }
        illegal
    }

    fn refused(&mut self, turn: &Turn, problem: &Problem) -> Result<(), Error> {
        let entry = self.entries.get_mut(&turn.match_id).expect("a sent turn has an entry");
        if problem.retryable {
            entry.phase = Phase::Ready;
            let pause = Duration::from_millis(problem.retry_ms.unwrap_or(0).try_into().unwrap_or(0));
            self.again = self.again.max(Some(pause));
        } else if matches!(problem.code, ProblemCode::IllegalMove | ProblemCode::NotAMove) {
            return self.replace(turn, problem.legal_moves.as_deref().unwrap_or_default());
        } else {
            (entry.phase, self.since) = (Phase::Over, None);
            if turn.time_left().is_zero() {
                self.warn_late(turn);
            } else {
                let message = format_args!("{} is not open: {}", name(turn), problem.detail);
                self.client.warn(Warning::NotOpen, message);
            }
        }
        Ok(())
    }

    /// Takes a turn of a response that came at an instant. The same turn may come more than once.
    pub fn arrive(&mut self, mut turn: Turn, now: Instant) {
        if let Some(known) = self.entries.get_mut(&turn.match_id) {
            let is_done = matches!(known.phase, Phase::Made | Phase::Over);
            if known.turn.number > turn.number || (known.turn.number == turn.number && !is_done) {
                return;
            }
            if known.turn.number == turn.number {
                self.again = self.again.or(Some(Duration::ZERO));
                if known.phase == Phase::Made && turn.legal_moves().contains(&known.chosen) {
                    known.phase = Phase::Ready; // The service lost the move, or sent the turn twice.
                    return;
                }
            }
            self.drop(&turn.match_id);
        }
        turn.arrived = now;
        self.arrivals += 1;
        let entry = Entry {
            phase: Phase::Open,
            chosen: String::new(),
            fell_back: false,
            expires: now + turn.allowed().unwrap_or(FOREVER).min(FOREVER),
            arrival: self.arrivals,
            turn: Arc::new(turn),
        };
        self.entries.insert(entry.turn.match_id.clone(), entry);
    }

    /// Takes the finished matches of a response. Returns those that ended since the first response.
    pub fn finish(&mut self, mut listed: Vec<FinishedMatch>) -> Vec<FinishedMatch> {
        listed.retain(|ended| !self.finished.contains(&ended.match_id));
        for ended in &listed {
            self.drop(&ended.match_id);
            self.finished.push_back(ended.match_id.clone());
        }
        self.finished.drain(..self.finished.len().saturating_sub(REMEMBERED));
        if !std::mem::replace(&mut self.polled, true) {
            listed.clear();
        }
        listed
    }

    fn replace(&mut self, turn: &Turn, legal: &[String]) -> Result<(), Error> {
        let entry = self.entries.get_mut(&turn.match_id).expect("an answered turn has an entry");
        let error = Error::IllegalMove {
            match_id: turn.match_id.clone(),
            turn: turn.number,
            chosen: entry.chosen.clone(),
            legal_moves: legal.to_vec(),
        };
        match legal.first() {
            Some(first) if self.first_legal && !entry.fell_back => {
                self.client.warn(Warning::IllegalMove, format_args!("{error}; {first:?} is sent instead"));
                (entry.chosen, entry.phase, entry.fell_back) = (first.clone(), Phase::Ready, true);
                Ok(())
            }
            _ => Err(error),
        }
    }

    fn drop(&mut self, match_id: &str) {
        let Some(entry) = self.entries.remove(match_id) else { return };
        entry.turn.over.store(true, Ordering::Relaxed);
        let is_unanswered = matches!(entry.phase, Phase::Open | Phase::Thinking | Phase::Ready);
        if is_unanswered && entry.turn.time_left().is_zero() {
            self.warn_late(&entry.turn);
        }
    }

    fn warn_late(&self, turn: &Turn) {
        let message =
            format_args!("{} was late; the service plays a safe move and counts a strike", name(turn));
        self.client.warn(Warning::Late, message);
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.entries.values().for_each(|entry| entry.turn.over.store(true, Ordering::Relaxed));
    }
}

fn name(turn: &Turn) -> String {
    format!("turn {} of {}", turn.number, turn.match_id)
}
