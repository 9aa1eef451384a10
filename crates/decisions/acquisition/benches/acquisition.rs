//! 100 observations in six dimensions, one thread. Expect below 100 µs a candidate for the knowledge gradient with 1,000
//! anchors, below 5 ms for information on ten minima at 1,000 candidates, prediction not counted.

#[path = "../../../../tests/bench/cpu_time.rs"]
mod cpu_time;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_acquisition::{
    Acquisition, EntropySearch, Gibbon, Gumbel, JointEntropySearch, KnowledgeGradient, MaxValueEntropySearch,
    MinimizerDistribution, NoisyExpectedImprovement, PathSearch, PredictiveEntropySearch, Utility,
    choose_anchors, minimizers_on,
};
use thrifty_domain::{Domain, Points};
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::Seed;
use thrifty_surrogate::Posterior;

const DIM: usize = 6;
const NOISE: f64 = 0.01;

fn points(count: usize, seed: u64) -> Points {
    let mut rng = Seed(seed).stream("points", 0);
    Points::from_flat((0..DIM * count).map(|_| rng.uniform()).collect(), DIM)
}

fn posterior() -> GpPosterior<Scaled<Matern52>> {
    let x = points(100, 1);
    let y: Vec<f64> = x.rows().map(|p| p.iter().map(|v| (5.0 * v).sin()).sum()).collect();
    Gp::matern52(DIM).condition(x.as_ref(), &y).expect("a posterior")
}

/// Beyond prediction: of 1,000 means and standard deviations.
fn utilities(c: &mut Criterion<cpu_time::CpuTime>) {
    let posterior = posterior();
    let x = points(1000, 2);
    let (mut mean, mut std_dev) = (vec![0.0; 1000], vec![0.0; 1000]);
    posterior.predict_into(x.as_ref(), &mut mean, &mut std_dev);
    std_dev.iter_mut().for_each(|v| *v = v.sqrt());
    let gumbel = Gumbel::of_minimum(&mean, &std_dev).expect("a law");
    let mes = MaxValueEntropySearch::new(gumbel.minima(10)).expect("minima");
    let gibbon = Gibbon::new(gumbel.minima(10), NOISE).expect("minima");
    let mut run = |name: &str, utility: &dyn Utility| {
        c.bench_function(&format!("acquisition/{name}/1000"), |b| {
            b.iter(|| -> f64 { mean.iter().zip(&std_dev).map(|(m, s)| utility.value(*m, *s)).sum() });
        });
        c.bench_function(&format!("acquisition/{name}_slopes/1000"), |b| {
            let slopes = |(m, s): (&f64, &f64)| utility.value_and_slopes(*m, *s).1;
            b.iter(|| -> f64 { mean.iter().zip(&std_dev).map(slopes).sum() });
        });
    };
    run("max_value", &mes);
    run("gibbon", &gibbon);
    c.bench_function("acquisition/gumbel/1000", |b| {
        b.iter(|| Gumbel::of_minimum(black_box(&mean), &std_dev));
    });
}

/// Benchmarks of look-ahead acquisitions on 100 candidates, prediction included; divide by 100 for the time per
/// candidate.
fn looking_ahead(c: &mut Criterion<cpu_time::CpuTime>) {
    let posterior = posterior();
    let x = points(100, 3);
    let rng = &mut Seed(4).stream("bench", 0);
    let (many, known) = (points(1000, 5), points(100, 1));
    let anchors = choose_anchors(&posterior, points(500, 6).as_ref(), 50, rng).expect("anchors");
    let kg = KnowledgeGradient::new(&posterior, many.as_ref(), NOISE).expect("anchors");
    let nei = NoisyExpectedImprovement::new(&posterior, known.as_ref(), 64, rng).expect("a baseline");
    let (domain, search) = (Domain::unit_cube(DIM), PathSearch { raw: 256, climbs: 1 });
    let minimizers = minimizers_on(&posterior, &domain, known.as_ref(), &search, 32, rng).expect("paths");
    let minima = minimizers.iter().map(|m| m.value).collect();
    let joint = JointEntropySearch::on(&posterior, &minimizers, NOISE).expect("minimisers");
    let pending = points(10, 7);
    let batch = Gibbon::new(minima, NOISE).and_then(|g| g.beside(&posterior, pending.as_ref()));
    let batch = batch.expect("pending points");
    let mut law =
        || MinimizerDistribution::new(&posterior, anchors.as_ref(), NOISE, 128, rng).expect("a law");
    let (es, pes) = (EntropySearch::new(law()), PredictiveEntropySearch::new(law()));
    let mut run = |name: &str, acquisition: &dyn Acquisition, gradients: bool| {
        let (mut out, mut slopes) = (vec![0.0; 100], vec![0.0; 100 * DIM]);
        c.bench_function(&format!("acquisition/{name}/100"), |b| {
            b.iter(|| acquisition.values_into(black_box(x.as_ref()), &mut out));
        });
        if gradients {
            c.bench_function(&format!("acquisition/{name}_gradient/100"), |b| {
                b.iter(|| {
                    acquisition.values_with_gradients_into(black_box(x.as_ref()), &mut out, &mut slopes)
                });
            });
        }
    };
    run("knowledge_gradient_1000_anchors", &kg, true);
    run("noisy_100_points_64_draws", &nei, true);
    run("joint_entropy_32_minimisers", &joint, true);
    run("gibbon_beside_10", &batch, true);
    run("entropy_search_50_representers_128_draws", &es, false);
    run("predictive_entropy_50_representers_128_draws", &pes, false);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(cpu_time::CpuTime)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(10);
    targets = utilities, looking_ahead
}
criterion_main!(benches);
