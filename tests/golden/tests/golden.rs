//! Every reference number, and what the checks make of files that were changed on purpose.

use serde_json::{Value, json};
use thrifty_golden::{Findings, check, folder};

fn file(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    serde_json::from_str(&std::fs::read_to_string(path).expect("a reference file")).expect("JSON")
}

fn checked(name: &str, file: &Value) -> Findings {
    check(name, &file.to_string()).expect("a file that can be checked")
}

fn failed(findings: &Findings) -> Vec<&str> {
    findings.lines.iter().filter(|line| !line.pass).map(|line| line.family.as_str()).collect()
}

#[test]
fn every_reference_number_is_met() {
    let all = folder(None).expect("the project's own files");
    let failed: Vec<String> =
        all.lines.iter().filter(|line| !line.pass).map(|line| format!("{line:?}")).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(all.lines.len() >= 150, "only {} families", all.lines.len());
    let cases: usize = all.lines.iter().map(|line| line.cases).sum();
    assert!(cases > 3_900, "only {cases} cases");
}

/// Sections of the project's own files that are not compared: a change of this list is a change of what is checked.
#[test]
fn only_these_sections_are_not_compared() {
    let skipped = folder(None).expect("the project's own files").skipped;
    assert_eq!(
        skipped,
        [
            "fcvopt.json: official: nothing in this build to compare with",
            "caligo.json: viable share of the protocol of nine parameters: its own formulas contradict it, not compared",
        ]
    );
}

/// A number that is off by a little more than its tolerance fails, and nothing beside it.
#[test]
fn numbers_that_are_off_are_found() {
    let mut gp = file("gp.json");
    let lml = gp["cases"][0]["lml"].as_f64().expect("a number");
    gp["cases"][0]["lml"] = json!(lml * (1.0 + 1e-9));
    let name = gp["cases"][0]["kernel"].as_str().expect("a kernel").to_owned();
    let expected = [format!("{name}: log likelihood"), format!("{name}: likelihood of the posterior")];
    assert_eq!(failed(&checked("gp.json", &gp)), expected);
    let mut tpe = file("tpe.json");
    tpe["n_below_table"]["200"]["optuna"] = json!(21);
    assert_eq!(failed(&checked("tpe.json", &tpe)), ["optuna, split"]);
}

/// The prior and the noises are those of the file: with others its numbers are not met.
#[test]
fn priors_and_noises_are_read() {
    for (key, value) in [("sigma_H", json!(0.06)), ("sigma_T", json!(0.2)), ("gamma", json!(0.2))] {
        let mut autobct = file("autobct.json");
        autobct[key] = value;
        assert!(!failed(&checked("autobct.json", &autobct)).is_empty(), "{key} is not read");
    }
    let mut autobct = file("autobct.json");
    autobct["prior_D1"]["Sigma_alpha"][0][0] = json!(1.5);
    assert!(failed(&checked("autobct.json", &autobct)).contains(&"posteriors"));
    let mut autobct = file("autobct.json");
    autobct["prior_D3"]["mu_alpha"][0] = json!(0.5);
    let broken = checked("autobct.json", &autobct);
    assert_eq!(failed(&broken), ["replay: means, one and two steps", "replay: the paper's means"]);
    let mut fcvopt = file("fcvopt.json");
    fcvopt["inputs"]["priors"]["rho"] = json!({ "beta": { "a": 1.0, "b": 4.0 } });
    assert!(failed(&checked("fcvopt.json", &fcvopt)).contains(&"log posterior, intended noise prior"));
    let mut fcvopt = file("fcvopt.json");
    fcvopt["inputs"]["kernel"] = json!("matern32");
    assert!(failed(&checked("fcvopt.json", &fcvopt)).contains(&"covariances"));
}

#[test]
fn what_is_not_known_fails_by_its_name() {
    let mut gp = file("gp.json");
    gp["cases"][0]["kernel"] = json!("wavelet");
    assert_eq!(failed(&checked("gp.json", &gp)), ["kernel wavelet: not known to this build"]);
    let mut prob = file("prob.json");
    prob["priors"][0]["prior"] = json!("cauchy");
    assert_eq!(failed(&checked("prob.json", &prob)), ["prior cauchy: not known to this build"]);
    let mut fcvopt = file("fcvopt.json");
    fcvopt["inputs"]["kernel"] = json!("wavelet");
    assert_eq!(failed(&checked("fcvopt.json", &fcvopt)), ["kernel wavelet: not known to this build"]);
    let mut optim = file("optim.json");
    optim["cases"][0]["name"] = json!("himmelblau");
    // Functions are told by their value at the start, too.
    optim["cases"][0]["f_start"] = json!(1234.5);
    assert_eq!(failed(&checked("optim.json", &optim)), ["function himmelblau: not known to this build"]);
    let mut tpe = file("tpe.json");
    tpe["cases"][0]["kind"] = json!("poisson");
    let unknown = checked("tpe.json", &tpe);
    assert_eq!(failed(&unknown), ["parameter poisson of hyperopt: not known to this build"]);
    let error = check("elsewhere.json", "{}").expect_err("no such file").to_string();
    assert_eq!(error, "elsewhere.json is not known to this build");
}

/// Without any one of its sections a file is checked still, and the section is named.
#[test]
fn missing_sections_are_named() {
    let needed = ["gamma", "sigma_H", "sigma_T", "basis", "prior_D1", "inputs", "standardise"];
    for name in
        ["prob.json", "acquisitions.json", "autobct.json", "fcvopt.json", "levelset.json", "ehvi.json"]
    {
        let whole = file(name);
        let before = checked(name, &whole);
        for key in whole.as_object().expect("sections").keys().filter(|key| !needed.contains(&key.as_str())) {
            // Sections that others are made of, and remarks.
            if ["kalman_table1", "K_f", "K_delta", "lml_grad"].contains(&key.as_str()) {
                continue;
            }
            let mut part = whole.clone();
            part.as_object_mut().expect("sections").remove(key);
            let after = checked(name, &part);
            assert!(failed(&after).is_empty(), "{name} without {key}");
            if after.lines.len() < before.lines.len() {
                let said = after.skipped.iter().any(|what| what.contains(key) || what.contains("prior"));
                assert!(said, "{name} without {key}: {:?}", after.skipped);
            }
        }
    }
}

#[test]
fn a_folder_is_checked_and_the_rest_of_it_is_named() {
    let place = tempfile::tempdir().expect("a folder");
    assert!(folder(Some(place.path())).is_err());
    let copy = |name: &str| {
        std::fs::write(place.path().join(name), file(name).to_string()).expect("a copy");
    };
    copy("levelset.json");
    copy("stability_gp.json");
    let found = folder(Some(place.path())).expect("one file");
    assert!(
        !found.lines.is_empty() && found.lines.iter().all(|line| line.pass && line.file == "levelset.json")
    );
    assert_eq!(found.skipped, ["stability_gp.json: not known to this build, not checked"]);
}
