use thrifty_cv::FoldQuery;
use thrifty_sampling::Stream;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

use super::super::methods::ALL;
use super::*;
use crate::harness::{Replications, RunContext, Verdict};

/// Another method made worse on purpose, better, and the same.
#[test]
fn claims_are_decided_both_ways() {
    let context = RunContext::default();
    let comparison = |claim, planned| FoldComparison {
        id: "test",
        context: &context,
        data: String::new(),
        measure: "regret",
        problems: vec!["p".into()],
        methods: &ALL[..2],
        replications: Replications { run: 12, planned },
        fits: 10,
        columns: vec![10],
        claim,
        early: None,
    };
    let curves = |factor: f64| -> Vec<Curve> {
        let regret = |i: usize| factor * (0.1 + 0.01 * (i * 5 % 12) as f64);
        let curve = |i| Curve {
            fits: vec![5, 10],
            regrets: vec![f64::INFINITY, regret(i)],
            own_seconds: 0.0,
            evaluation_seconds: 0.0,
            spread: Spread::default(),
        };
        (0..12).map(curve).collect()
    };
    let of = |claim: fn(&str) -> Option<Kind>, factor: f64, planned: usize| {
        let (ours, theirs) = (curves(1.0), curves(factor));
        let own = OnProblem { name: "p", curves: vec![&ours, &theirs] };
        comparison(claim, planned).judge(&own).unwrap().verdict()
    };
    let verdict = |claim: fn(&str) -> Option<Kind>, factor: f64| of(claim, factor, 12);
    assert_eq!(of(|_| Some(Kind::Superior), 2.0, 13), Verdict::Inconclusive);
    assert_eq!(verdict(|_| Some(Kind::Superior), 2.0), Verdict::Holds);
    assert_eq!(verdict(|_| Some(Kind::Superior), 0.5), Verdict::DoesNotHold);
    assert_eq!(verdict(|_| Some(Kind::Superior), 1.0), Verdict::Inconclusive);
    assert_eq!(verdict(|_| Some(Kind::NotInferior { margin: 0.01 }), 1.0), Verdict::Holds);
    assert_eq!(verdict(|_| Some(Kind::NotInferior { margin: 0.01 }), 0.5), Verdict::DoesNotHold);
    assert_eq!(verdict(|_| None, 0.5), Verdict::Inconclusive);
}

/// Regrets of 0.1 after five fits, twice as much for the other, and the same after ten.
#[test]
fn early_claims_look_at_the_fits_that_they_name() {
    let context = RunContext::default();
    let curves = |early: f64| -> Vec<Curve> {
        let curve = |i: usize| Curve {
            fits: vec![5, 10],
            regrets: vec![early + 0.001 * i as f64, 0.05 + 0.001 * i as f64],
            own_seconds: 0.0,
            evaluation_seconds: 0.0,
            spread: Spread::default(),
        };
        (0..12).map(curve).collect()
    };
    let judge = |ours: f64, theirs: f64| {
        let comparison = FoldComparison {
            id: "test",
            context: &context,
            data: String::new(),
            measure: "regret",
            problems: vec!["p".into()],
            methods: &ALL[..2],
            replications: Replications { run: 12, planned: 12 },
            fits: 10,
            columns: vec![5, 10],
            claim: |_| Some(Kind::NotInferior { margin: 0.01 }),
            early: Some((5, |_| Some(Kind::Superior))),
        };
        let (ours, theirs) = (curves(ours), curves(theirs));
        let own = OnProblem { name: "p", curves: vec![&ours, &theirs] };
        let judgement = comparison.judge(&own).unwrap();
        assert!(judgement.findings()[1].claim.ends_with(" after 5 fits"));
        let both: Vec<Verdict> = judgement.findings().iter().map(Finding::verdict).collect();
        (both, judgement.verdict())
    };
    assert_eq!(judge(0.1, 0.2), (vec![Verdict::Holds; 2], Verdict::Holds));
    // The first made worse on purpose.
    assert_eq!(judge(0.2, 0.1), (vec![Verdict::Holds, Verdict::DoesNotHold], Verdict::DoesNotHold));
    assert_eq!(judge(0.1, 0.1), (vec![Verdict::Holds, Verdict::Inconclusive], Verdict::Inconclusive));
}

/// A column of a table may stand for the end alone.
#[test]
fn the_last_fit_is_looked_at() {
    let looked = |end: usize| (1..=end).filter(|fit| is_looked_at(*fit, end)).collect::<Vec<_>>();
    assert_eq!(looked(12), [5, 10, 12]);
    assert_eq!(looked(120)[10..], [60, 70, 80, 90, 100, 120]);
    assert_eq!(looked(150)[14..], [100, 125, 150]);
}

/// Three configurations with two folds each.
struct Small(Space);

impl FoldProblem for Small {
    fn space(&self) -> &Space {
        &self.0
    }

    fn folds(&self) -> usize {
        2
    }

    fn loss(&self, query: &FoldQuery, _: &mut Stream) -> Result<Outcome, SpaceError> {
        Ok((query.config.int("i")? as f64 + 0.1 * query.fold as f64).into())
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok(config.int("i")? as f64)
    }
}

/// Whole cross-validations of all configurations end after six of twelve fits, between two fits that are looked at.
#[test]
fn a_method_that_stops_early_is_looked_at_when_it_stops() {
    let problem = Small(Space::builder().int("i", 0, 2).build().unwrap());
    let full = ALL.iter().find(|method| method.name == YARDSTICK).unwrap();
    let curve = race(&problem, full, Seed(1), 12, &[]).unwrap();
    assert_eq!((curve.fits.as_slice(), curve.at(12)), (&[5, 6][..], 0.0));
}
