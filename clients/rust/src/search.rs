use crate::client::Failure::{self, Final, Lost};
use crate::client::{Call, Client, Warning, decode, encode, new_key};
use crate::error::Error;
use crate::types::ProblemCode::NotQueued;
use crate::types::{JoinQueue, QueueEntry};

/// How long a poll waits, in seconds, if the service allows that long.
const LONGEST_WAIT_S: f64 = 25.0;

/// Keeps a bot in the queue of the service while it has no match from there.
pub(crate) struct Search {
    /// Without it, nothing is looked for.
    wish: Option<JoinQueue>,
    /// The bot's place in the queue, as it was last read.
    entry: Option<QueueEntry>,
    /// The Idempotency-Key of a join that has no response yet.
    key: Option<String>,
    /// Whether the entry may be out of date: a match has ended, or the bot has nothing to do.
    pub(crate) due: bool,
    /// How long a poll may wait: less while the queue fails, since its request follows an idle poll.
    pub(crate) longest_wait_s: f64,
}

impl Search {
    pub(crate) fn new(wish: Option<JoinQueue>) -> Self {
        Self { wish, entry: None, key: None, due: true, longest_wait_s: LONGEST_WAIT_S }
    }

    /// Reads the entry of a bot that waits, or joins the queue if the bot has no match from there.
    /// Returns whether one of them was due. A stop does not abandon the request: a bot that leaves must
    /// know whether it has joined. After a failure that a retry may mend, polls go on.
    pub(crate) fn find(&mut self, client: &Client, finished: &[String]) -> Result<bool, Failure> {
        let Some(call) = self.call(finished) else { return Ok(false) };
        self.entry = match client.once(&call) {
            Err(Lost(error, least)) => {
                self.longest_wait_s = least.as_secs_f64().ceil().clamp(1.0, LONGEST_WAIT_S);
                self.due = false;
                client.warn(Warning::Retry, format_args!("{error}; retry after the next idle poll"));
                return Ok(true);
            }
            Err(Final(error)) if error.code() == Some(&NotQueued) => None,
            read => Some(decode(&read?)?),
        };
        self.longest_wait_s = LONGEST_WAIT_S;
        // A join that left the bot outside is not repeated at once.
        let joined = self.key.take().is_some();
        self.due = self.is_over(finished) || (!joined && self.joins(finished));
        Ok(true)
    }

    /// Leaves the queue if the bot may wait there. It may after a join whose response was lost.
    pub(crate) fn leave(&self, client: &Client) -> Result<(), Error> {
        if self.key.is_none() && !self.waits() {
            return Ok(());
        }
        match client.request::<QueueEntry>("DELETE", "/v1/queue", None::<&()>) {
            Err(error) if error.code() != Some(&NotQueued) => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the next request, if one is due. A join is sent with the same key until it has a
    /// response.
    fn call(&mut self, finished: &[String]) -> Option<Call<'static>> {
        let body = Some(encode(self.wish.as_ref().filter(|_| self.due)?));
        if self.joins(finished) {
            let key = Some(self.key.get_or_insert_with(new_key).clone());
            Some(Call { body, key, ..Call::new("POST", "/v1/queue") })
        } else {
            self.waits().then(|| Call::new("GET", "/v1/queue"))
        }
    }

    fn joins(&self, finished: &[String]) -> bool {
        self.entry
            .as_ref()
            .is_none_or(|entry| self.is_over(finished) || matches!(entry.state.as_str(), "dropped" | "left"))
    }

    fn is_over(&self, finished: &[String]) -> bool {
        let found = self.entry.as_ref().and_then(|entry| entry.match_id.as_ref());
        found.is_some_and(|found| finished.contains(found))
    }

    fn waits(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.state == "waiting")
    }
}
