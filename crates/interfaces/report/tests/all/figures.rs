//! Every figure on small studies of known results, and the reasons of those that do not fit.

use thrifty_report::{Figure, Report, ReportError};
use thrifty_sampling::Seed;
use thrifty_search::{RandomSearch, SobolSearch};
use thrifty_space::{Config, Space};
use thrifty_study::{Context, Direction, Directions, History, MaxTrials, Measurement, Outcome, Study};

use crate::snapshot;
use snapshot::{check, check_model};

fn space() -> Space {
    Space::builder()
        .log_float("rate", 1e-5, 1e-1)
        .int("depth", 1, 9)
        .categorical("solver", ["sgd", "<script>alert(1)</script>"])
        .float("momentum", 0.0, 0.99)
        .when("solver", ["sgd"])
        .build()
        .unwrap()
}

/// A study whose objective depends on the rate most, with failures, pruned trials, reports and predictions.
fn history(trials: usize) -> History<Config> {
    let mut study = Study::new(RandomSearch::new(space()), Seed(3)).with_stop(MaxTrials(trials));
    study
        .run(|config: &Config, context| {
            let rate = config.float("rate").unwrap().log10();
            let depth = config.int("depth").unwrap() as f64;
            let loss = (rate + 3.0).powi(2) + 0.05 * depth;
            for step in 1..4 {
                context.report(step, loss * (1.0 + 1.0 / step as f64)).unwrap();
            }
            match context.id.0 % 9 {
                5 => Outcome::failed("<b>out of memory</b>"),
                7 => Outcome::pruned(3),
                _ => loss.into(),
            }
        })
        .unwrap();
    let mut all = study.history().trials().to_vec();
    for trial in &mut all {
        // Wall-clock times differ from run to run.
        trial.timing.ask = 0.01;
        trial.timing.evaluate = 0.5;
        trial.diagnostics.insert("mean".into(), 1.0);
        trial.diagnostics.insert("std_dev".into(), 0.5);
    }
    History::from_trials(all, Seed(3))
}

fn reason(history: &History<Config>, space: Option<&Space>, figure: Figure) -> String {
    Report::new(history, space).unwrap().draw(figure).unwrap_err().to_string()
}

#[test]
fn figures_keep_their_drawing() {
    let history = history(30);
    let report = Report::new(&history, Some(&space())).unwrap();
    for figure in Figure::ALL {
        if figure == Figure::Pareto {
            continue;
        }
        let svg = report.draw(figure).unwrap();
        assert!(svg.starts_with("<svg") && !svg.contains("<script") && !svg.contains("NaN"), "{figure:?}");
        // Models depend on the last bits of a processor.
        let is_model = matches!(
            figure,
            Figure::Contour | Figure::Map | Figure::Surrogate | Figure::LeaveOneOut | Figure::Densities
        );
        if figure == Figure::Map {
            // Thousands of cells; every fiftieth line has the shades and places that the map is about.
            let lines: Vec<&str> = svg.lines().step_by(50).collect();
            check_model("map_every_50th_line", &lines.join("\n"));
        } else if is_model {
            check_model(figure.name(), &svg);
        } else {
            check(figure.name(), &svg);
        }
    }
}

#[test]
fn several_objectives_have_a_pareto_set() {
    let mut study = Study::new(SobolSearch::new(Space::unit_cube(2)), Seed(1)).with_stop(MaxTrials(16));
    let objectives = |config: &Config| {
        let (a, b) = (config.float("x0").unwrap(), config.float("x1").unwrap());
        Measurement { objectives: vec![a + b, (a - 1.0).powi(2) + b], ..Measurement::default() }
    };
    study.run(|config: &Config, _| objectives(config)).unwrap();
    let report = Report::new(study.history(), None).unwrap();
    check("pareto", &report.draw(Figure::Pareto).unwrap());
    check("history_of_two", &report.draw(Figure::History).unwrap());
    assert!(report.page("two").unwrap().contains("Pareto set"));
}

/// Infeasible trials that would beat the Pareto set have a name of their own.
#[test]
fn infeasible_trials_are_told_apart_from_the_pareto_set() {
    let drawn = |limit: f64| {
        let mut study = Study::new(SobolSearch::new(Space::unit_cube(2)), Seed(1)).with_stop(MaxTrials(16));
        let evaluate = |config: &Config| {
            let (a, b) = (config.float("x0").unwrap(), config.float("x1").unwrap());
            Measurement { objectives: vec![a, b], constraints: vec![limit - a - b], ..Measurement::default() }
        };
        study.run(|config: &Config, _| evaluate(config)).unwrap();
        Report::new(study.history(), None).unwrap().draw(Figure::Pareto).unwrap()
    };
    assert!(drawn(0.8).contains("infeasible") && !drawn(-1.0).contains("infeasible"));
}

#[test]
fn studies_without_enough_trials_name_the_reason() {
    let none = History::<Config>::new(Seed(1));
    assert!(matches!(Report::new(&none, None), Err(ReportError::NoTrials)));
    let space = space();
    for figure in Figure::ALL {
        let text = reason(&none, Some(&space), figure);
        assert!(text.starts_with(figure.name()), "{text}");
    }
    assert!(
        Report::new(&none, Some(&space)).unwrap().page("none").unwrap().contains("No trial was measured.")
    );
    let few = history(5);
    let text = reason(&few, None, Figure::Importance);
    assert!(text.contains("importance: 5 measured trials, expected at least 10"), "{text}");
    let mut study = Study::new(SobolSearch::new(Space::unit_cube(2)), Seed(1)).with_stop(MaxTrials(12));
    study.run(|_: &Config, _| 2.0).unwrap();
    for figure in [Figure::Importance, Figure::Contour, Figure::Surrogate] {
        assert!(reason(study.history(), None, figure).contains("all objectives are equal"));
    }
    for figure in [Figure::History, Figure::Slices, Figure::Parallel, Figure::Distribution] {
        assert!(Report::new(study.history(), None).unwrap().draw(figure).is_ok());
    }
    assert!(reason(study.history(), None, Figure::Curves).contains("no trial has intermediate values"));
}

#[test]
fn extreme_objectives_are_drawn_too() {
    for scale in [1e-12, 1e12, -1e150] {
        let mut study = Study::new(SobolSearch::new(Space::unit_cube(2)), Seed(1)).with_stop(MaxTrials(12));
        study.run(|config: &Config, _| config.float("x0").map_or(f64::NAN, |x| scale * (x - 0.2))).unwrap();
        let report = Report::new(study.history(), Some(&Space::unit_cube(2))).unwrap();
        for figure in [Figure::History, Figure::Slices, Figure::Importance, Figure::Contour, Figure::Parallel]
        {
            let svg = report.draw(figure).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains(">inf"), "{scale:e} {figure:?}");
        }
    }
}

/// Trials outside the space of the study file are counted in a warning; where all are inside, or the space is derived from them, there is
/// none.
#[test]
fn trials_outside_the_space_are_counted() {
    let narrow = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let page = |values: &[f64], space: Option<&Space>| {
        let wide = Space::builder().float("x", -10.0, 10.0).build().unwrap();
        let known = values.iter().map(|x| {
            let mut config = Config::new();
            config.insert("x", *x);
            (config, Outcome::from(*x))
        });
        let study = Study::new(RandomSearch::new(wide), Seed(1)).with_known(known).unwrap();
        Report::new(study.history(), space).unwrap().page("study").unwrap()
    };
    let warning = "outside the space of the study file";
    let one = page(&[0.2, 0.4, 3.0], Some(&narrow));
    assert!(one.contains("1 trial outside the space of the study file."), "one of three");
    let two = page(&[0.2, -0.4, 3.0], Some(&narrow));
    assert!(two.contains("2 trials outside the space of the study file."), "two of three");
    assert!(!page(&[0.2, 0.4, 0.6], Some(&narrow)).contains(warning), "none of three");
    assert!(!page(&[0.2, 0.4, 3.0], None).contains(warning), "the space is that of the trials");
}

#[test]
fn a_page_escapes_every_text_and_refers_to_nothing_else() {
    let history = history(30);
    let page = Report::new(&history, Some(&space())).unwrap().page("<img src=x onerror=alert(1)>").unwrap();
    for text in ["<script>alert", "<img", "<b>out"] {
        assert!(!page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<script>").count(), 1, "the page's own script");
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    assert!(
        !elsewhere.contains("http://") && !elsewhere.contains("https://") && !elsewhere.contains(" src=\"")
    );
    assert!(page.contains("30 (24 measured, 3 failed, 3 pruned, 0 running)"));
    // A row per trial, and as many cells as columns.
    let body = page.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    assert_eq!(body.matches("<tr>").count(), 30);
    let columns = page.matches("<button").count();
    assert_eq!(body.matches("<td>").count(), 30 * columns);
}

/// Trials with the configuration of an earlier one, which a page counts; where there are none, it says nothing about them.
#[test]
fn a_page_counts_repeated_configurations() {
    let once = history(4);
    let warned = |trials: Vec<_>| {
        let history = History::from_trials(trials, Seed(3));
        let page = Report::new(&history, Some(&space())).unwrap().page("study").unwrap();
        let end = page.split(" with the configuration of an earlier one").next().filter(|end| *end != page);
        end.map(|end| end.rsplit('>').next().unwrap().to_owned())
    };
    assert_eq!(warned(once.trials().to_vec()), None, "four configurations");
    for (more, expected) in [(1, "1 trial"), (2, "2 trials")] {
        let again = [once.trials(), &once.trials()[..more]].concat();
        assert_eq!(warned(again).as_deref(), Some(expected), "{more} of four again");
    }
}

/// Numbers of the best trial and labels of choices have exponents where they are very small or large.
#[test]
fn extreme_numbers_of_a_page_have_exponents() {
    let space =
        Space::builder().float("x", 0.0, 1.0).categorical("tolerance", [1e-300, 1e-12]).build().unwrap();
    let mut config = Config::new();
    config.insert("x", 1e-12);
    config.insert("tolerance", 1e-300);
    let study = Study::new(RandomSearch::new(space.clone()), Seed(1));
    let study = study.with_known([(config, Outcome::from(1e300))]).unwrap();
    let page = Report::new(study.history(), Some(&space)).unwrap().page("study").unwrap();
    for text in ["1e300 (trial 0)", "x = 1e-12", "tolerance = 1e-300"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("000000000000"));
}

/// A study of choices alone has no axis along which its process could be drawn.
#[test]
fn a_process_over_choices_has_no_slices() {
    let space = Space::builder().categorical("a", [1, 2, 3]).categorical("b", ["x", "y"]).build().unwrap();
    let mut study = Study::new(RandomSearch::new(space.clone()), Seed(3)).with_stop(MaxTrials(20));
    study
        .run(|config: &Config, context| config.int("a").unwrap() as f64 + 0.01 * context.id.0 as f64)
        .unwrap();
    for (figure, needed) in [(Figure::Surrogate, 1), (Figure::Map, 2)] {
        let text = reason(study.history(), Some(&space), figure);
        assert!(text.contains(&format!("0 numeric parameters, expected at least {needed}")), "{text}");
    }
}

/// Along a parameter that the best trial does not have nothing changes: it has no slice.
#[test]
fn inactive_parameters_of_the_best_trial_have_no_slice() {
    let space = Space::builder()
        .float("rate", 0.0, 1.0)
        .categorical("solver", ["sgd", "adam"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .build()
        .unwrap();
    let slices = |best: &str| {
        let mut study = Study::new(RandomSearch::new(space.clone()), Seed(3)).with_stop(MaxTrials(20));
        let loss = |config: &Config| {
            config.float("rate").unwrap() + f64::from(u8::from(config.str("solver").unwrap() != best))
        };
        study.run(|config: &Config, _| loss(config)).unwrap();
        Report::new(study.history(), Some(&space)).unwrap().draw(Figure::Surrogate).unwrap()
    };
    assert!(slices("sgd").contains("posterior along momentum"));
    let without = slices("adam");
    assert!(without.contains("posterior along rate") && !without.contains("momentum"));
}

/// The list of warnings of a page: nothing failed in a study without trials, and a fifth of the trials is many.
#[test]
fn a_page_counts_failures_from_one_in_five() {
    let warned = |outcomes: &[Outcome]| {
        let mut study =
            Study::new(SobolSearch::new(Space::unit_cube(2)), Seed(1)).with_stop(MaxTrials(outcomes.len()));
        study.run(|_: &Config, context| outcomes[context.id.0 as usize].clone()).unwrap();
        let page = Report::new(study.history(), Some(&Space::unit_cube(2))).unwrap().page("study").unwrap();
        page.contains("trials failed; the table has the reasons")
    };
    let of = |failed: usize, measured: usize| {
        [vec![Outcome::failed("no"); failed], vec![Outcome::from(1.0); measured]].concat()
    };
    assert!(!warned(&[]), "no trials");
    assert!(!warned(&of(0, 3)) && !warned(&of(1, 5)));
    assert!(warned(&of(1, 4)) && warned(&of(2, 0)));
}

/// The best trial at an end of a range, which a page says for one objective; of several objectives no trial is the best.
#[test]
fn a_page_says_that_the_best_trial_is_at_an_end() {
    let page = |objectives: &dyn Fn(f64) -> Vec<f64>, space: Option<&Space>| {
        let cube = Space::unit_cube(2);
        let mut study = Study::new(SobolSearch::new(cube), Seed(1)).with_stop(MaxTrials(8));
        let measured = |x: f64| Measurement { objectives: objectives(x), ..Measurement::default() };
        study.run(|config: &Config, _| measured(config.float("x0").unwrap())).unwrap();
        let mut trials = study.history().trials().to_vec();
        trials[0].query.insert("x0", 0.0);
        trials[0].query.insert("x1", 0.5);
        trials[0].outcome = Some(measured(0.0).into());
        Report::new(&History::from_trials(trials, Seed(1)), space).unwrap().page("study").unwrap()
    };
    let cube = Space::unit_cube(2);
    let at = |x: &str, end: &str| format!("The best trial has {x} at the {end} end of its range");
    let rising = page(&|x| vec![x], Some(&cube));
    assert!(rising.contains(&at("x0", "lower")), "the smallest value is best");
    assert!(!rising.contains(&at("x0", "upper")) && !rising.contains(&at("x1", "lower")));
    assert!(!page(&|x| vec![(x - 0.5).powi(2)], Some(&cube)).contains("end of its range"), "inside");
    assert!(!page(&|x| vec![x, x], Some(&cube)).contains("end of its range"), "two objectives");
    assert!(!page(&|x| vec![x], None).contains("end of its range"), "ranges that are derived");
}

/// The process goes through the best trial of the study: one that breaks a constraint is not the best.
#[test]
fn a_process_goes_through_the_best_feasible_trial() {
    let cube = Space::unit_cube(3);
    let draw = |limit: f64| {
        let mut study = Study::new(RandomSearch::new(cube.clone()), Seed(1)).with_stop(MaxTrials(15));
        let objective = |config: &Config, _: &mut Context<'_>| {
            let [x, y, z] = ["x0", "x1", "x2"].map(|name| config.float(name).unwrap());
            let objectives = vec![x + (y - 0.9 * x).powi(2) + 0.1 * z];
            Measurement { objectives, constraints: vec![limit - x], ..Measurement::default() }
        };
        study.run(objective).unwrap();
        let report = Report::new(study.history(), Some(&cube)).unwrap();
        let best = study.history().best().map(|(trial, _)| trial.id);
        (best, [Figure::Surrogate, Figure::Map].map(|figure| report.draw(figure).map_err(|e| e.to_string())))
    };
    let ((all, [curve, map]), (feasible, [feasible_curve, feasible_map])) = (draw(0.0), draw(0.5));
    assert_ne!(all, feasible);
    assert!(curve.unwrap() != feasible_curve.unwrap() && map.unwrap() != feasible_map.unwrap());
    let (none, [curve, map]) = draw(2.0);
    assert_eq!(none, None);
    for reason in [curve.unwrap_err(), map.unwrap_err()] {
        assert!(reason.ends_with("no trial has a feasible measurement at the target"), "{reason}");
    }
}

/// Messages about too few trials at the target do not say that few were measured.
#[test]
fn too_few_trials_at_the_target_are_named() {
    let space = Space::unit_cube(2);
    let mut study = Study::new(RandomSearch::new(space.clone()), Seed(3)).with_stop(MaxTrials(40));
    study.run(|config: &Config, _| config.float("x0").unwrap()).unwrap();
    let history = study.history().clone().with_comparable(|_| false);
    let report = Report::new(&history, Some(&space)).unwrap();
    for figure in [Figure::Densities, Figure::Distribution] {
        let reason = report.draw(figure).unwrap_err().to_string();
        assert!(reason.contains("0 measured trials at the target"), "{reason}");
    }
}

/// Figures of values do not depend on which end of them is the better one.
#[test]
fn maximised_objectives_are_drawn_in_the_units_of_the_user() {
    let minimised = history(30);
    let mut trials = minimised.trials().to_vec();
    for trial in &mut trials {
        trial.reports.iter_mut().for_each(|(_, value)| *value = -*value);
        if let Some(Outcome::Measured(measured)) = &mut trial.outcome {
            measured.objectives[0] = -measured.objectives[0];
        }
    }
    let maximised =
        History::from_trials(trials, Seed(3)).with_directions(Directions::new(vec![Direction::Maximize]));
    let space = space();
    let (one, other) =
        (Report::new(&minimised, Some(&space)).unwrap(), Report::new(&maximised, Some(&space)).unwrap());
    for figure in [Figure::Distribution, Figure::Curves, Figure::Contour, Figure::LeaveOneOut] {
        assert_eq!(one.draw(figure).unwrap(), other.draw(figure).unwrap(), "{figure:?}");
    }
    for figure in [Figure::History, Figure::Slices, Figure::Parallel] {
        assert_ne!(one.draw(figure).unwrap(), other.draw(figure).unwrap(), "{figure:?}: the best is another");
    }
    let page = other.page("study").unwrap();
    let (_, loss) = maximised.best().unwrap();
    assert!(page.contains(&format!("{} (trial", -loss)) && page.contains("maximize"), "the summary");
}

/// Predictions in the user's units have a diagonal; without them those of the model are drawn, as for earlier journals.
#[test]
fn predictions_are_drawn_in_the_units_of_the_user() {
    let of_model = history(30);
    let mut trials = of_model.trials().to_vec();
    let interval = |trial: &thrifty_study::Trial<Config>| {
        let loss = trial.outcome.as_ref().and_then(Outcome::objective).unwrap_or(1.0);
        [("predicted_low", 0.5 * loss), ("predicted", loss), ("predicted_high", 3.0 * loss)]
    };
    for trial in &mut trials {
        for (name, value) in interval(trial) {
            trial.diagnostics.insert(name.into(), value);
        }
    }
    // An end without a finite value leaves its trial out.
    trials[0].diagnostics.insert("predicted_high".into(), f64::INFINITY);
    let draw = |history: &History<Config>| {
        Report::new(history, Some(&space())).unwrap().draw(Figure::Calibration).unwrap()
    };
    let minimised = History::from_trials(trials.clone(), Seed(3));
    let svg = draw(&minimised);
    assert!(svg.contains("equal") && svg.contains("95 % interval") && !svg.contains("units of the model"));
    assert!(draw(&of_model).contains("units of the model"));
    for trial in &mut trials {
        for name in ["predicted_low", "predicted", "predicted_high"] {
            *trial.diagnostics.get_mut(name).unwrap() *= -1.0;
        }
        trial.diagnostics.insert("mean".into(), -1.0);
        if let Some(Outcome::Measured(measured)) = &mut trial.outcome {
            measured.objectives[0] *= -1.0;
        }
    }
    let directions = Directions::new(vec![Direction::Maximize]);
    assert_eq!(draw(&History::from_trials(trials, Seed(3)).with_directions(directions)), svg);
}

/// Infeasible trials are drawn too, so one that is not positive keeps the axis linear, however wide the feasible ones are.
#[test]
fn an_infeasible_trial_that_is_not_positive_keeps_the_axis_linear() {
    let space = Space::unit_cube(1);
    let mut study = Study::new(SobolSearch::new(space.clone()), Seed(1)).with_stop(MaxTrials(14));
    study
        .run(|config: &Config, _| {
            let x = config.float("x0").unwrap();
            let (objective, constraint) =
                if x > 0.5 { (10.0_f64.powf(10.0 * (x - 0.5)), -1.0) } else { (-3.0, 1.0) };
            Measurement { objectives: vec![objective], constraints: vec![constraint], ..objective.into() }
        })
        .unwrap();
    let svg = Report::new(study.history(), Some(&space)).unwrap().draw(Figure::History).unwrap();
    assert!(!svg.contains("1e-"), "{svg}");
}
