//! Replays the wire fixtures of the repository: clients/fixtures/README.md.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{cell::RefCell, env, fs, thread};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::types::{DurakObservation, GameId, JoinQueue, ProblemCode};
use crate::{Client, Error, Options, Stop, Turn, Warning};

#[derive(Deserialize)]
struct Fixture {
    play: Settings,
    choices: BTreeMap<String, Choice>,
    expect: Expected,
}

#[derive(Deserialize)]
struct Settings {
    matches: usize,
    on_illegal: String,
    find: Option<JoinQueue>,
}

#[derive(Clone, Deserialize)]
struct Choice {
    #[serde(rename = "move")]
    chosen: String,
    #[serde(default)]
    delay_ms: u64,
}

#[derive(Deserialize)]
struct Expected {
    finished: Vec<String>,
    error: Option<Value>,
    warnings: BTreeSet<String>,
}

fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_slice(&fs::read(fixture_path(name)).unwrap()).unwrap()
}

fn fixture_path(name: &str) -> PathBuf {
    repository("clients/fixtures").join(name).with_extension("json")
}

/// The server of a fixture.
struct Replay {
    process: Child,
    output: BufReader<ChildStdout>,
    url: String,
}

impl Replay {
    fn new(name: &str, arguments: &[&str]) -> Self {
        Self::serve(&fixture_path(name), arguments)
    }

    /// Serves the first requests of a bot that looks for an opponent, and then that it leaves the queue.
    fn leaving(after: usize, refusal: Option<Value>, arguments: &[&str]) -> Self {
        let mut fixture: Value = read("finds_opponents");
        let exchanges = fixture["exchanges"].as_array_mut().unwrap();
        exchanges.drain(after..exchanges.len() - 1);
        if let Some(problem) = refusal {
            exchanges[after]["response"] = json!({"status": problem["status"], "body": problem});
        }
        Self::edited(&format!("leaving-after-{after}"), &fixture, arguments)
    }

    /// Serves a fixture that a test has edited.
    fn edited(name: &str, fixture: &Value, arguments: &[&str]) -> Self {
        let path = env::temp_dir().join(format!("kozyr-{}-{name}.json", process::id()));
        fs::write(&path, fixture.to_string()).unwrap();
        let replay = Self::serve(&path, arguments);
        fs::remove_file(&path).unwrap();
        replay
    }

    fn serve(fixture: &Path, arguments: &[&str]) -> Self {
        let mut process = Command::new("python3")
            .arg(repository("tests/clients/replay.py"))
            .arg(fixture)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is on the PATH");
        let mut replay =
            Self { output: BufReader::new(process.stdout.take().unwrap()), process, url: String::new() };
        replay.url = replay.line();
        replay
    }

    fn client(&self) -> Client {
        Client::new(&self.url, Some("kozyr_fixture")).unwrap().on_warning(|_, _| ())
    }

    fn play(
        &self,
        choose: impl Fn(&Turn) -> String + Send + Sync + 'static,
        options: Options,
    ) -> Result<(), Error> {
        self.client().play(choose, Options { pace: PATIENT, ..options })
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().into()
    }

    fn check(mut self) {
        drop(self.process.stdin.take());
        let mut mistakes = String::new();
        self.output.read_to_string(&mut mistakes).unwrap();
        assert!(self.process.wait().unwrap().success(), "{mistakes}");
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The pace of a loop whose dialogue does not depend on the speed of the machine.
const PATIENT: Option<Duration> = Some(Duration::from_secs(20));

/// The match that the bot of `finds_opponents` looks for.
fn wish() -> JoinQueue {
    read::<Fixture>("finds_opponents").play.find.unwrap()
}

fn first_legal(turn: &Turn) -> String {
    turn.legal_moves()[0].clone()
}

#[test]
fn the_client_follows_each_fixture() {
    let mut names = BTreeSet::new();
    for file in fs::read_dir(repository("clients/fixtures")).expect("the tests run in the repository") {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            names.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    assert!(!names.is_empty());
    thread::scope(|scope| {
        for name in &names {
            thread::Builder::new().name(name.clone()).spawn_scoped(scope, || follow(name)).unwrap();
        }
    });
}

fn follow(name: &str) {
    let fixture: Fixture = read(name);
    let replay = Replay::new(name, &[]);
    let warnings = Arc::new(Mutex::new(HashSet::new()));
    let chosen = Arc::new(Mutex::new(Vec::new()));
    let finished = Rc::new(RefCell::new(Vec::new()));

    let kinds = warnings.clone();
    let client = replay.client().on_warning(move |kind, _| {
        kinds.lock().unwrap().insert(kind);
    });
    let (asked, choices) = (chosen.clone(), fixture.choices.clone());
    let choose = move |turn: &Turn| {
        let key = format!("{}/{}", turn.match_id, turn.number);
        let choice = choices.get(&key).expect("the fixture has a choice").clone();
        asked.lock().unwrap().push(key);
        thread::sleep(Duration::from_millis(choice.delay_ms));
        choice.chosen
    };
    let ended = finished.clone();
    let options = Options {
        matches: Some(fixture.play.matches),
        first_legal: fixture.play.on_illegal == "first",
        find: fixture.play.find,
        on_finished: Box::new(move |ended_match| ended.borrow_mut().push(ended_match.match_id.clone())),
        pace: PATIENT,
        ..Options::default()
    };
    let error = client.play(choose, options).err().map(|error| match error {
        Error::Refused { status, problem: Some(problem) } => {
            json!({"code": problem.code, "status": status})
        }
        other => panic!("{name}: {other}"),
    });

    replay.check();
    assert_eq!(error, fixture.expect.error);
    assert_eq!(*finished.borrow(), fixture.expect.finished);
    let mut chosen = chosen.lock().unwrap();
    chosen.sort();
    assert!(chosen.iter().eq(fixture.choices.keys()), "{name}: {chosen:?}");
    let mut warnings = warnings.lock().unwrap();
    if warnings.contains(&Warning::Late) {
        warnings.insert(Warning::NearDeadline); // On a slow machine both moves are late.
    }
    for kind in fixture.expect.warnings {
        let kind = serde_json::from_value(kind.into()).unwrap();
        assert!(warnings.contains(&kind), "{name}: no warning {kind:?}");
    }
}

#[test]
fn an_illegal_move_ends_play() {
    let replay = Replay::new("illegal_move", &[]);
    match replay.play(|_| "nonsense".into(), Options::default()) {
        Err(Error::IllegalMove { chosen, legal_moves, .. }) => {
            assert_eq!(chosen, "nonsense");
            assert!(!legal_moves.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
#[should_panic(expected = "a bug in the bot")]
fn a_panic_of_the_bot_ends_play() {
    let _ = Replay::new("normal_play", &[]).play(|_| panic!("a bug in the bot"), Options::default());
}

#[test]
fn a_stop_does_not_wait_for_the_bot_and_ends_its_turn() {
    let stop = Stop::default();
    let (stopped, thought) = std::sync::mpsc::channel();
    let options = Options { stop: stop.clone(), ..Options::default() };
    let choose = move |turn: &Turn| {
        stop.stop();
        while !turn.is_over() {
            thread::yield_now();
        }
        stopped.send(()).unwrap();
        first_legal(turn)
    };
    Replay::new("normal_play", &[]).play(choose, options).unwrap();
    thought.recv_timeout(Duration::from_secs(10)).unwrap();
}

#[test]
fn a_stop_ends_a_waiting_poll() {
    stop_when_held(Replay::new("normal_play", &["--first", "1", "--hold", "1"]), None);
}

#[test]
fn a_stop_sends_the_moves_of_a_waiting_request_again() {
    stop_when_held(Replay::new("normal_play", &["--first", "3", "--hold", "2", "--stops"]), None);
}

#[test]
fn a_stopped_bot_leaves_the_queue() {
    stop_when_held(Replay::leaving(6, None, &["--hold", "6"]), Some(wish()));
}

#[test]
fn a_bot_that_is_stopped_while_its_join_is_lost_leaves_the_queue_even_if_it_never_joined() {
    let replay = Replay::leaving(2, Some(problem(404, "not_queued", false)), &[]);
    let stop = Stop::default();
    let handler = stop.clone();
    let client = replay.client().on_warning(move |_, _| handler.stop());
    client.play(first_legal, Options { find: Some(wish()), stop, ..Options::default() }).unwrap();
    replay.check();
}

#[test]
fn a_bot_plays_its_matches_while_the_queue_refuses_it() {
    let (mut fixture, mut queue): (Value, Value) = (read("match_ends"), read("finds_opponents"));
    let (exchanges, queue) =
        (fixture["exchanges"].as_array_mut().unwrap(), queue["exchanges"].as_array_mut().unwrap());
    exchanges[1..].iter_mut().for_each(|exchange| exchange["request"]["body"]["wait"] = 2.into());
    let body = problem(503, "service_draining", true);
    queue[1]["response"] = json!({"status": 503, "headers": {"Retry-After": "1.5"}, "body": body});
    for index in [9, 5, 2, 1] {
        exchanges.insert(index, queue[1].clone()); // Before the first poll, and after each match that ends.
    }
    exchanges.extend(queue.pop());
    let replay = Replay::edited("draining", &fixture, &[]);
    let options = Options { matches: Some(3), find: Some(wish()), ..Options::default() };
    replay.play(first_legal, options).unwrap();
    replay.check();
}

#[test]
fn a_rating_band_may_be_left_out_or_null() {
    let mut fixture: Value = read("queue_refuses");
    let wishes = [
        (None, json!({"game": "durak"})),
        (Some(None), json!({"game": "durak", "rating_band": null})),
        (Some(Some(400)), json!({"game": "durak", "rating_band": 400})),
    ];
    for (rating_band, body) in wishes {
        assert_eq!(serde_json::from_value::<JoinQueue>(body.clone()).unwrap().rating_band, rating_band);
        fixture["exchanges"][1]["request"]["body"] = body;
        let replay = Replay::edited("band", &fixture, &[]);
        let find = Some(JoinQueue { rating_band, ..JoinQueue::new(GameId::Durak) });
        let error = replay.play(first_legal, Options { find, ..Options::default() }).unwrap_err();
        assert_eq!(error.code(), Some(&ProblemCode::AlreadyQueued));
        replay.check();
    }
}

fn problem(status: u16, code: &str, retryable: bool) -> Value {
    json!({
        "type": "", "title": "", "status": status, "detail": "", "code": code, "retryable": retryable,
        "request_id": "",
    })
}

fn stop_when_held(mut replay: Replay, find: Option<JoinQueue>) {
    let stop = Stop::default();
    let (client, handler) = (replay.client(), stop.clone());
    let options = |find| Options { find, stop: handler, ..Options::default() };
    let input = replay.process.stdin.take();
    let playing = thread::spawn(move || {
        let played = client.play(first_legal, options(find));
        drop(input); // Ends the replay, even if no request was held.
        played
    });
    assert_eq!(replay.line(), "held");
    stop.stop();
    playing.join().unwrap().unwrap();
    replay.check();
}

#[test]
fn a_chosen_move_is_delivered_before_a_stop() {
    let replay = Replay::new("normal_play", &["--first", "3", "--stops"]);
    let stop = Stop::default();
    let handler = stop.clone();
    let client = replay.client().on_warning(move |kind, _| {
        if kind == Warning::IllegalMove {
            handler.stop(); // The first legal move is chosen, but not sent.
        }
    });
    client.play(|_| "nonsense".into(), Options { first_legal: true, stop, ..Options::default() }).unwrap();
    replay.check();
}

#[test]
fn a_service_out_of_reach_is_an_error_when_patience_is_over() {
    let client = Client::new("http://127.0.0.1:9", None).unwrap().on_warning(|_, _| ());
    let error = client.patience(Duration::from_millis(300)).limits().unwrap_err();
    assert!(matches!(error, Error::Unreachable(_)), "{error}");
}

#[test]
fn a_redirect_is_an_error_that_names_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        ["302 Found", "307 Temporary Redirect", "200 OK"].map(|status| {
            let (connection, _) = listener.accept().unwrap();
            let lines = BufReader::new(&connection).lines().map(Result::unwrap);
            let request: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let headers = "Location: /moved\r\nConnection: close\r\nContent-Length: 4";
            write!(&connection, "HTTP/1.1 {status}\r\n{headers}\r\n\r\nnull").unwrap();
            request[0].clone()
        })
    });
    let client = Client::new(&url, None).unwrap().on_warning(|_, _| ());
    let request = |path| client.request::<Value>("POST", path, None::<&()>);
    for path in ["/v1/moves", "/v1/queue"] {
        let error = request(path).unwrap_err();
        assert!(matches!(error, Error::Unreachable(_)), "{error}");
        assert!(
            error.to_string().contains("redirects to \"/moved\"; set the address of the service"),
            "{error}"
        );
    }
    request("/v1/last").unwrap();
    let requests = server.join().unwrap();
    for (request, path) in requests.iter().zip(["/v1/moves", "/v1/queue", "/v1/last"]) {
        assert!(request.starts_with(&format!("POST {path} ")), "{requests:?}");
    }
}

#[test]
fn an_address_must_be_http() {
    for address in ["", "localhost:8000", "ftp://example.org", "http://"] {
        assert!(Client::new(address, None).is_err(), "{address:?} is accepted");
    }
}

#[test]
fn an_observation_is_decoded_by_game() {
    let replay = Replay::new("normal_play", &["--first", "2"]);
    let stop = Stop::default();
    let options = Options { stop: stop.clone(), ..Options::default() };
    let hand = Arc::new(Mutex::new(Vec::new()));
    let seen = hand.clone();
    let choose = move |turn: &Turn| {
        assert_eq!(turn.observation.game, GameId::Durak);
        *seen.lock().unwrap() = turn.observation.decode::<DurakObservation>().unwrap().hand;
        stop.stop();
        first_legal(turn)
    };
    replay.play(choose, options).unwrap();
    assert_eq!(hand.lock().unwrap().len(), 6);
}

#[test]
fn a_value_of_a_later_release_is_kept() {
    let game: GameId = serde_json::from_str("\"preferans\"").unwrap();
    assert_eq!(game, GameId::Other("preferans".into()));
    assert_eq!(serde_json::to_string(&GameId::SvoiKozyri).unwrap(), "\"svoi_kozyri\"");
}
