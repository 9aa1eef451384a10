//! All acquisitions on a Gaussian process, a component of a hierarchical one, a linear model, and a conditioned posterior.

use thrifty_acquisition::{
    Acquisition, Analytic, EntropySearch, Gibbon, Gumbel, JointEntropySearch, KnowledgeGradient,
    LocalPenalties, LogExpectedImprovement, MaxValueEntropySearch, MinimizerDistribution,
    NoisyExpectedImprovement, OneShotKnowledgeGradient, PathSearch, PredictiveEntropySearch, choose_anchors,
    fantasies, lipschitz_constant, minimizers_on, thompson_among,
};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::Gp;
use thrifty_hgp::Hgp;
use thrifty_linear::{Coefficients, Fourier, LinearModel};
use thrifty_sampling::Seed;
use thrifty_surrogate::JointPosterior;

fn points(count: usize, seed: u64) -> Points {
    let mut rng = Seed(seed).stream("points", 0);
    Points::from_flat((0..2 * count).map(|_| 0.05 + 0.9 * rng.uniform()).collect(), 2)
}

/// The slopes against differences, and all finite.
fn assert_differentiable(name: &str, acquisition: &dyn Acquisition, at: PointsRef<'_>) {
    let (mut values, mut gradients) = (vec![0.0; at.len()], vec![0.0; at.len() * at.dim()]);
    assert!(acquisition.values_with_gradients_into(at, &mut values, &mut gradients), "{name}: a gradient");
    for (i, x) in at.rows().enumerate() {
        assert!(values[i].is_finite(), "{name} at {x:?}: {}", values[i]);
        for k in 0..at.dim() {
            let along = |offset: f64| {
                let mut moved = x.to_vec();
                moved[k] += offset;
                acquisition.value(&moved)
            };
            let slope = (along(1e-5) - along(-1e-5)) / 2e-5;
            let found = gradients[i * at.dim() + k];
            assert!((slope - found).abs() <= 5e-4 * (1.0 + slope.abs()), "{name}, {k}: {slope} {found}");
        }
    }
}

fn check(model: &str, posterior: &dyn JointPosterior) {
    let (noise, mut rng) = (0.05, Seed(1).stream("every", 0));
    let (known, pool, at) = (points(6, 11), points(40, 5), points(3, 9));
    let minima = Gumbel::of(posterior, pool.as_ref()).unwrap().minima(8);
    let search = PathSearch { raw: 64, climbs: 1 };
    let domain = Domain::unit_cube(2);
    let minimizers = minimizers_on(posterior, &domain, known.as_ref(), &search, 6, &mut rng).unwrap();
    let anchors = choose_anchors(posterior, pool.as_ref(), 12, &mut rng).unwrap();
    let imagined = fantasies(posterior, known.as_ref().slice(0, 2), noise, 2, &mut rng).unwrap();
    let steepest = lipschitz_constant(posterior, pool.as_ref()).unwrap();
    let all: Vec<(&str, Box<dyn Acquisition + '_>)> = vec![
        ("MES", Box::new(Analytic::new(posterior, MaxValueEntropySearch::new(minima.clone()).unwrap()))),
        ("GIBBON", Box::new(Analytic::new(posterior, Gibbon::new(minima.clone(), noise).unwrap()))),
        ("batch", Box::new(Gibbon::new(minima, noise).unwrap().beside(posterior, known.as_ref()).unwrap())),
        ("JES", Box::new(JointEntropySearch::on(posterior, &minimizers, noise).unwrap())),
        ("NEI", Box::new(NoisyExpectedImprovement::new(posterior, known.as_ref(), 16, &mut rng).unwrap())),
        ("KG", Box::new(KnowledgeGradient::new(posterior, anchors.as_ref(), noise).unwrap())),
        ("penalties", Box::new(LocalPenalties::new(posterior, known.as_ref(), -1.0, steepest).unwrap())),
        ("fantasy", Box::new(Analytic::new(&imagined[1], LogExpectedImprovement { target: 0.0 }))),
    ];
    for (name, acquisition) in &all {
        assert_differentiable(&format!("{name} on {model}"), &**acquisition, at.as_ref());
    }
    let one_shot = OneShotKnowledgeGradient::new(posterior, 2, 3, noise, 0.0, &mut rng).unwrap();
    let together = Points::from_flat(points(5, 3).as_flat().to_vec(), 10);
    assert_differentiable(&format!("one-shot on {model}"), &one_shot, together.as_ref());
    let law = || {
        let rng = &mut Seed(2).stream("law", 0);
        MinimizerDistribution::new(posterior, anchors.as_ref(), noise, 64, rng).unwrap()
    };
    let (es, pes) = (EntropySearch::new(law()), PredictiveEntropySearch::new(law()));
    for x in at.rows() {
        assert!((es.value(x) - pes.value(x)).abs() < 1e-10, "{model}: {} {}", es.value(x), pes.value(x));
    }
    assert_eq!(thompson_among(posterior, pool.as_ref(), 5, &mut rng).unwrap().len(), 5);
}

#[test]
fn every_acquisition_works_on_every_posterior() {
    let x = points(9, 4);
    let y: Vec<f64> = x.rows().map(|p| (5.0 * p[0]).sin() + p[1]).collect();
    let gp = Gp::matern52(2).fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0)).unwrap();
    check("a Gaussian process", &gp);
    check("a conditioned one", &fantasies(&gp, x.as_ref(), 0.1, 1, &mut Seed(1).stream("f", 0)).unwrap()[0]);
    let folds: Vec<usize> = (0..9).map(|i| i % 3).collect();
    let hgp = Hgp::matern52(2).condition(x.as_ref(), &folds, &y).unwrap();
    check("a hierarchical process", &hgp.common());
    let basis = Fourier::new(2, 2, 2.0);
    let count = thrifty_linear::Basis::len(&basis);
    let prior = Coefficients::independent(vec![0.0; count], &vec![1.0; count]).unwrap();
    let model = LinearModel::new(basis, prior).unwrap();
    let (linear, _) = model.condition(x.as_ref(), &y, &[0.05; 9]).unwrap();
    check("a linear model", &linear);
}
