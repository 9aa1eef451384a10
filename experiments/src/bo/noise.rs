//! Noisy evaluations: the default, other targets of improvement, and sampled hyperparameters.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_bo::{BoSettings, GpSurrogate};

use super::development::Share;
use super::problems::Kind;
use super::variant::{Studies, Variant};
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NOTE};
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind as ClaimKind, Rule, Sample, Test};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bo/noise",
    paper: "none: how noisy evaluations are taken",
    claim: "over noisy problems that only choose defaults no other treatment of noise makes the optimiser better than its default, and with sampled \
            hyperparameters noisy expected improvement is better than expected improvement, and last trials by the knowledge gradient are better \
            than last trials by expected improvement",
    quick_cost: "2 problems, 9 variants, 3 replications, 25 evaluations: some seconds",
    full_cost: "10 problems, 9 variants, 20 replications, 50 evaluations: half an hour",
    run,
};

/// Draws under noise from 1 to 50 % of their range; the last two report its variance.
const KINDS: [Kind; 10] = [
    Kind::Ranged { dim: 2, lengthscale: 0.3, smooth: true, noise: Share::Even(0.1) },
    Kind::Ranged { dim: 3, lengthscale: 0.4, smooth: false, noise: Share::Even(0.05) },
    Kind::Ranged { dim: 1, lengthscale: 0.15, smooth: true, noise: Share::Even(0.2) },
    Kind::Ranged { dim: 2, lengthscale: 0.2, smooth: false, noise: Share::Even(0.01) },
    Kind::Ranged { dim: 2, lengthscale: 0.5, smooth: true, noise: Share::Even(0.5) },
    Kind::Ranged { dim: 4, lengthscale: 0.6, smooth: true, noise: Share::Even(0.2) },
    Kind::Ranged { dim: 5, lengthscale: 0.8, smooth: false, noise: Share::Even(0.5) },
    Kind::Ranged { dim: 3, lengthscale: 0.5, smooth: true, noise: Share::Even(0.02) },
    Kind::Ranged { dim: 2, lengthscale: 0.3, smooth: true, noise: UNEVEN },
    Kind::Ranged { dim: 3, lengthscale: 0.5, smooth: false, noise: UNEVEN },
];

const UNEVEN: Share = Share::Reported { low: 0.01, high: 0.5 };

const SAMPLED: &str = "sampled (noisy)";
const SAMPLED_NOISY_EI: &str = "sampled, noisy EI";
const SAMPLED_IMPROVEMENT: &str = "sampled, no last trials";
/// Made worse on purpose.
const DETERMINISTIC: &str = "deterministic";

fn variants() -> [Variant; 9] {
    let on_mean = AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean);
    let noisy = AcquisitionKind::LogNoisyExpectedImprovement { draws: 64 };
    let best = AcquisitionKind::default();
    let ending = BoSettings::default().ending;
    [
        ("default", GpSurrogate::default(), best, ending),
        ("no last trials", GpSurrogate::default(), best, 0),
        ("noisy EI", GpSurrogate::default(), noisy, ending),
        (SAMPLED, GpSurrogate::noisy(), best, ending),
        (SAMPLED_IMPROVEMENT, GpSurrogate::noisy(), best, 0),
        (SAMPLED_NOISY_EI, GpSurrogate::noisy(), noisy, ending),
        ("EI on the best mean", GpSurrogate::default(), on_mean, ending),
        ("sampled, EI on the best mean", GpSurrogate::noisy(), on_mean, ending),
        (DETERMINISTIC, GpSurrogate::deterministic(), best, ending),
    ]
    .map(|(name, model, rule, ending)| {
        Variant::new(name, model, BoSettings { rule, ending, ..BoSettings::default() })
    })
}

/// Claims that with sampled hyperparameters noisy expected improvement has a lower mean log₁₀ regret than expected improvement, and than the
/// variant that is worse on purpose; and that last trials by the knowledge gradient have a lower one than none.
fn judge(names: &[&str], finals: &[Vec<Vec<f64>>], planned: usize) -> Result<Judgement, ClaimError> {
    let logs = |name: &str| -> Vec<f64> {
        let at = names.iter().position(|other| *other == name).unwrap_or(0);
        finals.iter().flat_map(|of_problem| of_problem[at].iter().map(|regret| regret.log10())).collect()
    };
    let mut family = Family::new(Rule::All);
    for (own, other) in
        [(SAMPLED_NOISY_EI, SAMPLED), (SAMPLED_NOISY_EI, DETERMINISTIC), (SAMPLED, SAMPLED_IMPROVEMENT)]
    {
        let name = format!("{own}: lower regret than {other}");
        let claim = Claim::new(name, ClaimKind::Superior, Test::SignFlip, finals.len() * planned);
        let sample = Sample::losses(&claim.name, &logs(own), &logs(other))?;
        family.push(claim, sample);
    }
    family.judge()
}

/// Median regrets with a row for each problem.
fn levels(names: &[&str], labels: &[String], finals: &[Vec<Vec<f64>>]) -> Table {
    let row = |(label, of_problem): (&String, &Vec<Vec<f64>>)| {
        let medians = of_problem.iter().map(|regrets| number(quantile(regrets, 0.5)));
        std::iter::once(label.clone()).chain(medians).collect()
    };
    Table {
        name: "levels".into(),
        caption: "Median regret of the recommendation without noise by problem and variant. Noise is given by its standard deviation in percent \
                  of the range of the function; reported noise grows along the first parameter."
            .into(),
        header: std::iter::once("problem").chain(names.iter().copied()).map(String::from).collect(),
        rows: labels.iter().zip(finals).map(row).collect(),
    }
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (replications, evaluations) = (context.replications(3, 20), context.pick(25, 50));
    let kinds = context.pick(&KINDS[..2], &KINDS[..]);
    let variants = variants();
    let studies = Studies { id: EXPERIMENT.id, kinds, variants: &variants, evaluations };
    let (names, labels) = (studies.names(), studies.labels());
    let finals = studies.finals(context, replications)?;
    let Ablation { table, numbers, judgement } =
        Ablation::judge(&names, &labels, &finals, replications.planned)?;
    let noisy = judge(&names, &finals, replications.planned)?;
    let settings = [
        ("regret", "of the recommendation, without noise"),
        ("range", "largest less least value of a long search"),
    ];
    Ok(Report {
        judgement: Judgement::all(vec![judgement, noisy]),
        numbers,
        settings: studies.settings(replications, &settings),
        notes: vec![
            NOTE.into(),
            "A second family claims that sampled hyperparameters with noisy expected improvement have a lower mean log₁₀ regret than with \
             expected improvement, and than a deterministic model, which is worse on purpose; and that with expected improvement the default's \
             last trials have a lower one than none."
                .into(),
        ],
        tables: vec![table, levels(&names, &labels, &finals)],
        figures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;
    use crate::harness::claims::Finding;

    /// Noisy expected improvement made better on purpose, made worse, and a deterministic model that is as good; studies without last trials that
    /// are worse, and better.
    #[test]
    fn claims_are_decided_both_ways() {
        let names = variants().map(|variant| variant.name);
        let verdicts = |noisy: f64, deterministic: f64, without_last: f64| -> Vec<Verdict> {
            let factor = |name: &str| match name {
                SAMPLED_NOISY_EI => noisy,
                DETERMINISTIC => deterministic,
                SAMPLED_IMPROVEMENT => without_last,
                _ => 1.0,
            };
            let of = |name: &str| (0..12).map(|i| factor(name) * f64::from(1 + i * 5 % 12)).collect();
            judge(&names, &[names.map(of).to_vec()], 12)
                .unwrap()
                .findings()
                .iter()
                .map(Finding::verdict)
                .collect()
        };
        let (holds, fails) = (Verdict::Holds, Verdict::DoesNotHold);
        assert_eq!(verdicts(0.5, 3.0, 2.0), [holds, holds, holds]);
        assert_eq!(verdicts(2.0, 3.0, 0.5), [fails, holds, fails]);
        assert_eq!(verdicts(0.5, 0.5, 2.0), [holds, Verdict::Inconclusive, holds]);
    }
}
