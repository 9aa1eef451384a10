//! Studies in a store as a user runs them: several processes, looking, and errors.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::command::{command, error, json_of, stderr, stdout, thrifty};

/// A folder with the study file `study.toml` of 30 random trials, and more lines.
fn study(more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "command = [\"sh\", \"-c\", \"sleep 0.02; echo $1\", \"script\", \"{{x}}\"]\nworkers = 2\n{more}\n[stop]\ntrials = 30\n\
         [optimizer]\nmethod = \"random\"\n[[parameters]]\nname = \"x\"\nfloat = {{ low = 0, high = 1 }}\n"
    );
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    folder
}

fn counts(folder: &Path, arguments: &[&str]) -> (u64, u64) {
    let shown = json_of(folder, arguments);
    (shown["counts"]["trials"].as_u64().unwrap(), shown["counts"]["measured"].as_u64().unwrap())
}

const STORE: &str = "[store]\naddress = \"sqlite://studies.db\"\nlease_seconds = 1";

#[test]
fn processes_share_a_study_even_when_one_is_killed() {
    let folder = study(STORE);
    let start = || -> Child {
        command(folder.path(), &["run", "study.toml"])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut all = [start(), start(), start()];
    std::thread::sleep(Duration::from_millis(150));
    all[0].kill().unwrap();
    all[0].wait().unwrap();
    for child in &mut all[1..] {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(counts(folder.path(), &["show", "study.toml", "--json"]), (30, 30));
    assert!(!folder.path().join("study.jsonl").exists(), "there is no journal beside a store");
    let again = thrifty(folder.path(), &["run", "study.toml", "--json"]);
    assert!(stdout(&again).contains("\"reason\":\"30 trials\""));
    let best = json_of(folder.path(), &["best", "study.toml", "--json"]);
    assert!(best["objective"].as_f64().unwrap() < 0.3, "{best}");
    assert_eq!(stdout(&thrifty(folder.path(), &["export", "study.toml"])).lines().count(), 31);
    let left = std::fs::read_dir(folder.path()).unwrap().flatten().count();
    assert!(left <= 4, "the study file and the store, which is up to three files: {left}");
}

#[test]
fn the_option_and_the_variable_name_a_store() {
    let folder = study("");
    let none = error(&thrifty(folder.path(), &["show", "study.toml", "--store", "sqlite://other.db"]));
    assert!(none.contains("store sqlite://other.db has no trials yet"), "{none}");
    let run = thrifty(folder.path(), &["run", "study.toml", "--store", "sqlite://other.db"]);
    let lines = stderr(&run).lines().count();
    assert!(stdout(&run).starts_with("stopped: 30 trials\nbest: trial ") && lines == 30, "{lines} lines");
    let mut show = command(folder.path(), &["show", "study.toml", "--json"]);
    let shown: Value =
        serde_json::from_str(&stdout(&show.env("THRIFTY_STORE", "sqlite://other.db").output().unwrap()))
            .unwrap();
    assert_eq!(shown["counts"]["trials"], 30);
    assert!(error(&thrifty(folder.path(), &["show", "study.toml"])).contains("study.jsonl: no trials yet"));
}

/// A section without an address takes the argument's; without any it is refused, as a journal is no store.
#[test]
fn a_section_without_an_address_takes_that_of_the_option() {
    let folder = study("[store]\nstudy = \"other\"");
    let missing = error(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(missing.contains("store.address is missing, expected an address here, in --store"), "{missing}");
    stdout(&thrifty(folder.path(), &["run", "study.toml", "--store", "sqlite://studies.db"]));
    let shown = counts(folder.path(), &["show", "study.toml", "--json", "--store", "sqlite://studies.db"]);
    assert_eq!(shown, (30, 30));
    assert!(!folder.path().join("study.jsonl").exists());
}

#[test]
fn a_store_that_cannot_be_used_is_one_sentence() {
    let folder = study(STORE);
    stdout(&thrifty(folder.path(), &["run", "study.toml"]));
    let text = std::fs::read_to_string(folder.path().join("study.toml")).unwrap();
    std::fs::write(folder.path().join("study.toml"), text.replace("high = 1 }", "high = 2 }")).unwrap();
    let other = error(&thrifty(folder.path(), &["run", "study.toml"]));
    assert!(other.contains("is of another study: ") && other.contains("high is 1"), "{other}");
    std::fs::write(folder.path().join("study.toml"), text.replace("lease_seconds = 1", "lease_seconds = 0"))
        .unwrap();
    assert!(error(&thrifty(folder.path(), &["run", "study.toml"])).contains("store.lease_seconds is 0"));
}

#[test]
fn trials_of_a_store_are_asked_and_told_by_hand() {
    let folder = study(STORE);
    let path = folder.path();
    // Four at once: each gets a trial of its own.
    let asks: Vec<Child> = (0..4)
        .map(|_| command(path, &["ask", "study.toml"]).stdout(Stdio::piped()).spawn().unwrap())
        .collect();
    let mut asked: Vec<Value> = asks
        .into_iter()
        .map(|child| serde_json::from_str(&stdout(&child.wait_with_output().unwrap())).unwrap())
        .collect();
    asked.sort_by_key(|trial| trial["trial"].as_u64());
    let ids: Vec<u64> = asked.iter().map(|trial| trial["trial"].as_u64().unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    let lease = asked[1]["lease"].as_str().unwrap();
    let tell = |trial: &str, outcome: &str, more: &[&str]| {
        thrifty(path, &[&["tell", "study.toml", trial, outcome], more].concat())
    };
    let none = error(&tell("1", "0.5", &[]));
    assert!(none.contains("give --lease"), "{none}");
    let bad = error(&tell("1", "0.5", &["--lease", "nonsense"]));
    assert!(bad.contains("--lease is \"nonsense\", expected the lease that"), "{bad}");
    let others = error(&tell("2", "0.5", &["--lease", lease]));
    assert!(others.contains("trial 2 was handed out again"), "{others}");
    let unknown = error(&tell("17", "0.5", &["--lease", lease]));
    assert!(unknown.contains("trial 17"), "{unknown}");
    let unread = error(&tell("1", "half", &["--lease", lease]));
    assert!(unread.contains("\"half\" is neither"), "{unread}");
    assert_eq!(counts(path, &["show", "study.toml", "--json"]), (4, 0), "nothing was recorded");
    stdout(&tell("1", "{\"objective\": 0.5, \"reports\": [[1, 0.75]]}", &["--lease", lease]));
    let twice = error(&tell("1", "0.25", &["--lease", lease]));
    assert!(twice.contains("trial 1"), "{twice}");
    stdout(&tell("0", "out of memory", &["--failed", "--lease", asked[0]["lease"].as_str().unwrap()]));
    let best = json_of(path, &["best", "study.toml", "--json"]);
    assert_eq!((&best["trial"], &best["objective"]), (&json!(1), &json!(0.5)));
    let reports = stdout(&thrifty(path, &["export", "study.toml", "--reports"]));
    assert!(reports.contains("1,1,0.75"), "{reports}");
    // A store without the study is not begun by a tell.
    let empty = error(&tell("0", "1", &["--lease", lease, "--store", "sqlite://none.db"]));
    assert!(empty.contains("no trials yet") && !path.join("none.db").exists(), "{empty}");
}

#[test]
fn an_outcome_after_the_lease_is_refused_only_if_the_trial_was_handed_out_again() {
    let folder = study(STORE);
    let path = folder.path();
    let other = json_of(path, &["ask", "study.toml"]);
    let first = json_of(path, &["ask", "study.toml", "--lease-seconds", "0.2"]);
    assert_eq!((&other["trial"], &first["trial"]), (&json!(0), &json!(1)), "trial 0 is still leased");
    std::thread::sleep(Duration::from_millis(300));
    // The lease is over, and the trial is handed out again with a greater fencing number.
    let again = json_of(path, &["ask", "study.toml", "--lease-seconds", "0.2"]);
    assert_eq!((&again["trial"], &again["config"]), (&json!(1), &first["config"]));
    let tell = |trial: &Value, outcome: &str| {
        let (id, lease) = (trial["trial"].to_string(), trial["lease"].as_str().unwrap().to_owned());
        thrifty(path, &["tell", "study.toml", &id, outcome, "--lease", &lease])
    };
    let late = error(&tell(&first, "0.125"));
    assert!(late.contains("trial 1 was handed out again"), "{late}");
    assert_eq!(counts(path, &["show", "study.toml", "--json"]), (2, 0));
    std::thread::sleep(Duration::from_millis(300));
    stdout(&tell(&again, "0.25"));
    stdout(&tell(&other, "0.75"));
    assert_eq!(json_of(path, &["best", "study.toml", "--json"])["objective"], 0.25);
    for bad in ["0", "-1", "nan"] {
        let text = error(&thrifty(path, &["ask", "study.toml", &format!("--lease-seconds={bad}")]));
        assert!(text.contains("--lease-seconds is"), "{text}");
    }
}

/// A server of a study, line by line.
pub(crate) struct Server {
    pub(crate) child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Server {
    pub(crate) fn start(folder: &Path) -> (Self, Value) {
        let mut command = command(folder, &["serve", "study.toml"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self { child, lines };
        let hello = server.answer();
        (server, hello)
    }

    fn answer(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    pub(crate) fn call(&mut self, request: &str) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{request}").unwrap();
        self.answer()
    }
}

/// Failures that an earlier server recorded do not end the study of the next one, in a journal and in a store.
#[test]
fn failures_of_an_earlier_server_do_not_count() {
    for store in ["", STORE] {
        let folder = study(store);
        let fails = |server: &mut Server, trial: u64| {
            assert_eq!(server.call(r#"{"ask":{}}"#)["trial"], trial);
            server.call(&format!(r#"{{"fail":{{"trial":{trial},"message":"no"}}}}"#))
        };
        let (mut first, _) = Server::start(folder.path());
        (0..10).for_each(|trial| drop(fails(&mut first, trial)));
        assert_eq!(first.call(r#"{"ask":{}}"#), json!({"stopped": "10 trials in a row failed"}), "{store}");
        drop(first.child.stdin.take());
        assert!(first.child.wait().unwrap().success());
        let (mut second, hello) = Server::start(folder.path());
        assert_eq!(hello["trials"], 10);
        fails(&mut second, 10);
        assert_eq!(second.call(r#"{"ask":{}}"#)["trial"], 11, "{store}");
    }
}

#[test]
fn servers_share_a_study_and_keep_their_trials_while_they_live() {
    // Three seconds: a busy machine may delay a heartbeat by one.
    let store = STORE.replace("lease_seconds = 1", "lease_seconds = 3");
    let folder = study(&format!("direction = \"maximize\"\n{store}"));
    let (mut one, hello) = Server::start(folder.path());
    assert_eq!(hello, json!({"protocol": 1, "trials": 0, "directions": ["maximize"]}));
    let (mut other, _) = Server::start(folder.path());
    assert_eq!(one.call(r#"{"ask":{}}"#)["trial"], 0);
    assert_eq!(other.call(r#"{"ask":{}}"#)["trial"], 1);
    let refused = other.call(r#"{"tell":{"trial":0,"outcome":1}}"#);
    assert!(refused["error"].as_str().unwrap().contains("trial 0 was not asked here"), "{refused}");
    assert_eq!(
        other.call(r#"{"report":{"trial":1,"step":3,"value":0.5}}"#),
        json!({"reported": 1, "prune": false})
    );
    assert_eq!(other.call(r#"{"pruned":{"trial":1}}"#), json!({"told": 1}));
    // Longer than the lease: the server extends it.
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(other.call(r#"{"ask":{}}"#)["trial"], 2);
    // An outcome that is refused leaves no reports.
    let refused =
        one.call(r#"{"tell":{"trial":0,"outcome":{"objective":0.5,"cost":-1,"reports":[[1,0.25]]}}}"#);
    assert!(refused["error"].as_str().unwrap().contains("trial 0: the cost is -1"), "{refused}");
    assert_eq!(one.call(r#"{"tell":{"trial":0,"outcome":0.5}}"#), json!({"told": 0}));
    let reports = stdout(&thrifty(folder.path(), &["export", "study.toml", "--reports"]));
    assert_eq!(reports, "trial,step,value\n1,3,0.5\n");
    assert!(one.call(r#"{"tell":{"trial":0,"outcome":0.5}}"#)["error"].as_str().unwrap().contains("trial 0"));
    assert_eq!(other.call(r#"{"best":{}}"#)["best"]["objective"], 0.5);
    // The trial of a server that is killed is handed out again.
    other.child.kill().unwrap();
    other.child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(3600));
    assert_eq!(one.call(r#"{"ask":{}}"#)["trial"], 2);
    assert_eq!(one.call(r#"{"fail":{"trial":2,"message":"no"}}"#), json!({"told": 2}));
    drop(one.child.stdin.take());
    assert!(one.child.wait().unwrap().success());
    assert_eq!(counts(folder.path(), &["show", "study.toml", "--json"]), (3, 1));
}
