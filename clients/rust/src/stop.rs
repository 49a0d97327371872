use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use crate::play::Event;

/// Ends [`Client::play`](crate::Client::play) from another thread. All clones are one stop.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    stopped: bool,
    listeners: Vec<Sender<Event>>,
}

impl Stop {
    /// Returns a stop for Ctrl-C, SIGTERM and SIGHUP.
    ///
    /// # Panics
    ///
    /// If the process already handles these signals.
    #[cfg(feature = "signals")]
    pub fn on_signals() -> Self {
        let stop = Self::default();
        let handler = stop.clone();
        ctrlc::set_handler(move || handler.stop()).expect("no other handler of signals");
        stop
    }

    /// Ends `play` after the moves that are chosen were sent.
    pub fn stop(&self) {
        let mut state = self.0.lock().unwrap();
        state.stopped = true;
        for listener in state.listeners.drain(..) {
            let _ = listener.send(Event::Stop); // Its `play` may have ended.
        }
    }

    /// Says whether [`Stop::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.0.lock().unwrap().stopped
    }

    pub(crate) fn listen(&self, listener: Sender<Event>) {
        self.0.lock().unwrap().listeners.push(listener);
    }
}
