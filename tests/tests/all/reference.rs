//! The page of settings: it names every setting of every method.

const PAGE: &str = include_str!("../../../docs/src/reference/settings.md");

/// Part of the page below a heading.
fn section(method: &str) -> &'static str {
    let start = PAGE.find(&format!("## `{method}`")).unwrap_or_else(|| panic!("no section {method}"));
    let rest = &PAGE[start + 3..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// Names of the settings that the section of a method does not have in code.
fn missing(method: &str, settings: &serde_json::Value) -> Vec<String> {
    let names = settings.as_object().expect("settings are a table").keys();
    names.filter(|name| !section(method).contains(&format!("`{name}`"))).cloned().collect()
}

#[test]
fn every_setting_of_every_method_is_named() {
    let settings = [
        ("bo", serde_json::to_value(thrifty::bo::BoSettings::default())),
        ("multi_objective", serde_json::to_value(thrifty::bo::MultiObjectiveSettings::default())),
        ("multi_fidelity", serde_json::to_value(thrifty::fidelity::MultiFidelitySettings::default())),
        ("tpe", serde_json::to_value(thrifty::tpe::TpeSettings::default())),
        ("cmaes", serde_json::to_value(thrifty::cmaes::CmaEsSettings::default())),
        ("trust_region", serde_json::to_value(thrifty::trust_region::TrustRegionSettings::default())),
        ("hybrid", serde_json::to_value(thrifty::hybrid::HybridSettings::default())),
        ("nsga2", serde_json::to_value(thrifty::search::Nsga2Settings::default())),
    ];
    for (method, settings) in settings {
        let faults = missing(method, &settings.unwrap());
        assert!(faults.is_empty(), "{method}: {faults:?}");
    }
}

#[test]
fn a_setting_that_the_page_does_not_have_is_found() {
    assert_eq!(missing("cmaes", &serde_json::json!({ "growth": 2, "shrinkage": 1 })), ["shrinkage"]);
}

/// The defaults that the page states for Bayesian optimisation, read as a study file has them.
#[test]
fn stated_defaults_are_the_defaults() {
    let rows = section("bo").lines().filter_map(|line| line.strip_prefix("| `"));
    let mut count = 0;
    let stated: serde_json::Map<_, _> = rows
        .filter_map(|row| {
            let (name, rest) = row.split_once("` | ")?;
            let default = rest.split(" | ").next()?.trim_matches('`');
            count += 1;
            let wanted = serde_json::to_value(thrifty::bo::BoSettings::default()).ok()?;
            if default == "none" {
                assert!(wanted[name].is_null(), "{name}");
                return None;
            }
            // Inline tables of TOML with keys in front of `=`; the numbers and texts are JSON.
            let json = default
                .split(' ')
                .map(|word| match word {
                    "=" => ":".to_owned(),
                    word if word.chars().all(|c| c.is_ascii_lowercase() || c == '_') => format!("\"{word}\""),
                    word => word.to_owned(),
                })
                .collect::<String>();
            let value: serde_json::Value =
                serde_json::from_str(&json).unwrap_or_else(|e| panic!("{name}: {json}: {e}"));
            Some((name.to_owned(), value))
        })
        .collect();
    assert_eq!(count, 10);
    let read: thrifty::bo::BoSettings = serde_json::from_value(stated.into()).unwrap();
    assert_eq!(read, thrifty::bo::BoSettings::default());
}
