//! Shared logs in SQLite: the contract, and errors in one sentence.

use thrifty_store::{SqliteLog, open, open_read_only};
use thrifty_study::contract;
use thrifty_study::shared::{AppendError, EventLog};

#[test]
fn sqlite_keeps_the_contract_of_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("studies.db");
    contract::event_log(&|number| Box::new(SqliteLog::open(&path, &format!("study {number}")).unwrap()));
}

#[test]
fn a_store_that_cannot_be_used_says_why_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let message = |name: &str| SqliteLog::open(file(name), "s").unwrap_err().to_string();
    std::fs::write(file("text"), "no database at all, but longer than its header would be".repeat(40))
        .unwrap();
    assert!(message("text").ends_with("cannot be used: file is not a database"), "{}", message("text"));
    assert!(
        message("no/folder/x.db").contains("unable to open database file"),
        "{}",
        message("no/folder/x.db")
    );
    let other = rusqlite::Connection::open(file("other.db")).unwrap();
    other.execute_batch("CREATE TABLE events (x)").unwrap();
    assert!(message("other.db").contains("is a database of another program"), "{}", message("other.db"));

    let address = format!("sqlite://{}", file("new.db").display());
    let empty = open_read_only(&address, "s").err().unwrap().to_string();
    assert!(empty.ends_with("has no trials yet") && !file("new.db").exists(), "{empty}");
    std::fs::write(file("new.db"), "").unwrap();
    assert_eq!(open_read_only(&address, "s").err().unwrap().to_string(), empty, "a file without tables");
    drop(open(&address, "s").unwrap());
    let mut log = open_read_only(&address, "s").unwrap();
    assert!(log.read_from(0).unwrap().is_empty());
    let Err(AppendError::Log(error)) = log.append(0, &["{}".into()], None) else { panic!("read-only") };
    assert!(error.to_string().contains("is read-only") && !error.is_temporary(), "{error}");
    assert!(open_read_only(&address, "t").is_err());
}

#[test]
fn addresses_are_checked_and_passwords_not_repeated() {
    for address in ["", "sqlite:", "sqlite://", "mysql://user:secret@host/x", "study.jsonl"] {
        let error = open(address, "s").err().unwrap().to_string();
        assert!(error.contains("expected an address") && !error.contains("secret"), "{error}");
    }
}

#[test]
fn a_file_keeps_its_entries_and_studies_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("studies.db");
    for round in 0..3_u64 {
        let mut log = SqliteLog::open(&path, "naïve'; --").unwrap();
        assert_eq!(log.read_from(0).unwrap().len() as u64, round);
        log.append(round, &[format!("{{\"round\":{round}}}")], None).unwrap();
        assert!(log.name().contains("studies.db, study naïve"));
    }
    assert!(SqliteLog::open(&path, "other").unwrap().read_from(0).unwrap().is_empty());
}

#[test]
fn many_connections_may_make_the_tables_at_once() {
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("studies.db");
        std::thread::scope(|scope| {
            let open = |_| scope.spawn(|| SqliteLog::open(&path, "one").map(drop));
            let opened: Vec<_> = (0..8).map(open).collect();
            for thread in opened {
                thread.join().unwrap().unwrap();
            }
        });
    }
}
