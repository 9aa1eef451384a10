//! The region in which Branin exceeds 80: `cargo run --release -p thrifty-levelset --example branin`

use thrifty_levelset::metrics::Confusion;
use thrifty_levelset::{ClassificationSet, Label, LevelSetOptimizer, LevelSetSettings};
use thrifty_sampling::Seed;
use thrifty_study::{MaxTrials, Study};
use thrifty_testbed::{Problem, TestFunction};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = TestFunction::branin();
    let settings = LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 30 },
        epsilon: 1.0,
        ..LevelSetSettings::above(80.0)
    };
    let optimizer = LevelSetOptimizer::new(problem.space().clone(), settings)?;
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(60));
    let reason = study.run(|config, context| problem.evaluate(config, &mut context.noise()))?;
    let Some(found) = study.recommend()? else { return Ok(()) };
    let mut noise = Seed(0).stream("noise", 0);
    let mut truth = Vec::new();
    for config in found.configs(problem.space()) {
        truth.push(problem.evaluate(&config, &mut noise).objective().is_some_and(|value| value > 80.0));
    }
    let f1 = Confusion::of(&truth, &found.predicted_above()).map_or(f64::NAN, |counts| counts.f1());
    let (epsilon, beta) = found.accuracy();
    println!("{} evaluations of 900 points: {reason:?}", study.history().len());
    println!("F1 {f1:.4}, expected to be misclassified {:.1e}", found.misclassified());
    for label in [Label::Above, Label::Below, Label::Undecided] {
        println!("{label:?}: {:.3}", found.share(label));
    }
    println!(
        "certified: {}, within {epsilon} where the function is within {:.1} deviations",
        found.is_certified(),
        beta.sqrt()
    );
    Ok(())
}
