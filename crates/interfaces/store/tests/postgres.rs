//! Shared logs in PostgreSQL: the contract, many workers, encryption, and a server that fails.

#[path = "common/cluster.rs"]
mod cluster;
mod common;

use std::process::Command;
use std::time::{Duration, Instant};

use cluster::Cluster;
use thrifty_store::{PostgresLog, open, open_read_only};
use thrifty_study::contract;
use thrifty_study::shared::AppendError;

#[test]
fn worker_process() {
    common::be_a_worker();
}

#[test]
fn postgres_keeps_the_contract_of_logs() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    contract::event_log(&|number| {
        Box::new(PostgresLog::open(&cluster.address(""), &format!("study '{number}'")).unwrap())
    });
}

#[test]
fn sixteen_workers_make_exactly_the_trials_and_every_ask_replays() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    common::sixteen_threads("random", 1000, &cluster.address(""), Duration::from_millis(2));
    common::sixteen_threads("tpe", 200, &cluster.address(""), Duration::from_millis(2));
}

#[test]
fn killed_workers_lose_no_trial() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    common::killed_processes(20, &cluster.address(""));
}

#[test]
fn a_trial_that_takes_its_workers_down_fails() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    common::a_lethal_trial(&cluster.address(""));
}

#[test]
fn trials_that_are_given_back_are_handed_out_at_once() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    common::released_trials(&cluster.address(""));
}

#[test]
#[ignore = "takes a minute"]
fn two_hundred_killed_workers_lose_no_trial() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    common::killed_processes(200, &cluster.address(""));
}

/// Kills the server and its sessions (SIGKILL) while sixteen workers write, and starts it again.
fn killed_servers(kills: usize) {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let address = cluster.address("");
    // Sixteen evaluations of 10 ms on average cannot make a thousand trials before the next kill.
    let limit = Duration::from_millis(20);
    std::thread::scope(|scope| {
        let study = scope.spawn(|| common::sixteen_threads("random", 1000 * kills, &address, limit));
        for kill in 0..kills {
            std::thread::sleep(Duration::from_millis(250 + 13 * (kill as u64 % 7)));
            assert!(!study.is_finished(), "kill {kill} comes before the end of the study");
            cluster.kill();
            std::thread::sleep(Duration::from_millis(100));
            cluster.run();
        }
    });
}

#[test]
fn killed_servers_lose_no_trial() {
    killed_servers(3);
}

#[test]
#[ignore = "takes minutes"]
fn twenty_killed_servers_lose_no_trial() {
    killed_servers(20);
}

#[test]
fn many_processes_may_make_the_tables_at_once() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let address = cluster.address("");
    std::thread::scope(|scope| {
        let open = |_| scope.spawn(|| open(&address, "one").unwrap().append(0, &["{}".into()], None));
        let opened: Vec<_> = (0..8).map(open).collect();
        let first = opened.into_iter().map(|t| t.join().unwrap().is_ok());
        assert_eq!(first.filter(|is_first| *is_first).count(), 1);
    });
}

/// A store of schema version 0, which has a version and no tables yet: opening it makes the tables and counts on from there.
#[test]
fn a_store_without_tables_is_migrated_to_the_latest_version() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let mut client = cluster.client().unwrap();
    let begun = "CREATE SCHEMA thrifty; CREATE TABLE thrifty.schema_version (version bigint NOT NULL);
        INSERT INTO thrifty.schema_version VALUES (0)";
    client.batch_execute(begun).unwrap();
    let mut log = open(&cluster.address(""), "one").unwrap();
    log.append(0, &["{}".into()], None).unwrap();
    let versions = client.query("SELECT version FROM thrifty.schema_version", &[]).unwrap();
    let versions: Vec<i64> = versions.iter().map(|row| row.get(0)).collect();
    assert_eq!(versions, [1], "one row with the latest version");
}

#[test]
fn a_wait_is_woken_by_another_connection() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let [mut one, mut other] = [(); 2].map(|()| open(&cluster.address(""), "one").unwrap());
    one.append(0, &["{}".into()], None).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            one.append(1, &["{}".into()], None).unwrap();
        });
        let started_at = Instant::now();
        other.wait(1, Duration::from_secs(60)).unwrap();
        assert!((0.15..10.0).contains(&started_at.elapsed().as_secs_f64()));
    });
}

#[test]
fn a_store_that_cannot_be_used_says_why_in_one_sentence() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let message = |address: &str| open(address, "s").err().unwrap().to_string();
    let empty = open_read_only(&cluster.address(""), "s").err().unwrap().to_string();
    assert!(empty.ends_with("has no trials yet"), "{empty}");
    let mut log = open(&cluster.address(""), "s").unwrap();
    let missing = message(&cluster.address("").replace("/postgres", "/nowhere"));
    assert!(missing.contains("cannot be used: database \"nowhere\" does not exist"), "{missing}");
    let plain = message(&cluster.address("?sslmode=require"));
    assert!(plain.contains("cannot be reached") && plain.contains("TLS"), "{plain}");

    let mut reader = open_read_only(&cluster.address(""), "s").unwrap();
    let Err(AppendError::Log(error)) = reader.append(0, &["{}".into()], None) else { panic!("read-only") };
    assert!(error.to_string().contains("is read-only") && !error.is_temporary(), "{error}");

    let mut client = cluster.client().unwrap();
    client.execute("UPDATE thrifty.schema_version SET version = 7", &[]).unwrap();
    for newer in [open(&cluster.address(""), "s"), open_read_only(&cluster.address(""), "s")] {
        let newer = newer.err().unwrap().to_string();
        assert!(newer.contains("has schema version 7, this program knows version 1"), "{newer}");
    }
    client.execute("UPDATE thrifty.schema_version SET version = 1", &[]).unwrap();

    cluster.stop();
    let down = message(&cluster.address(""));
    assert!(down.contains("cannot be reached") && !down.contains("secret"), "{down}");
    let error = log.read_from(0).unwrap_err();
    assert!(error.is_temporary() && error.to_string().contains("cannot be reached"), "{error}");
    cluster.run();
    assert!(log.read_from(0).unwrap().is_empty(), "a new connection");
}

#[test]
fn connections_are_encrypted_and_servers_verified() {
    let certificate = tempfile::tempdir().unwrap();
    let file = |name: &str| certificate.path().join(name);
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(file("key"))
        .arg("-out")
        .arg(file("certificate"))
        .output();
    let Some(made) = made.ok().filter(|output| output.status.success()) else {
        assert!(std::env::var_os("THRIFTY_REQUIRE_POSTGRES").is_none(), "openssl is not installed");
        eprintln!("SKIPPED: openssl is not installed");
        return;
    };
    drop(made);
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    cluster.stop();
    let read = |name: &str| std::fs::read_to_string(file(name)).unwrap();
    let (key, own) = (cluster.write("key", &read("key")), cluster.write("certificate", &read("certificate")));
    let config = std::fs::read_to_string(cluster.data().join("postgresql.conf")).unwrap();
    let tls = format!("ssl = on\nssl_key_file = '{}'\nssl_cert_file = '{}'\n", key.display(), own.display());
    std::fs::write(cluster.data().join("postgresql.conf"), config + &tls).unwrap();
    cluster.run();
    let root = format!("&sslrootcert={}", own.display());
    for (parameters, is_encrypted) in [
        ("?sslmode=disable", false),
        ("", true),
        ("?sslmode=require", true),
        (&format!("?sslmode=verify-full{root}"), true),
    ] {
        let log =
            open(&cluster.address(parameters), "s").unwrap_or_else(|error| panic!("{parameters}: {error}"));
        let mut client = cluster.client().unwrap();
        let count = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND application_name = 'thrifty'";
        assert_eq!(
            client.query_one(count, &[]).unwrap().get::<_, i64>(0),
            i64::from(is_encrypted),
            "{parameters}"
        );
        drop(log);
        // The server ends the session a moment later.
        std::thread::sleep(Duration::from_millis(200));
    }
    let message = |address: String| open(&address, "s").err().unwrap().to_string();
    let unknown = message(cluster.address("?sslmode=verify-full"));
    assert!(unknown.contains("certificate"), "{unknown}");
    let other =
        message(cluster.address(&format!("?sslmode=verify-full{root}")).replace("localhost", "127.0.0.1"));
    assert!(other.contains("certificate") && !other.contains("secret"), "{other}");
}
