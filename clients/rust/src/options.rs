use std::thread;
use std::time::Duration;

use crate::stop::Stop;
use crate::types::FinishedMatch;

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
    /// How long ready moves wait for others, and polls for the bot. Tests make it long.
    #[doc(hidden)]
    pub pace: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let (on_finished, stop) = (Box::new(|_: &FinishedMatch| ()), Stop::default());
        Self { matches: None, on_finished, first_legal: false, patience: None, threads, stop, pace: None }
    }
}
