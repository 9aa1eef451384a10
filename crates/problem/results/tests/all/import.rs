//! Trials of other libraries.

use thrifty_results::{Table, from_csv, from_hyperopt, from_optuna, from_table};
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space, Value};
use thrifty_study::{Direction, Directions, MaxTrials, Measurement, Outcome, Study};

fn space() -> Space {
    Space::builder()
        .log_float("rate", 1e-5, 1.0)
        .int("layers", 1, 8)
        .categorical("solver", ["sgd", "adam"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .build()
        .unwrap()
}

fn losses(known: &[(Config, Outcome)]) -> Vec<Option<f64>> {
    known.iter().map(|(_, outcome)| outcome.objective()).collect()
}

#[test]
fn hyperopt_trials_are_read() {
    let json = r#"[
        {"tid": 0, "result": {"loss": 0.25, "status": "ok"}, "misc": {"vals": {"rate": [0.001], "layers": [3.0], "solver": [0], "momentum": [0.5]}}},
        {"tid": 1, "result": {"loss": 0.5, "status": "ok"}, "misc": {"vals": {"rate": [0.01], "layers": [2], "solver": [1], "momentum": []}}},
        {"tid": 2, "result": {"status": "fail"}, "misc": {"vals": {"rate": [1.0], "layers": [8], "solver": [1], "momentum": []}}},
        {"tid": 3, "result": {"status": "new"}, "misc": {"vals": {"rate": [1.0], "layers": [8], "solver": [1], "momentum": []}}}
    ]"#;
    let known = from_hyperopt(&space(), json).unwrap();
    assert_eq!(losses(&known), [Some(0.25), Some(0.5), None]);
    assert_eq!(known[0].0.str("solver"), Ok("sgd"));
    assert_eq!((known[0].0.int("layers"), known[1].0.get("momentum")), (Ok(3), None));
    let study = Study::new(RandomSearch::new(space()), Seed(1)).with_known(known).unwrap();
    assert_eq!(study.history().best().map(|(trial, loss)| (trial.id.0, loss)), Some((0, 0.25)));
}

#[test]
fn optuna_trials_are_read() {
    let csv = "number,value,datetime_start,params_layers,params_momentum,params_rate,params_solver,state\n\
        0,0.25,x,3,0.5,0.001,sgd,COMPLETE\n1,,x,2,,0.01,adam,FAIL\n2,,x,2,,0.01,adam,RUNNING\n3,7,x,2,,0.01,adam,PRUNED\n";
    let known = from_optuna(&space(), &Directions::default(), csv).unwrap();
    assert_eq!(losses(&known), [Some(0.25), None]);
    assert_eq!((known[0].0.float("momentum"), known[1].0.str("solver")), (Ok(0.5), Ok("adam")));
}

/// A trial of Optuna may fail before it has all its parameters; it is left out. One that is complete has them.
#[test]
fn failed_trials_of_optuna_without_all_parameters_are_left_out() {
    let table = |state: &str| {
        format!(
            "value,params_layers,params_momentum,params_rate,params_solver,state\n\
             0.25,3,0.5,0.001,sgd,COMPLETE\n1,3,,,,{state}\n,2,,0.01,adam,FAIL\n"
        )
    };
    let read = |state: &str| from_optuna(&space(), &Directions::default(), &table(state));
    assert_eq!(losses(&read("FAIL").unwrap()), [Some(0.25), None]);
    assert_eq!(read("COMPLETE").unwrap_err().to_string(), "trial 1: parameter rate is missing");
}

#[test]
fn several_objectives_of_optuna_are_read_in_the_units_of_the_user() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let directions = Directions::new(vec![Direction::Maximize, Direction::Minimize]);
    let csv = ",number,values_0,values_1,params_x,state\n0,0,0.25,3,0.5,COMPLETE\n1,1,,,0.75,FAIL\n";
    let known = from_table(&space, &directions, csv).unwrap();
    let objectives = |at: usize| known[at].1.measurement().map(|measured| measured.objectives.clone());
    assert_eq!((objectives(0), objectives(1)), (Some(vec![-0.25, 3.0]), None));
    for (csv, expected) in [
        ("values_0,values_1,params_x\n1,,0.5\n", "trial 0: it has no values_1"),
        ("values_loss,params_x\n1,0.5\n", "trial 0: there is no column value, or values_0, values_1, …"),
    ] {
        assert_eq!(from_optuna(&space, &directions, csv).unwrap_err().to_string(), expected);
    }
}

/// A table in JSON, as `thrifty export --format json` writes it, was read as no trials.
#[test]
fn json_that_is_not_of_hyperopt_is_refused() {
    let table = r#"[{"trial": 0, "state": "measured", "objective": 0.25, "rate": 0.5}]"#;
    let error = from_hyperopt(&space(), table).unwrap_err().to_string();
    assert!(error.starts_with("trial 0: it has no result, as trials of Hyperopt have"), "{error}");
}

#[test]
fn choices_are_read_as_pandas_writes_them() {
    let space = Space::builder()
        .categorical("nesterov", [true, false])
        .categorical("batch", [16, 32])
        .categorical("rate", [0.5, 1.0])
        .int("layers", 1, 8)
        .build()
        .unwrap();
    let csv = "value,params_nesterov,params_batch,params_rate,params_layers,state\n\
        0.25,True,32.0,1.0,3.0,COMPLETE\n0.5,False,16,0.5,2,COMPLETE\n0.75,1.0,32,1,1,COMPLETE\n1,0,16.0,1.0,1,COMPLETE\n";
    let known = from_optuna(&space, &Directions::default(), csv).unwrap();
    let read = |at: usize| {
        let config: &thrifty_space::Config = &known[at].0;
        (config.get("nesterov").unwrap().clone(), config.int("batch").unwrap(), config.float("rate").unwrap())
    };
    assert_eq!(read(0), (true.into(), 32, 1.0));
    assert_eq!(read(1), (false.into(), 16, 0.5));
    assert_eq!(read(2), (true.into(), 32, 1.0));
    assert_eq!(read(3), (false.into(), 16, 1.0));
    // The text itself comes first, then numbers, then truth values.
    let texts = Space::builder().categorical("c", ["1.0", "True"]).build().unwrap();
    let known = from_optuna(&texts, &Directions::default(), "value,params_c\n1,True\n2,1.0\n").unwrap();
    assert_eq!((known[0].0.str("c"), known[1].0.str("c")), (Ok("True"), Ok("1.0")));
    let error = from_optuna(&space, &Directions::default(), "value,params_nesterov\n1,2.0\n").unwrap_err();
    assert!(error.to_string().contains("nesterov is \"2.0\""), "{error}");
}

#[test]
fn what_does_not_fit_is_named() {
    let hyperopt = |vals: &str| {
        let json = format!(r#"[{{"result": {{"loss": 1}}, "misc": {{"vals": {vals}}}}}]"#);
        from_hyperopt(&space(), &json).unwrap_err().to_string()
    };
    for (vals, expected) in [
        (
            r#"{"rate": [0.1], "layers": [2.5], "solver": [1]}"#,
            "trial 0: layers is 2.5, expected a whole number",
        ),
        (r#"{"rate": [0.1], "layers": [2], "solver": [2]}"#, "solver is 2, not the index of a choice"),
        (r#"{"rate": [7.0], "layers": [2], "solver": [1]}"#, "rate"),
        (r#"{"rate": ["a"], "layers": [2], "solver": [1]}"#, "rate is \"a\""),
        (r#"{"layers": [2], "solver": [1]}"#, "rate"),
    ] {
        let text = hyperopt(vals);
        assert!(text.contains(expected), "{text:?} should name {expected:?}");
    }
    assert!(from_hyperopt(&space(), "{").unwrap_err().to_string().starts_with("not JSON"));
    for (row, expected) in [
        ("0,1,3,0.5,0.1,lbfgs,COMPLETE", "solver is \"lbfgs\""),
        ("0,one,3,0.5,0.1,sgd,COMPLETE", "value is \"one\""),
        ("0,,3,0.5,0.1,sgd,COMPLETE", "it has no value"),
        (
            "0,1,3,0.5,0.1,sgd,TrialState.COMPLETE",
            "trial 0: state is \"TrialState.COMPLETE\", expected COMPLETE, ",
        ),
        ("0,1,3,0.5,0.1,sgd,measured", "trial 0: state is \"measured\""),
        ("0,1", "not CSV"),
    ] {
        let csv =
            format!("number,value,params_layers,params_momentum,params_rate,params_solver,state\n{row}\n");
        let text = from_optuna(&space(), &Directions::default(), &csv).unwrap_err().to_string();
        assert!(text.contains(expected), "{text:?} should name {expected:?}");
    }
}

/// Whole numbers that no float is come through; those beyond the range of whole numbers are named as they stand.
#[test]
fn whole_numbers_are_read_exactly() {
    let large = (1_i64 << 53) + 1;
    let space = Space::builder().step_int("n", 1, i64::MAX, 1 << 20).float("x", 0.0, 1.0).build().unwrap();
    let odd = Space::builder().int("n", large - 2, large + 2).build().unwrap();
    let n = |known: &[(Config, Outcome)]| known[0].0.int("n").unwrap();
    assert_eq!(
        n(&from_csv(&odd, &Directions::default(), &format!("objective,n\n1,{large}\n")).unwrap()),
        large
    );
    assert_eq!(
        n(&from_optuna(&odd, &Directions::default(), &format!("value,params_n\n1,{large}\n")).unwrap()),
        large
    );
    let hyperopt = |value: &str| {
        let vals = format!(r#"{{"n": [{value}], "x": [0.5]}}"#);
        format!(r#"[{{"result": {{"loss": 1}}, "misc": {{"vals": {vals}}}}}]"#)
    };
    let exact = hyperopt(&large.to_string()).replace(r#", "x": [0.5]"#, "");
    assert_eq!(n(&from_hyperopt(&odd, &exact).unwrap()), large);
    for text in ["1e300", "9223372036854775808", "-1e19", "9223372036854775808.0"] {
        let csv = from_csv(&space, &Directions::default(), &format!("objective,n,x\n1,{text},0.5\n"))
            .unwrap_err()
            .to_string();
        assert_eq!(csv, format!("trial 0: n is {text}, expected a whole number of 64 bits"));
        let json = from_hyperopt(&space, &hyperopt(text)).unwrap_err().to_string();
        assert!(
            json.starts_with("trial 0: n is ") && json.ends_with("expected a whole number of 64 bits"),
            "{json}"
        );
    }
}

/// Hyperopt keeps a loss beside the state of a trial that failed.
#[test]
fn a_failed_trial_of_hyperopt_with_a_loss_has_failed() {
    let json = r#"[{"result": {"status": "fail", "loss": 0.0},
        "misc": {"vals": {"rate": [0.1], "layers": [3], "solver": [1], "momentum": []}}}]"#;
    assert_eq!(losses(&from_hyperopt(&space(), json).unwrap()), [None]);
}

/// Losses as Python writes them: a trial that ended without a finite number is a failure with the reason.
#[test]
fn losses_of_hyperopt_that_are_no_finite_numbers_are_failures() {
    let trial = |result: &str| {
        let vals = r#"{"rate": [0.1], "layers": [3], "solver": [1], "momentum": []}"#;
        format!(r#"{{"result": {{{result}}}, "misc": {{"vals": {vals}}}}}"#)
    };
    let results = [
        r#""status": "ok", "loss": Infinity"#,
        r#""status": "ok", "loss": -Infinity, "note": "NaN""#,
        r#""status": "ok", "loss": NaN"#,
        r#""status": "ok", "loss": null"#,
        r#""status": "ok""#,
        r#""status": "running", "loss": null"#,
        r#""status": "suspended""#,
        r#""status": "ok", "loss": 2, "variance": NaN"#,
    ];
    let json = format!("[{}]", results.map(trial).join(", "));
    let known = from_hyperopt(&space(), &json).unwrap();
    let reasons: Vec<String> = known
        .iter()
        .filter_map(|(_, outcome)| match outcome {
            Outcome::Failed(failure) => Some(failure.to_string()),
            _ => None,
        })
        .collect();
    let missing = "its loss in Hyperopt is null, expected a number";
    let expected = ["objective 0 is inf", "objective 0 is -inf", "objective 0 is NaN", missing, missing];
    assert_eq!(reasons, expected);
    assert_eq!(losses(&known), [None, None, None, None, None, Some(2.0)]);
    // A parameter has a number all the same.
    let error = from_hyperopt(&space(), &json.replace("0.1", "NaN")).unwrap_err().to_string();
    assert_eq!(error, "trial 0: rate is \"NaN\", expected a number");
}

/// A parameter with one value is a choice here, and a number in Hyperopt: its index, or the value where that is no index.
#[test]
fn a_fixed_number_of_hyperopt_is_read() {
    let space = Space::builder().float("x", 0.25, 0.25).int("n", -8, 8).build().unwrap();
    let space = space.with_fixed("n", -5_i64).unwrap();
    let json = |x: &str, n: &str| {
        format!(r#"[{{"result": {{"loss": 1}}, "misc": {{"vals": {{"x": [{x}], "n": [{n}]}}}}}}]"#)
    };
    for (x, n) in [("0.25", "-5"), ("2.5e-1", "-5.0"), ("0", "0")] {
        let known = from_hyperopt(&space, &json(x, n)).unwrap();
        assert_eq!((known[0].0.get("x"), known[0].0.int("n")), (Some(&0.25.into()), Ok(-5)));
    }
    for (n, fixed) in [("-4", -5), ("-4.5", -5), ("1", 1), ("1.0", 1), ("5", 5)] {
        // Of the choices 1 and 4 in Hyperopt, fixed to 1 here, the index 1 stands for 4.
        let space = Space::builder().categorical("n", [fixed]).float("x", 0.25, 0.25).build().unwrap();
        let error = from_hyperopt(&space, &json("0", n)).unwrap_err().to_string();
        assert_eq!(error, format!("trial 0: n is {n}, not the index of a choice"));
    }
}

/// A table that was written is read back: the same configurations and outcomes.
#[test]
fn tables_come_back() {
    let space = Space::builder()
        .log_float("rate", 1e-5, 1.0)
        .int("layers", 1, 8)
        .categorical("solver", ["sgd", "adam, fast", "\"quoted\""])
        .float("cost", 0.0, 1.0)
        .when("solver", ["sgd"])
        .categorical("bias", [true, false])
        .build()
        .unwrap();
    let mut study = Study::new(RandomSearch::new(space.clone()), Seed(1)).with_stop(MaxTrials(30));
    study
        .run(|config, context| -> Outcome {
            let rate = config.float("rate").unwrap();
            match context.id.0 % 5 {
                0 => Outcome::failed("no, \"thanks\"").with_cost(0.25),
                1 => Outcome::pruned(7).with_cost(1e-300),
                2 => Outcome::unrelated("the machine went down"),
                _ => Measurement {
                    objectives: vec![rate.ln(), 1.0 / rate],
                    constraints: vec![rate - 0.5],
                    cost: Some(2.5),
                    noise_variance: Some(1e-300),
                }
                .into(),
            }
        })
        .unwrap();
    let mut csv = Vec::new();
    Table::of(study.history()).unwrap().write_csv(&mut csv).unwrap();
    let known = from_csv(&space, &Directions::default(), std::str::from_utf8(&csv).unwrap()).unwrap();
    assert_eq!(known.len(), 30);
    for (trial, (config, outcome)) in study.history().trials().iter().zip(&known) {
        assert_eq!((&trial.query, trial.outcome.as_ref().unwrap()), (config, outcome));
    }
}

/// Tables hold the user's units: objectives that are maximised come back as the losses that they were.
#[test]
fn tables_of_maximised_objectives_come_back() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let (up, down) = (Direction::Maximize, Direction::Minimize);
    for directions in [vec![up], vec![down], vec![up, down], vec![down, up]] {
        let directions = Directions::new(directions);
        let study = Study::new(RandomSearch::new(space.clone()), Seed(1)).with_directions(directions.clone());
        let mut study = study.with_stop(MaxTrials(6));
        let count = directions.as_slice().len();
        study
            .run(|config, context| -> Outcome {
                let x = config.float("x").unwrap();
                let values = [x + 1.0, if context.id.0 == 2 { f64::INFINITY } else { -x }];
                let measured = Measurement { objectives: values[..count].to_vec(), ..Measurement::default() };
                directions.flip_outcome(measured.into())
            })
            .unwrap();
        let mut csv = Vec::new();
        Table::of(study.history()).unwrap().write_csv(&mut csv).unwrap();
        let known = from_csv(&space, &directions, std::str::from_utf8(&csv).unwrap()).unwrap();
        let read = Study::new(RandomSearch::new(space.clone()), Seed(1)).with_directions(directions.clone());
        let read = read.with_known(known).unwrap();
        for (trial, again) in study.history().trials().iter().zip(read.history().trials()) {
            let (outcome, again) = (trial.outcome.as_ref().unwrap(), again.outcome.as_ref().unwrap());
            assert_eq!(outcome.measurement(), again.measurement(), "{}", directions.names());
        }
        let best = |study: &Study<RandomSearch>| study.history().best().map(|(trial, loss)| (trial.id, loss));
        assert_eq!(best(&study), best(&read));
    }
    let maximised = Directions::new(vec![up]);
    let optuna = from_optuna(&space, &maximised, "value,params_x\n0.75,0.5\ninf,0.5\n").unwrap();
    assert_eq!(optuna[0].1, Outcome::from(-0.75));
    let Outcome::Failed(failure) = &optuna[1].1 else { panic!("a failure") };
    assert_eq!(failure.to_string(), "objective 0 is inf");
}

/// A cost that is not known, as pandas writes it, is left out where there is no measurement.
#[test]
fn unknown_costs_of_failed_and_pruned_trials_are_left_out() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let csv = "state,objective,cost,x\nfailed,,nan,0.5\npruned,,inf,0.5\nunrelated,,-1,0.5\nfailed,,2,0.5\n";
    let known = from_csv(&space, &Directions::default(), csv).unwrap();
    let study = Study::new(RandomSearch::new(space), Seed(1)).with_known(known).unwrap();
    let costs: Vec<_> = study.history().trials().iter().map(|t| t.outcome.as_ref().unwrap().cost()).collect();
    assert_eq!(costs, [None, None, None, Some(2.0)]);
}

/// A measurement is not dropped for its cost or noise variance: the table is refused.
#[test]
fn measured_rows_with_a_bad_cost_or_noise_variance_are_errors() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let error = |column: &str, value: &str| {
        let csv = format!("objective,{column},x\n1,2,0.5\n1,{value},0.5\n");
        from_csv(&space, &Directions::default(), &csv).unwrap_err().to_string()
    };
    let expected = "expected a finite number from 0";
    for value in ["-1", "NaN", "inf"] {
        assert_eq!(error("cost", value), format!("trial 1: the cost is {value}, {expected}"));
        assert_eq!(
            error("noise_variance", value),
            format!("trial 1: the noise variance is {value}, {expected}")
        );
    }
}

/// Known trials have the values of the space, however they were written.
#[test]
fn known_trials_have_the_values_of_the_space() {
    let space = Space::builder().categorical("n", [16, 32]).step_float("x", 0.0, 0.3, 0.1).build().unwrap();
    let mut written = Config::new();
    written.insert("n", 16.0);
    written.insert("x", 3.0 * 0.1);
    let known = || [(written.clone(), Outcome::from(1.0))];
    let new = || Study::new(RandomSearch::new(space.clone()), Seed(1));
    let mut study = new().with_known(known()).unwrap();
    study.add_known(written.clone(), 2.0).unwrap();
    for trial in study.history().trials() {
        assert_eq!((trial.query.int("n"), trial.query.float("x")), (Ok(16), Ok(0.3)));
    }
    let csv = "objective,n,x\n1,16.0,0.30000000000000004\n";
    let read = from_csv(&space, &Directions::default(), csv).unwrap();
    assert_eq!(new().with_known(read).unwrap().history().trials()[0], study.history().trials()[0]);
}

#[test]
fn any_table_with_an_objective_is_read() {
    let csv = "note,objective,solver,layers,momentum,rate\nfirst,0.5,sgd,3,0.25,0.001\n,inf,adam,2.0,,1\n";
    let known = from_csv(&space(), &Directions::default(), csv).unwrap();
    assert_eq!(losses(&known), [Some(0.5), None]);
    assert_eq!((known[0].0.float("momentum"), known[1].0.int("layers")), (Ok(0.25), Ok(2)));
    // Running trials are left out.
    let csv = "state,objective,solver,layers,rate\nrunning,,adam,2,1\nmeasured,2,adam,2,1\n";
    assert_eq!(losses(&from_csv(&space(), &Directions::default(), csv).unwrap()), [Some(2.0)]);
    assert!(from_csv(&space(), &Directions::default(), "").unwrap().is_empty());
}

#[test]
fn faults_of_tables_are_named() {
    let refused = |csv: &str| from_csv(&space(), &Directions::default(), csv).unwrap_err().to_string();
    for (csv, expected) in [
        ("solver,layers,rate\nadam,2,1\n", "trial 0: there is no column objective or objective.0"),
        ("objective,solver,layers,rate\n1,adam,2,1\n,adam,2,1\n", "trial 1: objective is empty"),
        ("objective,solver,layers,rate\none,adam,2,1\n", "trial 0: objective is \"one\", expected a number"),
        ("objective,solver,layers,rate\n1,adam,2.5,1\n", "trial 0: layers is 2.5, expected a whole number"),
        ("objective,solver,layers\n1,adam,2\n", "trial 0: parameter rate is missing"),
        (
            "objective,solver,layers,rate\n1,lbfgs,2,1\n",
            "trial 0: solver is \"lbfgs\", not one of its choices",
        ),
        ("objective,solver,layers,rate,cost\n1,adam,2,1,x\n", "trial 0: cost is \"x\", expected a number"),
        ("state,objective,solver,layers,rate\ndone,1,adam,2,1\n", "trial 0: state is \"done\""),
        ("state,last_step,solver,layers,rate\npruned,-1,adam,2,1\n", "trial 0: last_step is \"-1\""),
    ] {
        let found = refused(csv);
        assert!(found.starts_with(expected), "{found}");
    }
    assert!(refused("objective,solver\n1\n").starts_with("not CSV"));
}

/// Random trials of a space, and the table that is written of them.
fn table_of(space: &Space, trials: usize) -> (Vec<Config>, String) {
    let mut study = Study::new(RandomSearch::new(space.clone()), Seed(1)).with_stop(MaxTrials(trials));
    study.run(|_, context| context.id.0 as f64).unwrap();
    let mut csv = Vec::new();
    Table::of(study.history()).unwrap().write_csv(&mut csv).unwrap();
    let configs = study.history().trials().iter().map(|trial| trial.query.clone());
    (configs.collect(), String::from_utf8(csv).unwrap())
}

fn configs(known: Vec<(Config, Outcome)>) -> Vec<Config> {
    known.into_iter().map(|(config, _)| config).collect()
}

/// A table is that of Optuna by its columns; a parameter may begin with `params_`, and its name may need quotes.
#[test]
fn a_table_of_either_kind_is_recognised() {
    let directions = Directions::default();
    let space = Space::builder().categorical("params_c", ["a", "b"]).float("x, y", 0.0, 1.0).build().unwrap();
    let (written, csv) = table_of(&space, 6);
    assert_eq!(configs(from_table(&space, &directions, &csv).unwrap()), written);
    let failed = "trial,state,params_c,\"x, y\"\n0,failed,a,0.5\n";
    assert_eq!(losses(&from_table(&space, &directions, failed).unwrap()), [None]);
    let optuna = "number,value,params_params_c,\"params_x, y\",state\n0,2,a,0.5,COMPLETE\n";
    assert_eq!(losses(&from_table(&space, &directions, optuna).unwrap()), [Some(2.0)]);
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let more = "objective,params_count,x\n2,7,0.5\n";
    assert_eq!(losses(&from_table(&space, &directions, more).unwrap()), [Some(2.0)]);
}

/// Choices that a table writes alike are refused; those that it writes differently come back.
#[test]
fn choices_of_one_text_are_refused() {
    let directions = Directions::default();
    let space = |choices: Vec<Value>| Space::builder().categorical("c", choices).build().unwrap();
    for (choices, text) in [
        (vec![Value::Bool(true), "true".into()], "true"),
        (vec![1.into(), "1".into()], "1"),
        (vec![1.into(), 1.0.into()], "1.0"),
        (vec![1.0.into(), "1.0".into()], "1.0"),
    ] {
        let (space, csv) = (space(choices.clone()), format!("objective,c\n1,{text}\n"));
        let error = from_csv(&space, &directions, &csv).unwrap_err().to_string();
        assert_eq!(error, format!("trial 0: c is {text:?}, which is 2 of its choices"), "{choices:?}");
    }
    for choices in [vec![Value::Bool(true), "True".into(), 1.into()], vec![1.0.into(), "1".into(), 2.into()]]
    {
        let space = space(choices);
        let (written, csv) = table_of(&space, 12);
        assert_eq!(configs(from_csv(&space, &directions, &csv).unwrap()), written, "{csv}");
    }
}

/// An empty cell is the empty text where that is a choice of an active parameter, and no value where the parameter is not active.
#[test]
fn empty_texts_come_back() {
    let directions = Directions::default();
    let space = Space::builder()
        .categorical("flag", ["", "a"])
        .categorical("more", ["", "b"])
        .when("flag", [""])
        .float("x", 0.0, 1.0)
        .build()
        .unwrap();
    let (written, csv) = table_of(&space, 12);
    assert_eq!(configs(from_csv(&space, &directions, &csv).unwrap()), written, "{csv}");
    let optuna = "value,params_flag,params_more,params_x\n1,,,0.5\n2,a,,0.5\n";
    let known = configs(from_optuna(&space, &directions, optuna).unwrap());
    assert_eq!((known[0].str("flag"), known[0].str("more"), known[1].get("more")), (Ok(""), Ok(""), None));
    // A column that is not there is missing all the same.
    let error = from_csv(&space, &directions, "objective,x\n1,0.5\n").unwrap_err().to_string();
    assert_eq!(error, "trial 0: parameter flag is missing");
}
