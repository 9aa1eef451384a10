//! Maps that are built in a file: killed and continued, cut off, damaged, or of another build.

use std::path::{Path, PathBuf};

use thrifty_autobct::{
    AutoBctError, Controls, Decision, MapBuild, MapProgress, MapSettings, NoiseStdDev, Quadrature, Regressor,
    SamplingSettings, State, ValueMap,
};
use thrifty_linear::{Coefficients, Polynomial};
use thrifty_sampling::Seed;
use thrifty_trees::ForestSettings;

/// All inputs of a build.
#[derive(Clone)]
struct Inputs {
    decision: Decision,
    prior: State,
    cloud: SamplingSettings,
    settings: MapSettings,
}

fn decision(gamma: f64) -> Decision {
    let basis = Polynomial::of_one(2, 0.5);
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    let controls = Controls::new(Controls::grid(1, 5).as_ref(), &basis, &basis, noise).unwrap();
    Decision::new(gamma, controls, Quadrature::Hermite(3)).unwrap()
}

fn inputs(depth: usize) -> Inputs {
    let forest = ForestSettings { trees: 4, ..ForestSettings::default() };
    let line = Coefficients::independent(vec![0.4, 0.1, -0.2], &[1.0; 3]).unwrap();
    Inputs {
        decision: decision(0.16),
        prior: State { score: line.clone(), cost: line },
        cloud: SamplingSettings { drawn: 9, levels: 4, roots: 1, depth: 1, ..SamplingSettings::small() },
        settings: MapSettings {
            regressor: Regressor::Forest(forest),
            ..MapSettings::paper(depth, 7, Seed(3))
        },
    }
}

impl Inputs {
    fn in_file(&self, path: &Path) -> Result<MapBuild<'_>, AutoBctError> {
        MapBuild::in_file(path, &self.decision, &self.prior, &self.cloud, &self.settings)
    }

    fn at_once(&self) -> Vec<u8> {
        let Self { decision, prior, cloud, settings } = self;
        bytes(&ValueMap::build(decision, prior, cloud, settings, 1).unwrap())
    }
}

fn bytes(map: &ValueMap) -> Vec<u8> {
    let mut bytes = Vec::new();
    map.write(&mut bytes).unwrap();
    bytes
}

/// Blocks of 20 beliefs until the end, or as many steps as given.
fn steps(build: &mut MapBuild<'_>, count: usize) {
    for _ in 0..count {
        if !build.advance(20, 2).unwrap() {
            break;
        }
    }
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.partial");
    (folder, path)
}

/// 51 beliefs are three blocks and the growth of the trees: a kill after each of the eight steps.
#[test]
fn a_build_that_is_killed_after_any_step_ends_in_the_same_bytes() {
    let inputs = inputs(2);
    let expected = inputs.at_once();
    for killed in 0..=8 {
        let (_folder, path) = file();
        let mut build = inputs.in_file(&path).unwrap();
        steps(&mut build, killed);
        let progress = build.progress();
        drop(build);
        let build = inputs.in_file(&path).unwrap();
        assert_eq!((build.progress(), build.dropped()), (progress, 0), "{killed}");
        assert_eq!(bytes(&build.finish(1).unwrap()), expected, "{killed}");
    }
}

#[test]
fn progress_counts_beliefs_and_levels() {
    let inputs = inputs(2);
    let (_folder, path) = file();
    let mut build = inputs.in_file(&path).unwrap();
    let at = |level, beliefs| MapProgress { level, of_levels: 2, beliefs, of_beliefs: 51 };
    let mut seen = vec![build.progress()];
    while build.advance(20, 1).unwrap() {
        seen.push(build.progress());
    }
    seen.push(build.progress());
    let expected =
        [at(1, 0), at(1, 20), at(1, 40), at(1, 51), at(2, 0), at(2, 20), at(2, 40), at(2, 51), at(2, 51)];
    assert_eq!(seen, expected);
    assert!(!build.advance(20, 1).unwrap());
}

/// Killed in the middle of a line: whatever is left of it is dropped, and the map is the same.
#[test]
fn the_end_that_a_crash_cut_off_is_dropped() {
    let inputs = inputs(2);
    let (expected, (_folder, path)) = (inputs.at_once(), file());
    let mut build = inputs.in_file(&path).unwrap();
    steps(&mut build, 6);
    drop(build);
    let whole = std::fs::read(&path).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in (first..whole.len()).step_by(whole.len() / 40) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let build = inputs.in_file(&path).unwrap();
        let kept = whole[..cut].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        assert_eq!(build.dropped(), (cut - kept) as u64, "{cut}");
        assert_eq!(bytes(&build.finish(1).unwrap()), expected, "{cut}");
    }
}

/// One changed byte in any line: a message with the line, or a dropped last line; never another map.
#[test]
fn damage_is_named_by_its_line() {
    let inputs = inputs(2);
    let (expected, (_folder, path)) = (inputs.at_once(), file());
    let mut build = inputs.in_file(&path).unwrap();
    steps(&mut build, 6);
    drop(build);
    let whole = std::fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x11;
        std::fs::write(&path, &damaged).unwrap();
        let line = whole[..at].split(|byte| *byte == b'\n').count();
        match inputs.in_file(&path) {
            Ok(build) => {
                assert!(at >= last, "byte {at} of line {line}");
                assert_eq!(bytes(&build.finish(1).unwrap()), expected);
            }
            Err(error) => {
                assert!(error.to_string().contains(&format!("line {line} is damaged")), "{error}");
            }
        }
    }
    // Something else altogether is not touched.
    for foreign in ["no map", "12345678 {}\n", ""] {
        std::fs::write(&path, foreign).unwrap();
        assert_eq!(inputs.in_file(&path).is_ok(), foreign.is_empty(), "{foreign}");
        assert!(foreign.is_empty() || std::fs::read_to_string(&path).unwrap() == foreign);
    }
}

/// Lines that are whole but do not follow: a block twice, or one that is missing.
#[test]
fn lines_must_follow_each_other() {
    let inputs = inputs(2);
    let (_folder, path) = file();
    let mut build = inputs.in_file(&path).unwrap();
    steps(&mut build, 4);
    drop(build);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (order, wrong) in
        [(vec![0, 1, 1], 3), (vec![0, 2], 2), (vec![0, 1, 2, 4], 4), (vec![1], 1), (vec![0, 0], 2)]
    {
        let mixed: String = order.iter().map(|line| lines[*line]).collect();
        std::fs::write(&path, mixed).unwrap();
        let error = inputs.in_file(&path).err().unwrap().to_string();
        assert!(error.contains(&format!("line {wrong} is not what follows")), "{order:?}: {error}");
    }
}

#[test]
fn a_file_of_another_build_is_refused_by_what_differs() {
    let own = inputs(2);
    let (_folder, path) = file();
    let mut build = own.in_file(&path).unwrap();
    steps(&mut build, 2);
    drop(build);
    let refused = |change: &dyn Fn(&mut Inputs)| {
        let mut other = own.clone();
        change(&mut other);
        match other.in_file(&path).err() {
            Some(AutoBctError::Map { what, .. }) => what,
            found => panic!("{found:?}"),
        }
    };
    assert_eq!(refused(&|inputs| inputs.decision = decision(0.2)), "γ");
    assert_eq!(
        refused(&|inputs| inputs.prior.cost = inputs.prior.cost.with_mean(vec![0.0; 3]).unwrap()),
        "the prior"
    );
    assert_eq!(refused(&|inputs| inputs.cloud.roots = 2), "the choice of beliefs");
    assert_eq!(refused(&|inputs| inputs.settings.seed = Seed(4)), "the seed");
    assert_eq!(refused(&|inputs| inputs.settings.bins = 100), "a setting");
    assert!(own.in_file(&path).is_ok());
}

/// A map of three goes on where one of two ended; one of one does not take the file of one of two.
#[test]
fn a_deeper_map_goes_on_where_a_shallower_one_ended() {
    let (two, three) = (inputs(2), inputs(3));
    let (_folder, path) = file();
    two.in_file(&path).unwrap().finish(1).unwrap();
    let build = three.in_file(&path).unwrap();
    assert_eq!(build.progress(), MapProgress { level: 3, of_levels: 3, beliefs: 0, of_beliefs: 51 });
    assert_eq!(bytes(&build.finish(1).unwrap()), three.at_once());
    let error = inputs(1).in_file(&path).err();
    assert!(matches!(error, Some(AutoBctError::Map { what: "the number of levels", .. })), "{error:?}");
}

#[test]
fn two_builds_do_not_write_to_one_file() {
    let inputs = inputs(2);
    let (_folder, path) = file();
    let first = inputs.in_file(&path).unwrap();
    let error = inputs.in_file(&path).err().unwrap().to_string();
    assert!(error.contains("another build writes to it"), "{error}");
    drop(first);
    assert!(inputs.in_file(&path).is_ok());
    let nowhere = inputs.in_file(&path.join("not a folder")).err().unwrap().to_string();
    assert!(nowhere.contains("not a folder"), "{nowhere}");
}

/// A map whose levels are all exact is finished at once.
#[test]
fn exact_levels_need_no_beliefs() {
    let mut inputs = inputs(2);
    inputs.settings = MapSettings::accurate(2);
    let (_folder, path) = file();
    let mut build = inputs.in_file(&path).unwrap();
    assert!(!build.advance(20, 1).unwrap());
    assert_eq!(build.progress(), MapProgress { level: 2, of_levels: 2, beliefs: 51, of_beliefs: 51 });
    assert_eq!(build.finish(1).unwrap().depth(), 2);
}
