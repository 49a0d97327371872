use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use crate::client::Failure::{self, Final, Lost};
use crate::client::{Backoff, Call, Client, Warning, decode, encode};
use crate::error::Error;
use crate::options::Options;
use crate::search::Search;
use crate::turn::Turn;
use crate::types::ProblemCode::{BadCursor, IllegalMove, NotAMove};
use crate::types::{Limits, MatchMove, MoveBatch, MoveOutcome, MoveResults, Problem, ServiceState};

const MOST_MOVES: u64 = 256;
/// How long after a response ready moves wait for others, to travel in the same request.
const GATHER: Duration = Duration::from_millis(50);
/// How often the service is asked for news while the bot thinks.
const POLL: Duration = Duration::from_millis(250);
/// How long `play` tries to deliver the last moves when it stops.
const ENDING_PATIENCE: Duration = Duration::from_secs(5);
/// A move that is ready with less time left than this is worth a warning.
const NEAR_DEADLINE: Duration = Duration::from_millis(500);
/// How many finished matches are remembered, so that none is reported twice.
const REMEMBERED: usize = 2000;

impl Client {
    /// Plays all matches of the bot until `options.matches` have ended or `options.stop` stops. It
    /// then delivers the moves that are chosen.
    ///
    /// `choose` returns one of the legal or free moves of a turn. It runs in threads of its own.
    ///
    /// # Panics
    ///
    /// If `choose` panics.
    pub fn play<F>(&self, choose: F, options: Options) -> Result<(), Error>
    where
        F: Fn(&Turn) -> String + Send + Sync + 'static,
    {
        let (sender, events) = channel();
        options.stop.listen(sender.clone());
        let play = Play {
            client: self.clone(),
            choose: Arc::new(choose),
            backoff: Backoff::new(options.patience),
            search: Search::new(options.find.clone()),
            options,
            sender,
            events,
            limits: None,
            entries: Vec::new(),
            thinking: 0,
            since: None,
            again: None,
            resume: Instant::now(),
            finished: Vec::new(),
            ended: None,
            ending: false,
            service: ServiceState::Running,
        };
        play.run()
    }
}

/// An `Open` turn waits for the bot; a `Ready` one has a move without a result.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Phase {
    Open,
    Thinking,
    Ready,
    Made,
}

/// The latest turn of a match and what became of it.
struct Entry {
    turn: Arc<Turn>,
    phase: Phase,
    chosen: String,
}

impl Entry {
    /// Returns the move to send.
    fn wire(&self) -> MatchMove {
        let wire = MatchMove::new(self.chosen.clone(), self.turn.match_id.clone());
        let (turn, deal) = (Some(self.turn.number), Some(self.turn.deal));
        if self.turn.is_free(&self.chosen) { MatchMove { deal, ..wire } } else { MatchMove { turn, ..wire } }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.turn.over.store(true, Ordering::Relaxed);
    }
}

/// What the loop waits for.
pub(crate) enum Event {
    Stop,
    Chosen(Arc<Turn>, thread::Result<String>),
    Answer(Result<Vec<u8>, Failure>),
}

struct Play<F> {
    client: Client,
    choose: Arc<F>,
    options: Options,
    sender: Sender<Event>,
    events: Receiver<Event>,
    search: Search,
    limits: Option<Limits>,
    /// The most urgent turn is the first.
    entries: Vec<Entry>,
    thinking: usize,
    /// The cursor of the last response.
    since: Option<String>,
    /// How long to pause at least, since the last response did not take all moves.
    again: Option<Duration>,
    backoff: Backoff,
    /// When the next request may be sent.
    resume: Instant,
    finished: Vec<String>,
    /// How many matches have ended since the first response, which lists earlier ones.
    ended: Option<usize>,
    /// The goal is reached: only moves that are chosen are still sent.
    ending: bool,
    service: ServiceState,
}

impl<F: Fn(&Turn) -> String + Send + Sync + 'static> Play<F> {
    fn run(mut self) -> Result<(), Error> {
        loop {
            self.think()?;
            if self.ending && self.turns(Phase::Ready).is_empty() {
                return self.search.leave(&self.client.clone().patience(ENDING_PATIENCE));
            }
            match self.exchange() {
                Ok(()) => self.backoff = Backoff::new(self.options.patience),
                Err(Lost(error, least)) => self.resume = self.backoff.next(&self.client, error, least)?,
                Err(Final(error)) if error.code() == Some(&BadCursor) && self.since.take().is_some() => {}
                Err(Final(error)) => return Err(error),
            }
        }
    }

    /// Lets the bot think about open turns, until moves are due or news may have come.
    fn think(&mut self) -> Result<(), Error> {
        let began = Instant::now();
        loop {
            let is_goal_reached = self.options.matches.is_some_and(|most| self.ended >= Some(most));
            if !self.ending && (is_goal_reached || self.options.stop.is_stopped()) {
                (self.ending, self.options.patience) = (true, Some(ENDING_PATIENCE));
                (self.backoff, self.resume) = (Backoff::new(self.options.patience), began);
                // What threads still think and what an abandoned request brings is too late.
                ((self.sender, self.events), self.thinking) = (channel(), 0);
            }
            let free = if self.ending { 0 } else { self.options.threads.max(1) - self.thinking };
            self.turns(Phase::Open).into_iter().take(free).for_each(|turn| self.start(turn));
            let pace = if self.turns(Phase::Ready).is_empty() { POLL } else { GATHER };
            let due = if self.thinking == 0 { began } else { began + self.options.pace.unwrap_or(pace) };
            match self.events.recv_timeout(due.max(self.resume).saturating_duration_since(Instant::now())) {
                Ok(event) => self.take(event)?,
                Err(_) => return Ok(()),
            }
        }
    }

    fn start(&mut self, turn: Arc<Turn>) {
        self.entry(&turn).phase = Phase::Thinking;
        self.thinking += 1;
        let (choose, sender) = (self.choose.clone(), self.sender.clone());
        thread::spawn(move || {
            let chosen = catch_unwind(AssertUnwindSafe(|| choose(&turn)));
            sender.send(Event::Chosen(turn, chosen)) // Fails if `play` has ended.
        });
    }

    /// Takes a move that was chosen, unless nobody waits for it any more.
    fn take(&mut self, event: Event) -> Result<(), Error> {
        let Event::Chosen(turn, chosen) = event else { return Ok(()) };
        self.thinking -= 1;
        if turn.is_over() {
            return Ok(());
        }
        let chosen = chosen.unwrap_or_else(|panic| resume_unwind(panic));
        let left = turn.time_left();
        if !left.is_zero() && left < NEAR_DEADLINE {
            self.client.warn(Warning::NearDeadline, format_args!("{turn}: {left:.0?} before its deadline"));
        }
        let is_legal = turn.legal_moves().contains(&chosen) || turn.is_free(&chosen);
        let entry = self.entry(&turn);
        (entry.chosen, entry.phase) = (chosen, Phase::Ready);
        if is_legal { Ok(()) } else { self.replace(&turn, turn.legal_moves()) }
    }

    /// Puts the first legal move in place of an illegal one, if the options say so.
    fn replace(&mut self, turn: &Arc<Turn>, legal: &[String]) -> Result<(), Error> {
        let chosen = self.entry(turn).chosen.clone();
        let fallback = legal.first().filter(|&first| self.options.first_legal && *first != chosen);
        let (match_id, legal_moves) = (turn.match_id.clone(), legal.to_vec());
        let error = Error::IllegalMove { match_id, turn: turn.number, chosen, legal_moves };
        let Some(first) = fallback else { return Err(error) };
        self.client.warn(Warning::IllegalMove, format_args!("{error}; {first:?} is sent instead"));
        self.entry(turn).chosen.clone_from(first);
        Ok(())
    }

    /// Sends what is ready, waits for news if nothing else is to be done, and takes the response.
    fn exchange(&mut self) -> Result<(), Failure> {
        let Some(limits) = &self.limits else {
            self.limits = self.send(Call::new("GET", "/v1/limits"))?;
            return Ok(());
        };
        if !self.ending && self.search.find(&self.client, &self.finished)? {
            return Ok(());
        }
        let longest = Duration::try_from_secs_f64(limits.max_wait_s.min(self.search.longest_wait_s));
        let longest = longest.unwrap_or_default();
        let most = limits.max_moves.min(MOST_MOVES) as usize;
        let mut taken = self.turns(Phase::Ready);
        let is_busy = taken.len() > most || self.entries.iter().any(|entry| entry.phase < Phase::Ready);
        let wait = if self.ending || is_busy { Duration::ZERO } else { longest };
        taken.truncate(most);
        let moves = Some(taken.iter().map(|turn| self.entry(turn).wire()).collect());
        let batch = MoveBatch { moves, wait: Some(wait.as_secs_f64()), since: self.since.clone() };
        let call = Call { body: Some(encode(&batch)), wait, ..Call::new("POST", "/v1/turns") };
        self.send(call)?.map_or(Ok(()), |answer| self.read(answer, &taken))
    }

    /// Sends a request in a thread and takes events until the response comes. A stop abandons the
    /// request, since the service may hold it for a long time; the result is then `None`. The moves
    /// are sent once more, with no wait: a move that was made gets its first result.
    fn send<T: DeserializeOwned>(&mut self, call: Call<'static>) -> Result<Option<T>, Failure> {
        let (client, sender) = (self.client.clone(), self.sender.clone());
        thread::spawn(move || sender.send(Event::Answer(client.once(&call))));
        loop {
            match self.events.recv().expect("the loop holds a sender") {
                Event::Answer(result) => return Ok(Some(decode(&result?)?)),
                Event::Stop => return Ok(None),
                event => self.take(event)?,
            }
        }
    }

    fn read(&mut self, answer: MoveResults, taken: &[Arc<Turn>]) -> Result<(), Failure> {
        self.since = Some(answer.since);
        let moved = self.results(taken, &answer.results);
        let now = Instant::now();
        answer.turns.into_iter().for_each(|turn| self.arrive(turn, now));
        self.entries.sort_by_key(|entry| entry.turn.expires()); // Equal ones stay in the order of arrival.
        for ended in answer.finished {
            if !self.finished.contains(&ended.match_id) {
                self.drop(&ended.match_id, None);
                self.search.due = true;
                if let Some(count) = &mut self.ended {
                    *count += 1;
                    (self.options.on_finished)(&ended);
                }
                self.finished.push(ended.match_id);
            }
        }
        self.search.due |= taken.is_empty() && self.entries.iter().all(|entry| entry.phase == Phase::Made);
        self.finished.drain(..self.finished.len().saturating_sub(REMEMBERED));
        self.ended = self.ended.or(Some(0));
        if self.service != answer.service {
            self.client.warn(Warning::Service, format_args!("the service is {:?}", answer.service));
            self.service = answer.service;
        }
        moved?;
        let untaken = || Error::Unreachable("the service did not take all moves".into());
        self.again.take().map_or(Ok(()), |least| Err(Lost(untaken(), least)))
    }

    /// Takes the results of the moves that were sent. The error is the first illegal move.
    fn results(&mut self, taken: &[Arc<Turn>], results: &[MoveOutcome]) -> Result<(), Error> {
        self.again = (results.len() < taken.len()).then_some(Duration::ZERO);
        let mut illegal = Ok(());
        for (turn, result) in taken.iter().zip(results) {
            match &result.problem {
                None => self.entry(turn).phase = Phase::Made,
                Some(problem) if matches!(problem.code, IllegalMove | NotAMove) => {
                    illegal =
                        illegal.and(self.replace(turn, problem.legal_moves.as_deref().unwrap_or_default()));
                }
                Some(problem) => {
                    let pause = problem.retry_ms.and_then(|ms| ms.try_into().ok()).unwrap_or(0);
                    self.again = self.again.max(Some(Duration::from_millis(pause)));
                    if !problem.retryable {
                        self.since = None; // The next response has every open turn.
                        self.drop(&turn.match_id, Some(problem));
                    }
                }
            }
        }
        illegal
    }

    /// Takes a turn of a response. The same turn may come more than once.
    fn arrive(&mut self, mut turn: Turn, now: Instant) {
        if let Some(known) = self.entries.iter_mut().find(|entry| entry.turn.match_id == turn.match_id) {
            if known.turn.number == turn.number && known.phase == Phase::Made {
                self.again = self.again.max(Some(Duration::ZERO));
                if turn.legal_moves().contains(&known.chosen) {
                    known.phase = Phase::Ready; // The service lost the move, or sent the turn twice.
                    return;
                }
            } else if known.turn.number >= turn.number {
                return;
            }
            self.drop(&turn.match_id, None);
        }
        turn.arrived = now;
        self.entries.push(Entry { turn: Arc::new(turn), phase: Phase::Open, chosen: String::new() });
    }

    /// Forgets the turn of a match, with a warning if it was late or the service refused its move.
    fn drop(&mut self, match_id: &str, refusal: Option<&Problem>) {
        let found = self.entries.iter().position(|entry| entry.turn.match_id == match_id);
        let Some(Entry { turn, phase, .. }) = &found.map(|i| self.entries.remove(i)) else { return };
        if *phase != Phase::Made && turn.time_left().is_zero() {
            let message = format_args!("{turn} was late; the service plays a safe move and counts a strike");
            self.client.warn(Warning::Late, message);
        } else if let Some(problem) = refusal {
            self.client.warn(Warning::NotOpen, format_args!("{turn} is not open: {}", problem.detail));
        }
    }

    fn turns(&self, phase: Phase) -> Vec<Arc<Turn>> {
        self.entries.iter().filter(|entry| entry.phase == phase).map(|entry| entry.turn.clone()).collect()
    }

    fn entry(&mut self, turn: &Arc<Turn>) -> &mut Entry {
        self.entries.iter_mut().find(|entry| Arc::ptr_eq(&entry.turn, turn)).expect("the turn is an entry's")
    }
}
