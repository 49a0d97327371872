use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Backoff, Call, Client, Warning, encode};
use crate::desk::{Desk, Phase};
use crate::error::Error;
use crate::stop::Stop;
use crate::turn::Turn;
use crate::types::{FinishedMatch, Limits, MoveBatch, MoveResults, ProblemCode, ServiceState};

/// How long a poll waits if the service allows that long.
const LONGEST_WAIT: Duration = Duration::from_secs(25);
const MOST_MOVES: u64 = 256;
/// How long the first ready move waits for others, to travel in the same request.
const GATHER: Duration = Duration::from_millis(50);
/// How often the service is asked for news while the bot thinks.
const POLL: Duration = Duration::from_millis(250);
/// How long `play` tries to deliver the last moves when it stops.
const ENDING_PATIENCE: Duration = Duration::from_secs(5);

/// The options of [`Client::play`].
pub struct Options {
    /// Stops after this many matches have ended, or never. Earlier matches do not count.
    pub matches: Option<usize>,
    /// Is called with each match that ends.
    pub on_finished: Box<dyn FnMut(&FinishedMatch)>,
    /// Sends the first legal move, with a warning, in place of a move that is not legal. Otherwise
    /// such a move ends `play` with [`Error::IllegalMove`].
    pub first_legal: bool,
    /// How long the service may be out of reach, or for ever.
    pub patience: Option<Duration>,
    /// How many turns the bot thinks about at a time.
    pub threads: usize,
    /// Ends `play`.
    pub stop: Stop,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            matches: None,
            on_finished: Box::new(|_| ()),
            first_legal: false,
            patience: None,
            threads: thread::available_parallelism().map_or(1, usize::from),
            stop: Stop::default(),
        }
    }
}

/// What the loop waits for.
pub(crate) enum Event {
    Stop,
    Chosen(Arc<Turn>, Result<String, Box<dyn Any + Send>>),
    /// The response to a request with this number.
    Answer(u64, Result<MoveResults, Error>),
}

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
        Play::new(self.clone(), choose, options).run()
    }
}

pub(crate) struct Play<F> {
    pub gather: Duration,
    pub poll: Duration,
    client: Client,
    choose: Arc<F>,
    options: Options,
    desk: Desk,
    sender: Sender<Event>,
    events: Receiver<Event>,
    thinking: usize,
    requests: u64,
    ended: usize,
    /// The goal is reached: only moves that are chosen are still sent.
    ending: bool,
    service: ServiceState,
}

impl<F: Fn(&Turn) -> String + Send + Sync + 'static> Play<F> {
    pub fn new(client: Client, choose: F, options: Options) -> Self {
        let (sender, events) = channel();
        options.stop.listen(sender.clone());
        Self {
            gather: GATHER,
            poll: POLL,
            desk: Desk::new(client.clone(), options.first_legal),
            client,
            choose: Arc::new(choose),
            options,
            sender,
            events,
            thinking: 0,
            requests: 0,
            ended: 0,
            ending: false,
            service: ServiceState::Running,
        }
    }

    pub fn run(mut self) -> Result<(), Error> {
        let patience = self.options.patience;
        let limits: Limits = self.client.call(Call { patience, ..Call::new("GET", "/v1/limits") })?;
        let wait = Duration::try_from_secs_f64(limits.max_wait_s).unwrap_or_default().min(LONGEST_WAIT);
        let most = limits.max_moves.min(MOST_MOVES) as usize;
        let mut pauses = None;
        loop {
            self.think()?;
            if !self.ending && self.is_goal_reached() {
                (self.ending, pauses) = (true, None);
            }
            if self.ending && !self.desk.has(Phase::Ready) {
                return Ok(());
            }
            self.exchange(most, wait)?;
            let Some(least) = self.desk.again.take() else {
                pauses = None;
                continue;
            };
            let pause = pauses.get_or_insert_with(|| Backoff::new(self.patience())).next(least);
            let too_long = || Error::Unreachable("the service did not take all moves".into());
            self.rest(pause.ok_or_else(too_long)?)?;
        }
    }

    fn is_goal_reached(&self) -> bool {
        self.options.stop.is_stopped() || self.options.matches.is_some_and(|most| self.ended >= most)
    }

    fn patience(&self) -> Option<Duration> {
        if self.ending { Some(ENDING_PATIENCE) } else { self.options.patience }
    }

    /// Starts the thinking about open turns, until moves are due or news may have come.
    fn think(&mut self) -> Result<(), Error> {
        let mut until = Instant::now() + self.poll;
        let mut is_due = false;
        while !self.is_goal_reached() {
            let free = self.options.threads.max(1) - self.thinking;
            for turn in self.desk.turns(Phase::Open).into_iter().take(free) {
                self.start(turn);
            }
            if !is_due && self.desk.has(Phase::Ready) {
                (is_due, until) = (true, until.min(Instant::now() + self.gather));
            }
            if self.thinking == 0 {
                return Ok(());
            }
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(event) => self.take(event)?,
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    fn start(&mut self, turn: Arc<Turn>) {
        self.desk.start(&turn);
        self.thinking += 1;
        let (choose, sender) = (self.choose.clone(), self.sender.clone());
        thread::spawn(move || {
            let chosen = catch_unwind(AssertUnwindSafe(|| choose(&turn)));
            let _ = sender.send(Event::Chosen(turn, chosen)); // `play` may have ended.
        });
    }

    fn take(&mut self, event: Event) -> Result<(), Error> {
        let Event::Chosen(turn, chosen) = event else { return Ok(()) };
        self.thinking -= 1;
        match chosen {
            _ if !self.desk.is_open(&turn) => Ok(()),
            Ok(chosen) => self.desk.choose(&turn, chosen),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Sends what is ready, waits for news if nothing else is to be done, and takes the response.
    fn exchange(&mut self, most: usize, mut wait: Duration) -> Result<(), Error> {
        let mut taken = self.desk.turns(Phase::Ready);
        let is_busy = taken.len() > most || self.desk.has(Phase::Open) || self.desk.has(Phase::Thinking);
        if self.ending || is_busy {
            wait = Duration::ZERO;
        }
        taken.truncate(most);
        let batch = MoveBatch {
            moves: Some(taken.iter().map(|turn| self.desk.wire(turn)).collect()),
            wait: Some(wait.as_secs_f64()),
            since: self.desk.since.clone(),
        };
        match self.send(encode(&batch), wait) {
            Ok(Some(answer)) => self.read(answer, &taken),
            Ok(None) => Ok(()),
            Err(error) if batch.since.is_some() && error.code() == Some(&ProblemCode::BadCursor) => {
                self.desk.since = None;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn read(&mut self, answer: MoveResults, taken: &[Arc<Turn>]) -> Result<(), Error> {
        self.desk.since = Some(answer.since);
        let moved = self.desk.results(taken, &answer.results);
        let now = Instant::now();
        for turn in answer.turns {
            self.desk.arrive(turn, now);
        }
        for ended in self.desk.finish(answer.finished) {
            self.ended += 1;
            (self.options.on_finished)(&ended);
        }
        if self.service != answer.service {
            self.client.warn(Warning::Service, format_args!("the service is {:?}", answer.service));
            self.service = answer.service;
        }
        moved
    }

    /// Sends a request in a thread and takes events until the response comes. A stop abandons the
    /// request, since the service may hold it for a long time; the result is then `None`. The moves
    /// are sent once more, with no wait: a move that was made gets its first result.
    fn send(&mut self, body: Vec<u8>, wait: Duration) -> Result<Option<MoveResults>, Error> {
        self.requests += 1;
        let number = self.requests;
        let (client, sender) = (self.client.clone(), self.sender.clone());
        let patience = self.patience();
        let stop = (!self.ending).then(|| self.options.stop.clone());
        thread::spawn(move || {
            let call = Call { body: Some(body), wait, patience, stop, ..Call::new("POST", "/v1/turns") };
            let _ = sender.send(Event::Answer(number, client.call(call))); // `play` may have ended.
        });
        loop {
            match self.events.recv().expect("the loop holds a sender") {
                Event::Answer(answered, result) if answered == number => return result.map(Some),
                Event::Stop if !self.ending => return Ok(None),
                event => self.take(event)?,
            }
        }
    }

    /// Takes events for a while. A stop ends the rest, unless the loop is ending anyway.
    fn rest(&mut self, pause: Duration) -> Result<(), Error> {
        let until = Instant::now() + pause;
        loop {
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Err(_) | Ok(Event::Stop) => return Ok(()),
                Ok(event) => self.take(event)?,
            }
        }
    }
}
