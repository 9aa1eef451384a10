//! Writes the seeds of the corpus: one small valid input of each sort, for `tests/fuzz/corpus`.

use std::fs;
use std::path::Path;

use thrifty::autobct::{Baseline, Branching, MapSettings, Regressor, SamplingSettings, ValueMap};
use thrifty::prelude::*;
use thrifty::trees::{Boosting, BoostingSettings, Forest, ForestSettings, Table};
use thrifty_inputs::{decision, mixed, prior};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let folder = std::env::args().nth(1).unwrap_or("tests/fuzz/corpus".into());
    let write = |target: &str, name: &str, bytes: &[u8]| -> Result<(), Error> {
        let place = Path::new(&folder).join(target);
        fs::create_dir_all(&place)?;
        Ok(fs::write(place.join(name), bytes)?)
    };
    let scratch = std::env::temp_dir().join(format!("thrifty-seeds-{}", std::process::id()));
    for (name, window) in [("one-by-one", 1), ("window", 3)] {
        let mut study = Study::new(RandomSearch::new(mixed()), Seed(1))
            .with_stop(MaxTrials(4))
            .with_schedule(Schedule::Window(window))
            .with_journal(&scratch)?;
        study.run(|config, context| {
            context.report(1, f64::NAN).unwrap();
            if context.id.0 == 1 { Outcome::failed("once") } else { config.float("x").unwrap_or(0.0).into() }
        })?;
        write("journal", name, &fs::read(&scratch)?)?;
        fs::remove_file(&scratch)?;
    }
    write("space", "mixed", serde_json::to_string(&mixed())?.as_bytes())?;
    let stepped = Space::builder().step_float("s", 0.0, 1.0, 0.25).log_int("k", 1, 1024).build()?;
    write("space", "stepped", serde_json::to_string(&stepped)?.as_bytes())?;
    write("space", "empty", b"[]")?;
    maps(&write)?;
    trees(&write)?;
    let header = "number,value,params_x,params_n,params_c,params_y,state\n";
    write(
        "optuna",
        "written-by-pandas",
        format!("{header}0,0.5,0.25,3.0,a,0.01,COMPLETE\n1,,0.1,2,True,,FAIL\n").as_bytes(),
    )?;
    write("optuna", "running", format!("{header}0,,0.25,3,1.5,,RUNNING\n").as_bytes())?;
    write("optuna", "empty", header.as_bytes())?;
    write(
        "table",
        "written",
        b"trial,state,objective,constraint.0,cost,x,n,c,y,failure\n0,measured,0.5,-1,2,0.25,3,a,0.01,\n1,failed,,,,0.1,2,1.5,,once\n",
    )?;
    write("table", "several", b"objective.0,objective.1,x,n,c\n1,2,0.5,3,1.5\n")?;
    write("table", "empty", b"objective,x,n,c,y\n")?;
    let trial = r#"{"result":{"loss":0.5,"status":"ok"},"misc":{"vals":{"x":[0.5],"n":[3],"c":[1],"y":[]}}}"#;
    write("hyperopt", "one", format!("[{trial}]").as_bytes())?;
    write(
        "hyperopt",
        "failed",
        br#"[{"result":{"status":"fail"},"misc":{"vals":{"x":[0],"n":[1],"c":[2]}}}]"#,
    )?;
    write("hyperopt", "empty", b"[]")?;
    Ok(())
}

fn maps(write: &dyn Fn(&str, &str, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
    let cloud = SamplingSettings {
        drawn: 4,
        levels: 2,
        roots: 3,
        depth: 1,
        branching: Branching::Every(2),
        ..SamplingSettings::small()
    };
    for (name, depth, baseline) in [
        ("two-steps", 2, Baseline::TwoSteps),
        ("deeper", 3, Baseline::TwoSteps),
        ("paper", 2, MapSettings::paper(2, 5, Seed(1)).baseline),
    ] {
        let mut settings = MapSettings { baseline, depth, ..MapSettings::accurate(depth) };
        if name == "paper" {
            settings = MapSettings::paper(depth, 3, Seed(1));
            settings.regressor = Regressor::Forest(ForestSettings { trees: 2, ..ForestSettings::default() });
        }
        let map = ValueMap::build(&decision(), &prior(), &cloud, &settings, 1)?;
        let mut bytes = Vec::new();
        map.write(&mut bytes)?;
        write("value_map", name, &bytes)?;
    }
    Ok(())
}

fn trees(write: &dyn Fn(&str, &str, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
    let x: Vec<f32> = (0..24).map(|i| i as f32 / 24.0).collect();
    let y: Vec<f64> = x.iter().map(|x| f64::from(u8::from(*x > 0.5))).collect();
    let table = Table::new(x.clone(), 1, 8)?;
    let settings = ForestSettings { trees: 2, ..ForestSettings::default() };
    let forest = Forest::fit(&table, &y, &settings, Seed(0), 1)?;
    write("forest", "one-feature", serde_json::to_string(&forest)?.as_bytes())?;
    let plane = Table::new(x, 2, 8)?;
    let forest = Forest::fit(&plane, &y[..12], &settings, Seed(1), 1)?;
    write("forest", "two-features", serde_json::to_string(&forest)?.as_bytes())?;
    let settings = BoostingSettings { rounds: 2, ..BoostingSettings::default() };
    let boosting = Boosting::fit(&table, &y, &settings)?;
    write("forest", "boosting", serde_json::to_string(&boosting)?.as_bytes())
}
