use std::thread;
use std::time::Duration;

use crate::stop::Stop;
use crate::types::{FinishedMatch, JoinQueue};

/// The options of [`Client::play`].
pub struct Options {
    /// Stops after this many matches have ended, or never. Earlier matches do not count.
    pub matches: Option<usize>,
    /// Looks for opponents: the bot joins the queue whenever it has no match from there, and leaves
    /// it when `play` stops. Without it, the bot plays what comes.
    pub find: Option<JoinQueue>,
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
    /// How long ready moves wait for others, and polls for the bot. Tests make it long.
    #[doc(hidden)]
    pub pace: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            matches: None,
            find: None,
            on_finished: Box::new(|_| ()),
            first_legal: false,
            patience: None,
            threads: thread::available_parallelism().map_or(1, usize::from),
            stop: Stop::default(),
            pace: None,
        }
    }
}
