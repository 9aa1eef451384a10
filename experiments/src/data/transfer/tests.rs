//! Transfers from a server on loopback.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use super::server::{Server, answer, rest, torn, whole};
use super::*;

fn body() -> Vec<u8> {
    (0..200_000_u32).map(|i| (i.wrapping_mul(i) / 7) as u8).collect()
}

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn part(&self) -> PathBuf {
        self.folder.path().join("x.part")
    }

    fn fetch_to(&self, address: &str, disk: &dyn Disk) -> Result<Vec<u8>, DataError> {
        Transfer::new(agent(), disk).hurried().fetch(address, &self.part(), &|_, _| ())?;
        Ok(fs::read(self.part()).unwrap())
    }

    fn fetch(&self, address: &str) -> Result<Vec<u8>, DataError> {
        self.fetch_to(address, &RealDisk)
    }

    fn files(&self) -> usize {
        fs::read_dir(self.folder.path()).unwrap().count()
    }
}

#[test]
fn a_torn_transfer_goes_on_where_it_was() {
    let server = Server::start(|request, before| match request.first() {
        None => torn(&body(), "\"1\"", 50_000),
        Some(first) if before == 1 => rest(&body()[..], "\"1\"", first)[..30_000].to_vec(),
        Some(first) => rest(&body(), "\"1\"", first),
    });
    let place = Place::new();
    assert!(place.fetch(&server.address).unwrap() == body());
    let requests = server.requests();
    let firsts: Vec<_> = requests.iter().map(super::server::Request::first).collect();
    assert_eq!(firsts.len(), 3);
    assert_eq!(firsts[..2], [None, Some(50_000)]);
    assert!(firsts[2].unwrap() > 70_000);
    assert_eq!(requests[2].headers["if-range"], "\"1\"");
}

#[test]
fn a_later_process_goes_on_and_a_complete_part_is_not_asked_for_again() {
    let server = Server::start(|request, before| match request.first() {
        None => torn(&body(), "\"1\"", 70_000),
        Some(_) if before < 5 => torn(&body(), "\"1\"", 0)[..20].to_vec(),
        Some(first) => rest(&body(), "\"1\"", first),
    });
    let place = Place::new();
    let error = place.fetch(&server.address).unwrap_err();
    assert!(
        matches!(error, DataError::Torn { have: 70_000, total: Some(200_000), .. })
            || matches!(error, DataError::Network { .. }),
        "{error}"
    );
    while place.fetch(&server.address).is_err() {}
    assert!(fs::read(place.part()).unwrap() == body());
    let asked = server.requests().len();
    assert!(server.requests()[1..].iter().all(|request| request.first() == Some(70_000)));
    place.fetch(&server.address).unwrap();
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_server_that_ignores_ranges_sends_the_whole_file_again() {
    let server = Server::start(|_, before| match before {
        0 => torn(&body(), "\"1\"", 50_000),
        _ => whole(&body(), "\"1\""),
    });
    assert!(Place::new().fetch(&server.address).unwrap() == body());
    assert_eq!(server.requests()[1].first(), Some(50_000));
}

#[test]
fn a_server_that_never_sends_all_is_given_up() {
    let server = Server::start(|_, _| torn(&body(), "\"1\"", 50_000));
    let place = Place::new();
    let error = place.fetch(&server.address).unwrap_err();
    assert!(matches!(error, DataError::Torn { have: 50_000, total: Some(200_000), .. }), "{error}");
    assert!(error.to_string().contains("broke off after 50000 bytes of 200000"), "{error}");
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn a_file_that_changed_between_two_parts_is_begun_anew() {
    let changed = || body().into_iter().rev().collect::<Vec<u8>>();
    // A server that heeds If-Range sends the new version whole.
    let heeds = Server::start(move |_, before| match before {
        0 => torn(&body(), "\"1\"", 50_000),
        _ => whole(&changed(), "\"2\""),
    });
    assert!(Place::new().fetch(&heeds.address).unwrap() == changed());
    // One that does not sends the rest of another version: by its tag, or by its length.
    let ignores = Server::start(move |request, before| match (before, request.first()) {
        (0, _) => torn(&body(), "\"1\"", 50_000),
        (_, Some(first)) => rest(&changed(), "\"2\"", first),
        (_, None) => whole(&changed(), "\"2\""),
    });
    assert!(Place::new().fetch(&ignores.address).unwrap() == changed());
    let longer = || [body(), vec![7; 10]].concat();
    let same_tag = Server::start(move |request, before| match (before, request.first()) {
        (0, _) => torn(&body(), "\"1\"", 50_000),
        (_, Some(first)) => rest(&longer(), "\"1\"", first),
        (_, None) => whole(&longer(), "\"1\""),
    });
    assert!(Place::new().fetch(&same_tag.address).unwrap() == longer());
}

#[test]
fn nothing_is_appended_without_a_validator() {
    for tag in ["", "ETag: W/\"1\"\r\n"] {
        let server = Server::start(move |_, before| {
            let headers = format!("Content-Length: 200000\r\n{tag}");
            answer("200 OK", &headers, &body()[..if before == 0 { 50_000 } else { 200_000 }])
        });
        assert!(Place::new().fetch(&server.address).unwrap() == body());
        assert_eq!(server.requests()[1].first(), None);
    }
    let dated = Server::start(|request, _| match request.first() {
        None => answer("200 OK", "Content-Length: 200000\r\nLast-Modified: Mon\r\n", &body()[..9]),
        Some(9) => {
            let range =
                "Content-Length: 199991\r\nContent-Range: bytes 9-199999/200000\r\nLast-Modified: Mon\r\n";
            answer("206 Partial Content", range, &body()[9..])
        }
        Some(_) => unreachable!(),
    });
    assert!(Place::new().fetch(&dated.address).unwrap() == body());
}

#[test]
fn a_part_that_is_whole_is_accepted_from_416_alone_when_the_length_fits() {
    let unknown_length = |total: usize| {
        Server::start(move |request, _| match request.first() {
            None => answer("200 OK", "ETag: \"1\"\r\nTransfer-Encoding: chunked\r\n", b"3\r\nabc\r\n"),
            Some(_) => {
                answer("416 Range Not Satisfiable", &format!("Content-Range: bytes */{total}\r\n"), b"")
            }
        })
    };
    assert_eq!(Place::new().fetch(&unknown_length(3).address).unwrap(), b"abc");
    let error = Place::new().fetch(&unknown_length(4).address).unwrap_err();
    assert!(matches!(error, DataError::Torn { .. }), "{error}");
}

#[test]
fn redirects_are_followed_and_loops_are_not() {
    let server = Server::start(|request, _| match request.path.as_str() {
        "/old" => answer("302 Found", "Location: /new\r\nContent-Length: 0\r\n", b""),
        "/new" => whole(&body(), "\"1\""),
        path => answer("301 Moved", &format!("Location: {path}\r\nContent-Length: 0\r\n"), b""),
    });
    assert!(Place::new().fetch(&format!("{}/old", server.address)).unwrap() == body());
    let place = Place::new();
    let error = place.fetch(&format!("{}/loop", server.address)).unwrap_err();
    assert!(matches!(error, DataError::Network { .. }), "{error}");
    assert_eq!(place.files(), 0);
}

#[test]
fn errors_of_the_server_and_of_the_network_are_named_and_leave_nothing() {
    let missing = Server::start(|_, _| answer("404 Not Found", "Content-Length: 0\r\n", b""));
    let place = Place::new();
    let error = place.fetch(&missing.address).unwrap_err();
    assert!(matches!(error, DataError::Status { status: 404, .. }), "{error}");
    assert_eq!((missing.requests().len(), place.files()), (1, 0));
    let busy = Server::start(|_, before| match before {
        0 => answer("503 Service Unavailable", "Content-Length: 0\r\n", b""),
        _ => whole(&body(), "\"1\""),
    });
    assert!(Place::new().fetch(&busy.address).unwrap() == body());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = place.fetch(&format!("http://{closed}")).unwrap_err();
    assert!(matches!(error, DataError::Network { .. }), "{error}");
    assert!(error.to_string().contains("nothing was changed"), "{error}");
    assert_eq!(place.files(), 0);
}

/// A disk with room for some bytes.
struct FullAfter(usize);

struct Limited {
    file: Box<dyn Write>,
    room: usize,
}

impl Disk for FullAfter {
    fn open(&self, path: &Path, append: bool) -> io::Result<Box<dyn Write>> {
        Ok(Box::new(Limited { file: RealDisk.open(path, append)?, room: self.0 }))
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        let written = self.file.write(&bytes[..bytes.len().min(self.room)])?;
        self.room -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[test]
fn a_full_disk_is_named_and_the_rest_comes_when_there_is_room() {
    let server = Server::start(|request, _| match request.first() {
        None => whole(&body(), "\"1\""),
        Some(first) => rest(&body(), "\"1\"", first),
    });
    let place = Place::new();
    let error = place.fetch_to(&server.address, &FullAfter(90_000)).unwrap_err();
    assert!(
        matches!(&error, DataError::Io { source, .. } if source.kind() == ErrorKind::StorageFull),
        "{error}"
    );
    assert!(place.fetch(&server.address).unwrap() == body());
    assert_eq!(server.requests()[1].first(), Some(90_000));
}
