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

#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) enum Phase {
    /// The turn waits for the bot.
    Open,
    /// The bot thinks.
    Thinking,
    /// The move is chosen and has no result yet.
    Ready,
    Made,
    /// Nothing is to be sent any more.
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

    /// Returns the turns of a phase, the most urgent first.
    pub fn turns(&self, phase: Phase) -> Vec<Arc<Turn>> {
        let mut found: Vec<_> = self.entries.values().filter(|entry| entry.phase == phase).collect();
        found.sort_by_key(|entry| (entry.expires, entry.arrival));
        found.iter().map(|entry| entry.turn.clone()).collect()
    }

    /// Notes that the bot thinks about a turn.
    pub fn start(&mut self, turn: &Turn) {
        self.entry(turn).phase = Phase::Thinking;
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
        let entry = self.entry(turn);
        (entry.chosen, entry.phase) = (chosen, Phase::Ready);
        if is_legal { Ok(()) } else { self.replace(turn, turn.legal_moves()) }
    }

    /// Returns the move to send for a turn.
    pub fn wire(&self, turn: &Turn) -> MatchMove {
        let chosen = &self.entries[&turn.match_id].chosen;
        let mut wire = MatchMove::new(chosen.clone(), turn.match_id.clone());
        if turn.is_free(chosen) {
            wire.deal = Some(turn.deal);
        } else {
            wire.turn = Some(turn.number);
        }
        wire
    }

    /// Takes the results of the moves that were sent. The error is the first illegal move.
    pub fn results(&mut self, taken: &[Arc<Turn>], results: &[MoveOutcome]) -> Result<(), Error> {
        let mut illegal = Ok(());
        for (i, turn) in taken.iter().enumerate() {
            match results.get(i).map(|result| &result.problem) {
                None => self.send_again(Duration::ZERO),
                Some(Some(problem)) => illegal = illegal.and(self.refused(turn, problem)),
                Some(None) => {
                    let entry = self.entry(turn);
                    entry.phase = if turn.is_free(&entry.chosen) { Phase::Over } else { Phase::Made };
                }
            }
        }
        illegal
    }

    fn refused(&mut self, turn: &Turn, problem: &Problem) -> Result<(), Error> {
        if problem.retryable {
            let pause = problem.retry_ms.and_then(|ms| ms.try_into().ok()).unwrap_or(0);
            self.send_again(Duration::from_millis(pause));
        } else if matches!(problem.code, ProblemCode::IllegalMove | ProblemCode::NotAMove) {
            return self.replace(turn, problem.legal_moves.as_deref().unwrap_or_default());
        } else {
            (self.entry(turn).phase, self.since) = (Phase::Over, None);
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
        if !self.is_news(&turn) {
            return;
        }
        self.drop(&turn.match_id);
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

    fn is_news(&mut self, turn: &Turn) -> bool {
        let Some(known) = self.entries.get_mut(&turn.match_id) else { return true };
        if known.turn.number != turn.number || known.phase < Phase::Made {
            return known.turn.number < turn.number;
        }
        let is_lost = known.phase == Phase::Made && turn.legal_moves().contains(&known.chosen);
        if is_lost {
            known.phase = Phase::Ready; // The service lost the move, or sent the turn twice.
        }
        self.send_again(Duration::ZERO);
        !is_lost
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

    fn entry(&mut self, turn: &Turn) -> &mut Entry {
        self.entries.get_mut(&turn.match_id).expect("the turn is the latest of its match")
    }

    fn send_again(&mut self, least: Duration) {
        self.again = self.again.max(Some(least));
    }

    /// Puts the first legal move in place of an illegal one, once, if the options say so.
    fn replace(&mut self, turn: &Turn, legal: &[String]) -> Result<(), Error> {
        let entry = self.entries.get_mut(&turn.match_id).expect("the turn is the latest of its match");
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
        if entry.phase < Phase::Made && entry.turn.time_left().is_zero() {
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
