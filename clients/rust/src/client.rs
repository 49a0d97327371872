use std::collections::HashSet;
use std::env;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ureq::http::{HeaderMap, Request};

use crate::error::Error;
use crate::types::{CreatedBot, CreatedOwner, Limits, Match, NewBot, NewMatch, NewOwner, Problem};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);
/// How much longer than its wait a response may take.
const RESPONSE_MARGIN: Duration = Duration::from_secs(10);

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    Retry,
    Late,
    NearDeadline,
    IllegalMove,
    NotOpen,
    Deprecated,
    Service,
}

type Warn = dyn Fn(Warning, &str) + Send + Sync;

/// A connection to a service with the token of an owner, of a bot, or none. Clones share it.
#[derive(Clone)]
pub struct Client {
    http: ureq::Agent,
    url: String,
    token: Option<String>,
    patience: Duration,
    warn: Arc<Warn>,
    deprecated: Arc<Mutex<HashSet<String>>>,
}

/// One request, which is sent again until it gets a response.
pub(crate) struct Call<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub body: Option<Vec<u8>>,
    /// The Idempotency-Key of a request that creates something.
    pub key: Option<String>,
    /// How long the service may wait before it responds.
    pub wait: Duration,
}

/// A failed try: final, or one that a retry may mend after a pause.
pub(crate) enum Failure {
    Final(Error),
    Lost(Error, Duration),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Final(error)
    }
}

impl Client {
    /// Returns a client of the service at a URL.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, Error> {
        let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        if host.is_none_or(str::is_empty) {
            return Err(Error::Configuration(format!("{url:?} is not an http address")));
        }
        // To follow a redirect would turn a POST into a GET without its body.
        let agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build();
        Ok(Self {
            http: agent.new_agent(),
            url: url.trim_end_matches('/').into(),
            token: token.map(|token| token.trim().into()),
            patience: Duration::from_secs(60),
            warn: Arc::new(|kind, message| eprintln!("kozyr: {kind:?}: {message}")),
            deprecated: Arc::default(),
        })
    }

    /// Returns a client of the service and token that `KOZYR_URL` and `KOZYR_TOKEN` name.
    pub fn from_env() -> Result<Self, Error> {
        let url = env::var("KOZYR_URL")
            .map_err(|_| Error::Configuration("set KOZYR_URL to the address of the service".into()))?;
        Self::new(&url, env::var("KOZYR_TOKEN").ok().as_deref())
    }

    /// Sends warnings to a function. By default they go to the standard error.
    #[must_use]
    pub fn on_warning(mut self, warn: impl Fn(Warning, &str) + Send + Sync + 'static) -> Self {
        self.warn = Arc::new(warn);
        self
    }

    /// Sets how long calls other than [`Client::play`] are retried, by default a minute.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Registers an owner. Its token is shown once.
    pub fn register_owner(&self, owner: &NewOwner) -> Result<CreatedOwner, Error> {
        self.create("/v1/owners", owner)
    }

    /// Creates a bot of the owner whose token this is. The bot's token is shown once.
    pub fn create_bot(&self, bot: &NewBot) -> Result<CreatedBot, Error> {
        self.create("/v1/bots", bot)
    }

    /// Creates a casual match.
    pub fn create_match(&self, new: &NewMatch) -> Result<Match, Error> {
        self.create("/v1/matches", new)
    }

    /// Returns a match as this token may see it.
    pub fn get_match(&self, id: &str) -> Result<Match, Error> {
        self.request("GET", &format!("/v1/matches/{id}"), None::<&()>)
    }

    /// Gives up a match.
    pub fn resign(&self, id: &str) -> Result<(), Error> {
        let path = format!("/v1/matches/{id}/resign");
        self.request::<serde_json::Value>("POST", &path, None::<&()>).map(drop)
    }

    /// Returns the limits of the service.
    pub fn limits(&self) -> Result<Limits, Error> {
        self.request("GET", "/v1/limits", None::<&()>)
    }

    /// Sends any request, and again if its response is lost.
    pub fn request<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<T, Error> {
        self.call(Call { body: body.map(encode), ..Call::new(method, path) })
    }

    fn create<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Error> {
        self.call(Call { body: Some(encode(body)), key: Some(new_key()), ..Call::new("POST", path) })
    }

    /// Sends a request until it gets a response.
    fn call<T: DeserializeOwned>(&self, call: Call) -> Result<T, Error> {
        let mut backoff = Backoff::new(Some(self.patience));
        loop {
            match self.once(&call) {
                Ok(body) => return decode(&body),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Lost(error, least)) => {
                    let again = backoff.next(self, error, least)?;
                    thread::sleep(again.saturating_duration_since(Instant::now()));
                }
            }
        }
    }

    /// Sends a request once, and returns the body of its response.
    pub(crate) fn once(&self, call: &Call) -> Result<Vec<u8>, Failure> {
        let mut request = Request::builder()
            .method(call.method)
            .uri(format!("{}{}", self.url, call.path))
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .header("User-Agent", concat!("kozyr-client-rust/", env!("CARGO_PKG_VERSION")));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if let Some(key) = &call.key {
            request = request.header("Idempotency-Key", key);
        }
        let request = request.body(call.body.as_deref().unwrap_or_default());
        let request = request.map_err(|error| Error::Configuration(error.to_string()))?;
        let timeout = Some(call.wait + RESPONSE_MARGIN);
        let request = self.http.configure_request(request).timeout_global(timeout).build();
        let lost =
            |error: &dyn fmt::Display| Failure::Lost(Error::Unreachable(error.to_string()), Duration::ZERO);
        let mut answer = self.http.run(request).map_err(|error| lost(&error))?;
        let body = answer.body_mut().read_to_vec().map_err(|error| lost(&error))?;
        self.check_deprecation(call, answer.headers());
        if answer.status().is_success() {
            return Ok(body);
        }
        let status = answer.status().as_u16();
        if answer.status().is_redirection() {
            return Err(Failure::Final(redirected(status, answer.headers())));
        }
        let problem: Option<Box<Problem>> = serde_json::from_slice(&body).ok();
        let by_status = matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504);
        let retryable = problem.as_ref().map_or(by_status, |problem| problem.retryable);
        let error = Error::Refused { status, problem };
        if !retryable {
            return Err(Failure::Final(error));
        }
        Err(Failure::Lost(error, retry_after(answer.headers())))
    }

    fn check_deprecation(&self, call: &Call, headers: &HeaderMap) {
        let route = format!("{} {}", call.method, call.path);
        if headers.contains_key("Deprecation") && self.deprecated.lock().unwrap().insert(route.clone()) {
            let sunset = headers.get("Sunset").and_then(|value| value.to_str().ok());
            let end = sunset.map_or(String::new(), |date| format!(" and may end on {date}"));
            self.warn(Warning::Deprecated, format_args!("{route} is deprecated{end}"));
        }
    }

    pub(crate) fn warn(&self, kind: Warning, message: fmt::Arguments) {
        (self.warn)(kind, &message.to_string());
    }
}

impl<'a> Call<'a> {
    pub(crate) fn new(method: &'a str, path: &'a str) -> Self {
        Self { method, path, body: None, key: None, wait: Duration::ZERO }
    }
}

/// The growing pauses between the tries of one request.
pub(crate) struct Backoff {
    failures: u32,
    until: Option<Instant>,
}

impl Backoff {
    pub(crate) fn new(patience: Option<Duration>) -> Self {
        Self { failures: 0, until: patience.map(|patience| Instant::now() + patience) }
    }

    /// Returns when to try again: after a growing pause, at least as long as the service asks for.
    /// Returns the error of the last try if patience does not last that long.
    pub(crate) fn next(&mut self, client: &Client, error: Error, least: Duration) -> Result<Instant, Error> {
        let longest = LONGEST_PAUSE.min(FIRST_PAUSE * (1 << self.failures.min(16)));
        self.failures += 1;
        let chance = random() as f64 / u64::MAX as f64;
        let asked = least.min(LONGEST_RETRY_AFTER).mul_f64(1.0 + chance / 10.0);
        let pause = longest.mul_f64(0.5 + chance / 2.0).max(asked);
        let again = Instant::now() + pause;
        if self.until.is_some_and(|until| again >= until) {
            return Err(error);
        }
        client.warn(Warning::Retry, format_args!("{error}; retry in {pause:.1?}"));
        Ok(again)
    }
}

pub(crate) fn encode(body: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("the types of the contract are JSON")
}

pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(if body.is_empty() { b"null" } else { body }).map_err(|error| {
        let advice = "check the address and version of the service";
        Error::Unreachable(format!("the response does not fit; {advice}: {error}"))
    })
}

/// Returns an Idempotency-Key.
pub(crate) fn new_key() -> String {
    format!("{:016x}{:016x}", random(), random())
}

/// Returns 64 bits that differ in each call. They are no secret.
fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(Instant::now())
}

/// Returns the error of a redirect.
fn redirected(status: u16, headers: &HeaderMap) -> Error {
    let target = headers.get("Location").and_then(|value| value.to_str().ok()).unwrap_or_default();
    Error::Unreachable(format!(
        "http_{status}: the service is not at this address, which redirects to {target:?}; \
         set the address of the service"
    ))
}

/// Returns what a Retry-After header asks for, in seconds; zero without one.
fn retry_after(headers: &HeaderMap) -> Duration {
    let seconds = headers.get("Retry-After").and_then(|value| value.to_str().ok()?.parse().ok());
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or_default()
}
