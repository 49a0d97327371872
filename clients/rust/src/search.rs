use crate::client::{Call, Client, Failure, decode, encode, new_key};
use crate::error::Error;
use crate::types::ProblemCode::NotQueued;
use crate::types::{JoinQueue, QueueEntry};

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
}

impl Search {
    pub(crate) fn new(wish: Option<JoinQueue>) -> Self {
        Self { wish, entry: None, key: None, due: true }
    }

    /// Reads the entry of a bot that waits, and joins the queue if the bot has no match from there. A
    /// stop does not abandon the request: a bot that leaves must know whether it has joined.
    pub(crate) fn find(&mut self, client: &Client, finished: &[String]) -> Result<(), Failure> {
        while let Some(call) = self.call(finished) {
            self.entry = Some(decode(&client.once(&call)?)?);
            self.due = self.key.take().is_none() && self.joins(finished);
        }
        Ok(())
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
        self.entry.as_ref().is_none_or(|entry| {
            matches!(entry.state.as_str(), "dropped" | "left")
                || entry.match_id.as_ref().is_some_and(|found| finished.contains(found))
        })
    }

    fn waits(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.state == "waiting")
    }
}
