//! One method of ours against each peer: paired by design, tested, corrected.

use super::sample::{Sample, distinct, finals};
use crate::harness::ablation::NO_REGRET;
use crate::harness::claims::{
    Claim, ClaimError, Family, Finding, Judgement, Kind, Rule, Sample as Evidence, Test,
};
use crate::harness::stats::{a12, quantile};
use crate::harness::{Table, number, pairwise};

/// Regrets of ours and of one peer on one function, paired by design.
#[derive(Clone)]
pub struct Pair {
    pub function: String,
    pub peer: String,
    pub ours: Vec<f64>,
    pub theirs: Vec<f64>,
    /// "Ours is lower", corrected over the functions of this peer.
    pub finding: Finding,
}

/// Every pair that has designs in common, function by function.
pub fn pairs(
    ours: &str,
    samples: &[Sample],
    peers: &[Sample],
    evaluations: usize,
) -> Result<Vec<Pair>, ClaimError> {
    let functions = distinct(samples.iter().map(|s| &s.function));
    let mut pairs = Vec::new();
    for peer in distinct(peers.iter().map(|s| &s.method)) {
        let (mut own, mut family) = (Vec::new(), Family::new(Rule::All));
        for function in &functions {
            let theirs = finals(peers, &peer, function, evaluations);
            let shared: Vec<(f64, f64)> = finals(samples, ours, function, evaluations)
                .iter()
                .filter_map(|(design, ours)| Some((*ours, *theirs.get(design)?)))
                .collect();
            if !shared.is_empty() {
                let (ours, theirs): (Vec<f64>, Vec<f64>) = shared.into_iter().unzip();
                let mut both = [ours, theirs];
                pairwise::finite(&mut both);
                let name = format!("lower than {peer} on {function}");
                let evidence = Evidence::losses(&name, &both[0], &both[1])?;
                family.push(Claim::new(name, Kind::Superior, Test::SignedRank, both[0].len()), evidence);
                own.push((function.clone(), both));
            }
        }
        let judgement = family.judge()?;
        pairs.extend(own.into_iter().zip(judgement.findings()).map(
            |((function, [ours, theirs]), finding)| Pair {
                function,
                peer: peer.clone(),
                ours,
                theirs,
                finding: finding.clone(),
            },
        ));
    }
    pairs.sort_by_key(|pair| functions.iter().position(|f| *f == pair.function));
    Ok(pairs)
}

/// One row per pair.
pub fn table(ours: &str, pairs: &[Pair]) -> Table {
    let row = |pair: &Pair| {
        vec![
            pair.function.clone(),
            pair.peer.clone(),
            pair.ours.len().to_string(),
            number(quantile(&pair.ours, 0.5)),
            number(quantile(&pair.theirs, 0.5)),
            number(pair.finding.two_sided()),
            pair.finding.direction().into(),
            format!("{:.2}", a12(&pair.ours, &pair.theirs)),
        ]
    };
    let header = ["function", "peer", "pairs", "our median", "its median", "p (Holm)", "ours is", "A12"];
    Table {
        name: "paired".into(),
        caption: format!(
            "{ours} against each peer, paired by design. p: two-sided signed-rank test, Holm-corrected over the functions \
             of that peer; the direction is given where it is below 0.05. A12: chance of a lower regret of ours."
        ),
        header: header.map(String::from).to_vec(),
        rows: pairs.iter().map(row).collect(),
    }
}

/// The pairs with the best peer of each function: the one of least median on the shared designs.
pub fn against_best(pairs: &[Pair]) -> Vec<&Pair> {
    let of = |function: &String| {
        let own = pairs.iter().filter(|pair| &pair.function == function);
        own.min_by(|a, b| quantile(&a.theirs, 0.5).total_cmp(&quantile(&b.theirs, 0.5)))
    };
    distinct(pairs.iter().map(|pair| &pair.function)).iter().filter_map(of).collect()
}

/// A pseudomedian of paired differences in log₁₀ of the regret of at most this is no worse.
const MARGIN: f64 = 0.1;

/// Functions on which ours must be better.
const BETTER: usize = 3;

/// Not worse than the best peer on any of the functions, and better on three, where a verdict needs so many pairs as there are designs.
/// A function without runs of a peer is undecided; without runs of peers at all there is nothing to claim.
pub fn judge(best: &[&Pair], functions: &[&str], designs: usize) -> Result<Judgement, ClaimError> {
    let (mut never_worse, mut better) = (Family::new(Rule::All), Family::new(Rule::AtLeast(BETTER)));
    for &function in functions.iter().filter(|_| !best.is_empty()) {
        let pair = best.iter().find(|pair| pair.function == function);
        let logs = |values: &[f64]| values.iter().map(|r| r.max(NO_REGRET).log10()).collect::<Vec<f64>>();
        let (peer, ours, theirs) = pair.map_or(("any peer", vec![], vec![]), |pair| {
            (pair.peer.as_str(), logs(&pair.ours), logs(&pair.theirs))
        });
        let claim = |what: &str, kind| {
            let name = format!("{what} than {peer} on {function}");
            Claim::new(name, kind, Test::SignedRank, designs)
        };
        let not_worse = claim("not worse", Kind::NotInferior { margin: MARGIN });
        let evidence = Evidence::losses(&not_worse.name, &ours, &theirs)?;
        better.push(claim("better", Kind::Superior), evidence.clone());
        never_worse.push(not_worse, evidence);
    }
    Ok(Judgement::all(vec![never_worse.judge()?, better.judge()?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    fn runs(method: &str, regret: impl Fn(usize) -> f64) -> Vec<Sample> {
        let sample = |design| Sample {
            method: method.into(),
            function: "F".into(),
            design,
            curve: vec![(10, regret(design))],
            seconds: 0.0,
        };
        (0..10).map(sample).collect()
    }

    #[test]
    fn directions_and_verdicts() {
        let ours = runs("ours", |i| 1.0 + i as f64);
        let worse = runs("worse", |i| 2.0 * i as f64 + 3.0);
        let mut peers = worse.clone();
        peers.extend(runs("better", |i| 0.5 * i as f64 + 0.25));
        let pairs = pairs("ours", &ours, &peers, 10).unwrap();
        assert_eq!(pairs.len(), 2);
        assert_eq!(pairs[0].finding.direction(), "lower");
        assert!(pairs[0].finding.two_sided() < 0.01 && a12(&pairs[0].ours, &pairs[0].theirs) > 0.5);
        assert_eq!(pairs[1].finding.direction(), "higher");
        let best = against_best(&pairs);
        assert_eq!(best[0].peer, "better");
        let verdict = |best: &[&Pair], functions: &[&str], designs: usize| {
            judge(best, functions, designs).unwrap().verdict()
        };
        assert_eq!(verdict(&best, &["F"], 10), Verdict::DoesNotHold);
        let on = |function: &str| Pair { function: function.into(), ..pairs[0].clone() };
        let three = [&on("F"), &on("G"), &on("H")];
        assert_eq!(verdict(&three, &["F", "G", "H"], 10), Verdict::Holds);
        assert_eq!(verdict(&three, &["F", "G", "H"], 11), Verdict::Inconclusive, "a design without the peer");
        assert_eq!(
            verdict(&three, &["F", "G", "H", "I"], 10),
            Verdict::Inconclusive,
            "a function without peers"
        );
        // Never worse, but on too few functions for a verdict.
        assert_eq!(verdict(&[&pairs[0]], &["F"], 10), Verdict::Inconclusive);
        assert_eq!(verdict(&[], &["F"], 10), Verdict::Inconclusive);
    }
}
