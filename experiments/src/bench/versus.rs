//! One method of ours against each peer: paired by design, tested, corrected.

use super::sample::{Sample, distinct, finals};
use crate::harness::stats::{a12, holm, quantile, ranks, wilcoxon};
use crate::harness::{Table, Verdict, number};

/// Ours against one peer on one function.
pub struct Duel {
    pub function: String,
    pub peer: String,
    pub pairs: usize,
    pub ours: f64,
    pub theirs: f64,
    pub p: f64,
    /// `p` corrected over the functions of this peer.
    pub holm: f64,
    /// Whether the signed ranks lean to a lower regret of ours.
    pub lower: bool,
    pub a12: f64,
}

/// Every duel that has pairs, function by function.
pub fn duels(ours: &str, samples: &[Sample], peers: &[Sample], evaluations: usize) -> Vec<Duel> {
    let functions = distinct(samples.iter().map(|s| &s.function));
    let mut duels = Vec::new();
    for peer in distinct(peers.iter().map(|s| &s.method)) {
        let own: Vec<Duel> =
            functions.iter().filter_map(|f| duel(ours, &peer, f, samples, peers, evaluations)).collect();
        let corrected = holm(&own.iter().map(|d| d.p).collect::<Vec<f64>>());
        duels.extend(own.into_iter().zip(corrected).map(|(duel, holm)| Duel { holm, ..duel }));
    }
    duels.sort_by_key(|duel| functions.iter().position(|f| *f == duel.function));
    duels
}

fn duel(
    ours: &str,
    peer: &str,
    function: &str,
    samples: &[Sample],
    peers: &[Sample],
    evaluations: usize,
) -> Option<Duel> {
    let theirs = finals(peers, peer, function, evaluations);
    let pairs: Vec<(f64, f64)> = finals(samples, ours, function, evaluations)
        .iter()
        .filter_map(|(design, ours)| Some((*ours, *theirs.get(design)?)))
        .collect();
    let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let p = wilcoxon(&ours, &theirs);
    (!pairs.is_empty()).then(|| Duel {
        function: function.into(),
        peer: peer.into(),
        pairs: pairs.len(),
        ours: quantile(&ours, 0.5),
        theirs: quantile(&theirs, 0.5),
        p,
        holm: p,
        lower: signed_ranks(&ours, &theirs) < 0.0,
        a12: a12(&ours, &theirs),
    })
}

/// Sum of the ranks of `|a - b|` with the sign of `a - b`.
fn signed_ranks(a: &[f64], b: &[f64]) -> f64 {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    ranks(&sizes).iter().zip(&differences).map(|(rank, d)| rank * d.signum()).sum()
}

fn leaning(duel: &Duel, p: f64) -> &'static str {
    match (p < 0.05, duel.lower) {
        (false, _) => "no difference",
        (true, true) => "lower",
        (true, false) => "higher",
    }
}

/// One row a duel.
pub fn table(ours: &str, duels: &[Duel]) -> Table {
    let row = |d: &Duel| {
        vec![
            d.function.clone(),
            d.peer.clone(),
            d.pairs.to_string(),
            number(d.ours),
            number(d.theirs),
            number(d.p),
            number(d.holm),
            leaning(d, d.holm).into(),
            format!("{:.2}", d.a12),
        ]
    };
    let header = ["function", "peer", "pairs", "our median", "its median", "p", "p (Holm)", "ours is", "A12"];
    Table {
        name: "paired".into(),
        caption: format!(
            "{ours} against each peer, paired by design. p: two-sided paired Wilcoxon; Holm: corrected over the functions \
             of that peer; the direction is given where the corrected p is below 0.05. A12: chance of a lower regret of ours."
        ),
        header: header.map(String::from).to_vec(),
        rows: duels.iter().map(row).collect(),
    }
}

/// The duels with the best peer of each function: the one of least median on its pairs.
pub fn against_best(duels: &[Duel]) -> Vec<&Duel> {
    let of = |function: &String| {
        let own = duels.iter().filter(|d| &d.function == function);
        own.min_by(|a, b| a.theirs.total_cmp(&b.theirs))
    };
    distinct(duels.iter().map(|d| &d.function)).iter().filter_map(of).collect()
}

/// The rule of the claim, hard on us both ways: a single function where `p` without correction says higher is a
/// loss; a win needs `p` corrected over the functions.
pub fn verdict(best: &[&Duel]) -> (Verdict, usize, usize) {
    let corrected = holm(&best.iter().map(|d| d.p).collect::<Vec<f64>>());
    let losses = best.iter().filter(|d| leaning(d, d.p) == "higher").count();
    let wins = best.iter().zip(corrected).filter(|(d, p)| leaning(d, *p) == "lower").count();
    let verdict = match (losses, wins) {
        (1.., _) => Verdict::DoesNotHold,
        (0, 3..) => Verdict::Holds,
        _ => Verdict::Inconclusive,
    };
    (verdict, wins, losses)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let ours = runs("ours", |i| i as f64);
        let worse = runs("worse", |i| 1.5 * i as f64 + 1.0);
        let mut peers = worse.clone();
        peers.extend(runs("better", |i| 0.5 * i as f64 - 1.0));
        let duels = duels("ours", &ours, &peers, 10);
        assert_eq!(duels.len(), 2);
        assert!(duels[0].lower && duels[0].p < 0.01 && duels[0].a12 > 0.5);
        assert!(!duels[1].lower && duels[1].a12 < 0.5);
        let best = against_best(&duels);
        assert_eq!((best[0].peer.as_str(), verdict(&best)), ("better", (Verdict::DoesNotHold, 0, 1)));
        assert_eq!(verdict(&[&duels[0], &duels[0], &duels[0]]).0, Verdict::Holds);
        assert_eq!(verdict(&[&duels[0]]).0, Verdict::Inconclusive);
    }
}
