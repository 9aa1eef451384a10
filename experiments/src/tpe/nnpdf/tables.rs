//! Tables of the scans.

use std::collections::BTreeMap;

use super::Outcome;
use super::judge::Distance;
use super::law::Law;
use super::scan::{Goal, Search};
use crate::harness::claims::{Claim, ClaimError, Family, Finding, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::{mean_and_std_dev, quantile};
use crate::harness::{Table, number};

/// The test sets on which an ensemble is judged.
const SETS: [(&str, fn(&Outcome) -> Distance); 2] =
    [("within", |o| o.judgement.within), ("beyond", |o| o.judgement.beyond)];

/// A variance that is at most so many times larger is not harmed.
pub const HARMLESS: f64 = 1.25;
/// Biases below this, in variances of the data, are as good as none.
pub const NO_BIAS: f64 = 1e-3;

/// Answer to the question whether minimising the bias on test sets harms the variance.
pub struct Answer {
    pub judgement: Judgement,
    pub table: Table,
}

/// ln of a ratio over paired runs, of which so many were planned.
struct Ratio {
    logs: Vec<f64>,
    planned: usize,
}

impl Ratio {
    fn of(pairs: &[(f64, f64)], planned: usize) -> Self {
        let log = |(a, b): &(f64, f64)| a.max(NO_BIAS).ln() - b.max(NO_BIAS).ln();
        Self { logs: pairs.iter().map(log).collect(), planned }
    }

    fn mean(&self) -> f64 {
        mean_and_std_dev(&self.logs).0
    }

    /// That the ratio is not above 1 by more than a quarter.
    fn harmless(&self, name: String) -> (Claim, Sample) {
        self.claim(name, Kind::NotInferior { margin: HARMLESS.ln() })
    }

    /// That the ratio is below 1 by so much, or not above 1 by more than a margin.
    fn claim(&self, name: String, kind: Kind) -> (Claim, Sample) {
        let gains = self.logs.iter().map(|ratio| -ratio).collect();
        (Claim::new(name, kind, Test::SignFlip, self.planned), Sample::Gains(gains))
    }
}

/// The ratio with its interval; the finding is of its negative logarithm.
fn text(finding: &Finding) -> String {
    let back = |gain: f64| number((-gain).exp());
    format!("{} [{}, {}]", back(finding.effect), back(finding.interval.1), back(finding.interval.0))
}

/// A quantity of the runs of two kinds, paired by law and replication.
fn paired(
    outcomes: &[Outcome],
    first: (Search, Goal),
    second: (Search, Goal),
    value: impl Fn(&Outcome) -> f64,
) -> Vec<(f64, f64)> {
    let of = |(search, goal)| outcomes.iter().filter(move |o| o.search == search && o.goal == goal);
    let same = |a: &Outcome, b: &&Outcome| (a.law, a.replication) == (b.law, b.replication);
    of(first).filter_map(|a| Some((value(a), value(of(second).find(|b| same(a, b))?)))).collect()
}

pub fn answer(outcomes: &[Outcome], planned: usize) -> Result<Answer, ClaimError> {
    let (mut biases, mut variances) = (Family::new(Rule::All), Family::new(Rule::All));
    let mut names = Vec::new();
    for search in Search::ALL {
        for (set, distance) in SETS {
            let of = |value: fn(Distance) -> f64| {
                let pairs =
                    paired(outcomes, (search, Goal::Test), (search, Goal::Folds), |o| value(distance(o)));
                Ratio::of(&pairs, planned)
            };
            let name = |what: &str| format!("{}, {set}: {what}", search.name());
            let (claim, sample) = of(|d| d.bias).claim(name("bias smaller"), Kind::Superior);
            biases.push(claim, sample);
            let (claim, sample) = of(|d| d.variance).harmless(name("variance not larger"));
            variances.push(claim, sample);
            names.push([search.name().to_owned(), set.to_owned()]);
        }
    }
    let (biases, judgement) = (biases.judge()?, variances.judge()?);
    let found = biases.findings().iter().zip(judgement.findings());
    let row = |(names, (bias, variance)): (&[String; 2], (&Finding, &Finding))| {
        let found = [text(bias), number(bias.two_sided()), text(variance), variance.verdict().to_string()];
        names.iter().cloned().chain(found).collect()
    };
    let table = Table {
        name: "answer".into(),
        caption: "What choosing by the test χ² does compared with the K-fold χ²: geometric mean over laws and replications of \
                  the ratio of biases and of variances, with 95 % intervals; two-sided p of the biases after Holm, and whether \
                  variances are not larger by more than a quarter."
            .into(),
        header: ["search", "test set", "bias ratio", "p", "variance ratio", "harmless"].map(String::from).to_vec(),
        rows: names.iter().zip(found).map(row).collect(),
    };
    Ok(Answer { judgement, table })
}

/// Median and quartiles.
fn spread(values: &[f64]) -> String {
    let at = |p| number(quantile(values, p));
    if values.len() < 4 { at(0.5) } else { format!("{} [{}, {}]", at(0.5), at(0.25), at(0.75)) }
}

/// Runs by law, goal and search, of the laws that there are.
fn groups(outcomes: &[Outcome]) -> Vec<((Law, Goal, Search), Vec<&Outcome>)> {
    let mut groups = Vec::new();
    for law in Law::ALL {
        for goal in Goal::ALL {
            for search in Search::ALL {
                let own = outcomes.iter().filter(|o| (o.law, o.goal, o.search) == (law, goal, search));
                let own: Vec<&Outcome> = own.collect();
                if !own.is_empty() {
                    groups.push(((law, goal, search), own));
                }
            }
        }
    }
    groups
}

fn names((law, goal, search): (Law, Goal, Search)) -> Vec<String> {
    [law.name(), goal.name(), search.name()].map(String::from).to_vec()
}

/// Bias and variance of what was chosen.
pub fn ensembles(outcomes: &[Outcome]) -> Table {
    let row = |(group, own): ((Law, Goal, Search), Vec<&Outcome>)| {
        let mut row = names(group);
        for (_, distance) in SETS {
            row.push(spread(&own.iter().map(|o| distance(o).bias).collect::<Vec<f64>>()));
            row.push(spread(&own.iter().map(|o| distance(o).variance).collect::<Vec<f64>>()));
        }
        row
    };
    let header =
        ["law", "loss", "search", "bias within", "variance within", "bias beyond", "variance beyond"];
    Table {
        name: "ensembles".into(),
        caption: "Ensembles of the chosen models against the law, per point, in units of the data's variance: median and \
                  quartiles over replications."
            .into(),
        header: header.map(String::from).to_vec(),
        rows: groups(outcomes).into_iter().map(row).collect(),
    }
}

/// The smallest loss of a scan.
pub fn best(outcome: &Outcome) -> f64 {
    outcome.scan.losses.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Claims that the model of a scan is better than that of a random search, one test per group.
fn against_random(outcomes: &[Outcome], replications: usize) -> Result<Vec<String>, ClaimError> {
    let p = |((_, goal, search), _): ((Law, Goal, Search), Vec<&Outcome>)| {
        if search == Search::Random {
            return Ok("–".into());
        }
        let again = paired(outcomes, (search, goal), (Search::Random, goal), |o| o.scan.again);
        let (claim, sample) = Ratio::of(&again, replications).claim(search.name().into(), Kind::Superior);
        let judgement = Family::new(Rule::All).with(claim, sample).judge()?;
        Ok(number(judgement.findings()[0].two_sided()))
    };
    groups(outcomes).into_iter().map(p).collect()
}

/// Losses that scans found, and whether they were worth it.
pub fn scans(outcomes: &[Outcome], replications: usize) -> Result<Table, ClaimError> {
    let against = against_random(outcomes, replications)?;
    let row = |((group, own), p): (((Law, Goal, Search), Vec<&Outcome>), String)| {
        let of = |value: fn(&Outcome) -> f64| spread(&own.iter().map(|o| value(o)).collect::<Vec<f64>>());
        let mut row = names(group);
        row.extend([of(best), of(|o| o.scan.again), p]);
        row
    };
    Ok(Table {
        name: "scans".into(),
        caption: "Smallest loss of a scan, and mean loss of that model over 4 fresh initialisations: median and quartiles; two-sided \
                  p of the sign-flip test of the latter against random search over all laws, each alone."
            .into(),
        header: ["law", "loss", "search", "smallest", "again", "p against random"].map(String::from).to_vec(),
        rows: groups(outcomes).into_iter().zip(against).map(row).collect(),
    })
}

/// Medians of every group, and the ratios of the answer.
pub fn numbers(outcomes: &[Outcome], numbers: &mut BTreeMap<String, f64>) {
    for (group, own) in groups(outcomes) {
        let name = names(group).join(", ");
        let mut put = |what: &str, value: &dyn Fn(&Outcome) -> f64| {
            let values: Vec<f64> = own.iter().map(|o| value(o)).collect();
            numbers.insert(format!("{name}: {what}"), quantile(&values, 0.5));
        };
        for (set, distance) in SETS {
            put(&format!("bias {set}"), &|o| distance(o).bias);
            put(&format!("variance {set}"), &|o| distance(o).variance);
        }
        put("smallest loss", &best);
        put("loss again", &|o| o.scan.again);
    }
    for search in Search::ALL {
        for (set, distance) in SETS {
            let mut put = |what: &str, value: fn(Distance) -> f64| {
                let pairs =
                    paired(outcomes, (search, Goal::Test), (search, Goal::Folds), |o| value(distance(o)));
                let name = format!("{}: {what} {set}, test χ² over K-fold χ²", search.name());
                numbers.insert(name, Ratio::of(&pairs, pairs.len()).mean().exp());
            };
            put("bias", |d| d.bias);
            put("variance", |d| d.variance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// A search made worse: variances that are larger by half, or anything beside an equal one.
    #[test]
    fn a_larger_variance_is_found() {
        let ratio = |factor: f64, planned: usize| {
            let wobble = |i: usize| if i.is_multiple_of(2) { 1.1 } else { 1.0 / 1.1 };
            Ratio::of(&(0..24).map(|i| (factor * wobble(i), 1.0)).collect::<Vec<_>>(), planned)
        };
        let of = |factors: [f64; 2], planned: usize| {
            let mut family = Family::new(Rule::All);
            for factor in factors {
                let (claim, sample) = ratio(factor, planned).harmless(format!("{factor}"));
                family.push(claim, sample);
            }
            family.judge().unwrap().verdict()
        };
        let verdict = |factors: [f64; 2]| of(factors, 24);
        assert_eq!(of([1.0, 0.8], 25), Verdict::Inconclusive);
        assert_eq!(verdict([1.0, 0.8]), Verdict::Holds);
        assert_eq!(verdict([1.0, 1.5]), Verdict::DoesNotHold);
        assert_eq!(verdict([1.0, HARMLESS]), Verdict::Inconclusive);
    }
}
