//! Sets from a server on loopback, through checks and conversion.

use std::io::{self, ErrorKind, Write};

use super::*;
use crate::data::set::{Address, Layout, TableLayout};
use crate::data::transfer::server::{Server, answer, rest, torn, whole};
use crate::data::transfer::{Disk, RealDisk, agent};

const TEXT: &str = "1,2,no\n3,4,yes\n";

fn sum_of(text: &[u8]) -> &'static str {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, text).unwrap();
    Box::leak(sha256(&path).unwrap().into_boxed_str())
}

/// A set of one file at an address.
fn set(url: &str, conversion: Conversion, sha256: Option<&'static str>) -> DataSet {
    let url = Box::leak(url.to_owned().into_boxed_str());
    let origin = Origin::Address { address: Address { url, checked: false }, conversion };
    of(origin, sha256)
}

fn of(origin: Origin, sha256: Option<&'static str>) -> DataSet {
    let layout = TableLayout { header: false, columns: Some(3), classes: &["no", "yes"], ..TableLayout::CSV };
    let file = DataFile { path: "a/b.csv", bytes: None, sha256, origin, layout: Layout::Table(layout) };
    DataSet {
        name: "b",
        what: "a table",
        source: "a test",
        licence: "none",
        used_by: &[],
        files: Box::leak(Box::new([file])),
    }
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn try_get(
        &self,
        set: &DataSet,
        from: Option<&Path>,
        accept: &[String],
        openml: &str,
        disk: &dyn Disk,
    ) -> Result<Got, DataError> {
        let transfer = Transfer::new(agent(), disk).hurried();
        let getter = Getter { folder: self.0.path(), transfer, accept, openml, progress: &|_, _, _| () };
        getter.get(set, from).map(|files| files[0].1)
    }

    fn get(&self, set: &DataSet) -> Result<Got, DataError> {
        self.try_get(set, None, &[], "", &RealDisk)
    }

    fn accept(&self, set: &DataSet, sum: &str) -> Result<Got, DataError> {
        self.try_get(set, None, &[sum.to_owned()], "", &RealDisk)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.path().join("a/b.csv")).unwrap()
    }

    /// Names of the files in the folder of the set.
    fn files(&self) -> Vec<String> {
        let folder = fs::read_dir(self.0.path().join("a")).into_iter().flatten();
        let mut names: Vec<String> =
            folder.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[test]
fn a_file_with_its_sum_is_installed_once() {
    let server = Server::of(TEXT);
    let set = set(&server.address, Conversion::AsIs, Some(sum_of(TEXT.as_bytes())));
    let place = Place::new();
    assert_eq!(place.get(&set).unwrap(), Got::Installed);
    assert_eq!((place.text().as_str(), place.files()), (TEXT, vec!["b.csv".to_owned()]));
    assert_eq!(place.get(&set).unwrap(), Got::Present);
    assert_eq!(server.requests().len(), 1);
    // Another version in its place is replaced.
    fs::write(place.0.path().join("a/b.csv"), "1,2,no\n").unwrap();
    assert_eq!(place.get(&set).unwrap(), Got::Installed);
    assert_eq!(place.text(), TEXT);
}

#[test]
fn a_wrong_sum_is_refused_and_what_was_there_stays() {
    let server = Server::of("1,2,no\n3,4,maybe\n");
    let set = set(&server.address, Conversion::AsIs, Some(sum_of(TEXT.as_bytes())));
    let place = Place::new();
    fs::create_dir(place.0.path().join("a")).unwrap();
    fs::write(place.0.path().join("a/b.csv"), "mine").unwrap();
    let error = place.get(&set).unwrap_err();
    assert!(
        matches!(&error, DataError::WrongSum { expected, .. } if expected == sum_of(TEXT.as_bytes())),
        "{error}"
    );
    assert_eq!((place.text().as_str(), place.files()), ("mine", vec!["b.csv".to_owned()]));
    // No acceptance overrules a sum that is known.
    assert!(place.accept(&set, sum_of(b"1,2,no\n3,4,maybe\n")).is_err());
    assert_eq!(place.text(), "mine");
}

#[test]
fn an_unknown_sum_is_shown_and_waits_for_the_user() {
    let server = Server::of(TEXT);
    let set = set(&server.address, Conversion::AsIs, None);
    let (place, sum) = (Place::new(), sum_of(TEXT.as_bytes()));
    let error = place.get(&set).unwrap_err();
    assert!(matches!(&error, DataError::Unaccepted { found, .. } if found == sum), "{error}");
    assert!(error.to_string().contains(&format!("`data get b --accept {sum}`")), "{error}");
    assert_eq!(place.files(), ["b.csv.part", "b.csv.part.json"]);
    assert!(place.accept(&set, &"0".repeat(64)).is_err());
    assert_eq!(place.accept(&set, sum).unwrap(), Got::Installed);
    assert_eq!((place.text().as_str(), place.files()), (TEXT, vec!["b.csv".to_owned()]));
    // What was downloaded is not asked for again, and the decision is kept.
    assert_eq!(server.requests().len(), 1);
    assert_eq!(place.get(&set).unwrap(), Got::Present);
    let listed = fs::read_to_string(place.0.path().join("SHA256SUMS")).unwrap();
    assert_eq!(listed, format!("{sum}  a/b.csv\n"));
}

#[test]
fn an_accepted_file_of_another_form_is_refused() {
    for (text, words) in [("1,2,maybe\n", "the class \"maybe\""), ("1,no\n", "2 columns, expected 3")] {
        let server = Server::of(text);
        let set = set(&server.address, Conversion::AsIs, None);
        let place = Place::new();
        let error = place.accept(&set, sum_of(text.as_bytes())).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(place.files().is_empty() && !place.0.path().join("SHA256SUMS").exists());
    }
}

#[test]
fn conversions_are_judged_by_the_sum_of_the_file_that_is_read() {
    let known = Some(sum_of(TEXT.as_bytes()));
    let joined = Conversion::Cells { header: None, joint: ",", closed: true };
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(TEXT.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for (body, conversion) in [(b"1 2 no\n3 4 yes".to_vec(), joined), (packed.clone(), Conversion::Gunzip)] {
        let place = Place::new();
        let server = Server::of(body);
        assert_eq!(place.get(&set(&server.address, conversion, known)).unwrap(), Got::Installed);
        assert_eq!((place.text().as_str(), place.files()), (TEXT, vec!["b.csv".to_owned()]));
    }
    let damaged = [packed[..packed.len() - 6].to_vec(), b"no archive".to_vec()];
    for (body, conversion) in damaged
        .map(|body| (body, Conversion::Gunzip))
        .into_iter()
        .chain([(b"1 2 no\n3 4".to_vec(), joined), (b"1 2 no\n3 5 yes".to_vec(), joined)])
    {
        let place = Place::new();
        let server = Server::of(body);
        assert!(place.get(&set(&server.address, conversion, known)).is_err());
        assert!(!place.0.path().join("a").exists(), "{:?}", place.files());
    }
}

#[test]
fn openml_is_asked_where_the_file_is() {
    const ARFF: &str = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {no,yes}\n@data\n1,2,no\n3,4,yes\n";
    let server = Server::start(|request, _| match (request.path.as_str(), request.headers.get("host")) {
        ("/data/7", Some(host)) => {
            let text =
                format!("{{\"data_set_description\": {{\"id\": \"7\", \"url\": \"http://{host}/file\"}}}}");
            whole(text.as_bytes(), "\"1\"")
        }
        ("/file", _) => whole(ARFF.as_bytes(), "\"2\""),
        ("/data/8", _) => whole(b"{\"error\": {\"code\": \"111\"}}", "\"1\""),
        _ => answer("404 Not Found", "Content-Length: 0\r\n", b""),
    });
    let layout = TableLayout { columns: Some(3), named: &["c"], classes: &["no", "yes"], ..TableLayout::CSV };
    let file = |id| DataFile {
        path: "a/b.csv",
        bytes: None,
        sha256: None,
        origin: Origin::OpenMl { id },
        layout: Layout::Table(layout),
    };
    let set = |id| DataSet { files: Box::leak(Box::new([file(id)])), ..of(Origin::OpenMl { id }, None) };
    let place = Place::new();
    let base = format!("{}/data/", server.address);
    let accept = [sum_of(ARFF.as_bytes()).to_owned()];
    let get = |id| place.try_get(&set(id), None, &accept, &base, &RealDisk);
    assert_eq!(get(7).unwrap(), Got::Installed);
    assert_eq!(place.text(), "a,b,c\n1,2,no\n3,4,yes\n");
    let error = |id| get(id).unwrap_err().to_string();
    fs::remove_file(place.0.path().join("a/b.csv")).unwrap();
    assert!(error(8).contains("the description names no url"), "{}", error(8));
    assert!(place.files().is_empty());
}

#[test]
fn files_of_this_machine_are_checked_and_converted_too() {
    let known = Some(sum_of(TEXT.as_bytes()));
    let joined = Conversion::Cells { header: None, joint: ",", closed: true };
    let by_hand = of(Origin::ByHand { page: "a page", conversion: joined }, known);
    let place = Place::new();
    let error = place.get(&by_hand).unwrap_err().to_string();
    assert!(error.contains("from a page by hand") && error.contains("`data get b --from PATH`"), "{error}");
    let elsewhere = tempfile::tempdir().unwrap();
    let raw = elsewhere.path().join("b.csv");
    let import = |from: &Path| place.try_get(&by_hand, Some(from), &[], "", &RealDisk);
    assert!(
        import(elsewhere.path())
            .unwrap_err()
            .to_string()
            .contains("neither a/b.csv nor a folder that has it")
    );
    // Raw, in a folder under its name; then as it is read, under its path.
    fs::write(&raw, "1 2 no\n3 4 yes\n").unwrap();
    assert_eq!(import(elsewhere.path()).unwrap(), Got::Installed);
    assert_eq!(place.text(), TEXT);
    fs::create_dir(elsewhere.path().join("a")).unwrap();
    fs::write(elsewhere.path().join("a/b.csv"), TEXT).unwrap();
    assert_eq!(import(elsewhere.path()).unwrap(), Got::Present);
    let target = place.0.path().join("a/b.csv");
    fs::remove_file(&target).unwrap();
    assert_eq!(import(elsewhere.path()).unwrap(), Got::Installed);
    fs::remove_file(&raw).unwrap();
    fs::write(&raw, "1 2 no\n").unwrap();
    fs::write(&target, "mine").unwrap();
    assert!(matches!(import(&raw).unwrap_err(), DataError::WrongSum { .. }));
    assert_eq!((place.text().as_str(), place.files()), ("mine", vec!["b.csv".to_owned()]));
    assert!(raw.exists());
}

#[test]
fn recipes_are_followed_and_held_against_their_sums() {
    let made = |out: &mut dyn Write| out.write_all(TEXT.as_bytes());
    let place = Place::new();
    let right = of(Origin::Made(made), Some(sum_of(TEXT.as_bytes())));
    assert_eq!(place.get(&right).unwrap(), Got::Installed);
    assert_eq!(place.get(&right).unwrap(), Got::Present);
    let drifted = of(Origin::Made(made), Some(sum_of(b"another text")));
    assert!(matches!(place.get(&drifted).unwrap_err(), DataError::WrongSum { .. }));
    assert_eq!((place.text().as_str(), place.files()), (TEXT, vec!["b.csv".to_owned()]));
}

/// A disk that has no room for files of this ending.
struct NoRoomFor(&'static str);

impl Disk for NoRoomFor {
    fn open(&self, path: &Path, append: bool) -> io::Result<Box<dyn Write>> {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let file = RealDisk.open(path, append)?;
        Ok(if path.extension().is_some_and(|ending| ending == self.0) { Box::new(Full) } else { file })
    }
}

#[test]
fn a_disk_that_is_full_during_the_conversion_leaves_no_half_of_a_file() {
    let server = Server::of(TEXT);
    let set = set(&server.address, Conversion::AsIs, Some(sum_of(TEXT.as_bytes())));
    let place = Place::new();
    let full = |ending| place.try_get(&set, None, &[], "", &NoRoomFor(ending)).unwrap_err().to_string();
    assert!(full("part").contains("b.csv.part: "));
    assert!(full("new").contains("b.csv.new: "));
    // The download is whole and is used when there is room.
    assert_eq!(place.files(), ["b.csv.part", "b.csv.part.json"]);
    let asked = server.requests().len();
    assert_eq!(place.get(&set).unwrap(), Got::Installed);
    assert_eq!((server.requests().len(), place.files()), (asked, vec!["b.csv".to_owned()]));
}

#[test]
fn a_torn_download_is_finished_and_installed() {
    let server = Server::start(|request, _| match request.first() {
        None => torn(TEXT.as_bytes(), "\"1\"", 5),
        Some(first) => rest(TEXT.as_bytes(), "\"1\"", first),
    });
    let place = Place::new();
    let set = set(&server.address, Conversion::AsIs, Some(sum_of(TEXT.as_bytes())));
    assert_eq!(place.get(&set).unwrap(), Got::Installed);
    assert_eq!(server.requests().len(), 2);
    assert_eq!(place.text(), TEXT);
}
