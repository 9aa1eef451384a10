//! The page of settings: it names every setting of every method, with values that a study file may have.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thrifty::fcvopt::FractionalSettings;

const PAGE: &str = include_str!("../../../docs/src/reference/settings.md");

/// Part of the page below a heading.
fn section(method: &str) -> &'static str {
    let start = PAGE.find(&format!("## `{method}`")).unwrap_or_else(|| panic!("no section {method}"));
    let rest = &PAGE[start + 3..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// Settings of a method: the defaults, and a reader that returns all of them.
struct Method {
    name: &'static str,
    defaults: Value,
    read: fn(Value) -> Result<Value, String>,
}

fn method<S: Default + Serialize + DeserializeOwned>(name: &'static str) -> Method {
    Method { name, defaults: serde_json::to_value(S::default()).unwrap(), read: read::<S> }
}

fn read<S: Serialize + DeserializeOwned>(value: Value) -> Result<Value, String> {
    let settings: S = serde_json::from_value(value).map_err(|error| error.to_string())?;
    serde_json::to_value(settings).map_err(|error| error.to_string())
}

/// Fractional cross-validation, whose settings have no default for the number of folds: the others are those of five.
fn fractional() -> Method {
    fn defaults() -> Value {
        serde_json::to_value(FractionalSettings::new(5)).unwrap()
    }
    let read = |mut value: Value| {
        let given = std::mem::take(value.as_object_mut().expect("settings are a table"));
        let mut all = defaults();
        all.as_object_mut().expect("settings are a table").extend(given);
        read::<FractionalSettings>(all)
    };
    Method { name: "fractional", defaults: defaults(), read }
}

fn methods() -> [Method; 11] {
    [
        method::<thrifty::bo::BoSettings>("bo"),
        method::<thrifty::bo::MultiObjectiveSettings>("multi_objective"),
        method::<thrifty::fidelity::MultiFidelitySettings>("multi_fidelity"),
        method::<thrifty::tpe::TpeSettings>("tpe"),
        method::<thrifty::cmaes::CmaEsSettings>("cmaes"),
        method::<thrifty::trust_region::TrustRegionSettings>("trust_region"),
        method::<thrifty::hybrid::HybridSettings>("hybrid"),
        method::<thrifty::search::Nsga2Settings>("nsga2"),
        method::<thrifty::levelset::LevelSetSettings>("level_set"),
        method::<thrifty::autobct::AutoBctSettings>("budgeted_training"),
        fractional(),
    ]
}

/// Names of settings as the page has them: one of two spellings.
fn spelled<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    names.into_iter().map(|name| name.replace("maximiser", "maximizer")).collect()
}

impl Method {
    /// Names of all settings, by the error for an unknown one: a default that is not written is not among the defaults.
    fn names(&self) -> Vec<String> {
        let error = (self.read)(json!({ "no_such": 1 })).expect_err("no setting has this name");
        spelled(spans(&error).into_iter().skip(1).filter(|name| *name != "noise_std_dev"))
    }
}

/// Names of the settings that the section of a method does not have in code.
fn missing(method: &str, names: Vec<String>) -> Vec<String> {
    names.into_iter().filter(|name| !section(method).contains(&format!("`{name}`"))).collect()
}

/// Code spans of a text.
fn spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The JSON of a value that the page states: an inline table of TOML whose keys stand in front of `=`, with 1 for a number that is left open.
fn value(stated: &str) -> Value {
    let json: String = stated
        .replace('…', "1")
        .split(' ')
        .map(|word| match word {
            "=" => ":".to_owned(),
            "true" | "false" => word.to_owned(),
            _ if word.chars().all(|c| c.is_ascii_lowercase() || c == '_') => format!("\"{word}\""),
            _ => word.to_owned(),
        })
        .collect();
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{stated}: {json}: {error}"))
}

/// Rows of a section: names of settings, their defaults, and the meaning.
fn rows(method: &str) -> Vec<(Vec<&'static str>, Vec<&'static str>, &'static str)> {
    let rows = section(method).lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        (spans(cells[0]), spans(cells[1]), cells[2])
    })
    .collect()
}

#[test]
fn every_setting_of_every_method_is_named() {
    for method in methods() {
        let faults = missing(method.name, method.names());
        assert!(faults.is_empty(), "{}: {faults:?}", method.name);
    }
}

#[test]
fn a_setting_that_the_page_does_not_have_is_found() {
    assert_eq!(missing("cmaes", spelled(["growth", "shrinkage"])), ["shrinkage"]);
}

#[test]
fn names_of_settings_are_those_of_the_defaults_and_of_what_is_not_written() {
    for method in methods() {
        let written = method.defaults.as_object().expect("settings are a table").keys();
        let names = method.names();
        for name in spelled(written.map(String::as_str)) {
            assert!(names.contains(&name), "{}: {name}", method.name);
        }
    }
    let fractional = fractional();
    assert!(fractional.defaults.get("failures").is_none());
    assert!(fractional.names().contains(&"failures".to_owned()));
}

/// The defaults that the page states, read as a study file has them.
#[test]
fn stated_defaults_are_the_defaults() {
    let mut count = 0;
    for Method { name: method, defaults, read } in methods() {
        for (names, stated, _) in rows(method) {
            for (at, name) in names.iter().enumerate() {
                count += 1;
                match stated.get(at) {
                    Some(default) => {
                        let found = read(json!({ *name: value(default) }));
                        assert_eq!(found.as_ref(), Ok(&defaults), "{method}: {name}");
                    }
                    // A word of the page: none, or a chapter.
                    None => assert!(defaults[name].is_null() || *name == "kernels", "{method}: {name}"),
                }
            }
        }
    }
    assert!(count > 50, "{count} defaults");
}

/// The alternatives that the page states: values in quotes or braces in the row of a setting are read, and no other text looks like one.
#[test]
fn stated_alternatives_are_values() {
    let methods = methods();
    let mut known: Vec<String> = methods.iter().flat_map(Method::names).collect();
    known.extend(["bo", "evaluations", "noise_variance", "[stop] trials"].map(str::to_owned));
    let mut count = 0;
    for Method { name: method, defaults, read } in methods {
        for (names, _, meaning) in rows(method) {
            for stated in spans(meaning) {
                if !stated.starts_with(['"', '{']) {
                    assert!(known.iter().any(|name| name == stated), "{method}: {names:?}: {stated}");
                    continue;
                }
                count += 1;
                let found = read(json!({ names[0]: value(stated) }));
                assert!(
                    found.as_ref().is_ok_and(|found| *found != defaults),
                    "{method}: {names:?}: {stated}: {found:?}"
                );
            }
        }
        let examples = spans(section(method)).into_iter().filter_map(|span| span.split_once(" = "));
        for (name, stated) in examples.filter(|(name, _)| !name.contains(['{', '"'])) {
            let found = read(json!({ name: value(stated) }));
            assert!(found.is_ok(), "{method}: {name} = {stated}: {found:?}");
        }
    }
    assert!(count > 50, "{count} alternatives");
}

/// The pruners, each with what has no default.
fn pruners() -> [Value; 7] {
    [
        json!({ "pruner": "median" }),
        json!({ "pruner": "percentile", "percentile": 25.0 }),
        json!({ "pruner": "successive_halving" }),
        json!({ "pruner": "hyperband", "max_steps": 9 }),
        json!({ "pruner": "patience" }),
        json!({ "pruner": "threshold", "lower": -1.0, "upper": 1.0 }),
        json!({ "pruner": "wilcoxon" }),
    ]
}

/// The default that the table of pruners states, in words or in a number; nothing without a row.
fn default_of(pruner: &str, setting: &str) -> Option<&'static str> {
    let table = PAGE.split("\n## Pruners\n").nth(1).expect("a section on pruners");
    let cells = table.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let has = |cell: &str, name: &str| spans(cell).contains(&name);
    cells
        .filter(|cells| cells.len() == 6)
        .find(|cells| has(cells[1], pruner) && has(cells[2], setting))
        .map(|cells| cells[3].trim_matches('`'))
}

#[test]
fn settings_of_pruners_are_stated_with_their_defaults() {
    let mut count = 0;
    for given in pruners() {
        let pruner = given["pruner"].as_str().expect("a name");
        let all: Value = serde_json::to_value(
            serde_json::from_value::<thrifty::pruning::PrunerKind>(given.clone()).expect("a pruner"),
        )
        .expect("settings");
        for (setting, value) in all.as_object().expect("settings are a table") {
            if setting == "pruner" {
                continue;
            }
            count += 1;
            let stated = default_of(pruner, setting).unwrap_or_else(|| panic!("no row {pruner}: {setting}"));
            if given.get(setting).is_some() {
                assert_eq!(stated, "", "{pruner}: {setting}");
            } else {
                assert_eq!(stated.parse().ok(), value.as_f64(), "{pruner}: {setting}");
            }
        }
    }
    assert_eq!(count, 20, "settings of pruners");
    assert_eq!(default_of("median", "percentile"), None);
}
