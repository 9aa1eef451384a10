//! Fronts on a sphere, reference 1.1, one thread. Expect at 100, 1,000 and 10,000 points the times of docs/src/results/pareto.md.

#[path = "../../../../tests/bench/cpu_time.rs"]
mod cpu_time;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use thrifty_domain::Points;
use thrifty_pareto::{
    Duplicates, ExpectedHypervolumeImprovement, Hypervolume, NonDominatedBoxes, crowding_distance,
    non_dominated, non_dominated_ranks,
};
use thrifty_sampling::Seed;

/// Points of the positive part of the unit sphere, seen from its outside: none dominates another.
fn sphere(n: usize, m: usize) -> Points {
    let mut stream = Seed(1).stream("sphere", (n * m) as u64);
    let mut points = Points::new(m);
    for _ in 0..n {
        // Twelve uniform numbers make a normal one, nearly.
        let normal = |_| ((0..12).map(|_| stream.uniform()).sum::<f64>() - 6.0).abs();
        let row: Vec<f64> = (0..m).map(normal).collect();
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        points.push(&row.iter().map(|x| 1.0 - x / norm).collect::<Vec<_>>());
    }
    points
}

fn uniform(n: usize, m: usize) -> Points {
    let mut stream = Seed(2).stream("uniform", (n * m) as u64);
    Points::from_flat((0..n * m).map(|_| stream.uniform()).collect(), m)
}

fn volume(c: &mut Criterion<cpu_time::CpuTime>) {
    for (m, sizes) in [
        (2, vec![100, 1_000, 10_000]),
        (3, vec![100, 1_000, 10_000]),
        (4, vec![100, 1_000, 10_000]),
        (5, vec![100, 300]),
        (6, vec![100, 300]),
    ] {
        let mut group = c.benchmark_group(format!("pareto/hypervolume {m}-D"));
        for n in sizes {
            let (front, volume) = (sphere(n, m), Hypervolume::new(&vec![1.1; m]).expect("a reference"));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                b.iter(|| volume.exact(black_box(front.as_ref())).expect("a volume"));
            });
        }
    }
    for m in 2..=4 {
        let mut group = c.benchmark_group(format!("pareto/contributions {m}-D"));
        for n in [100, 1_000] {
            let (front, volume) = (sphere(n, m), Hypervolume::new(&vec![1.1; m]).expect("a reference"));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                b.iter(|| volume.contributions(black_box(front.as_ref())).expect("contributions"));
            });
        }
    }
}

fn sorting(c: &mut Criterion<cpu_time::CpuTime>) {
    for m in [2, 3, 4, 6] {
        let mut group = c.benchmark_group(format!("pareto/sorting {m}-D"));
        for n in [1_000, 10_000] {
            let points = uniform(n, m);
            group.bench_function(BenchmarkId::new("front", n), |b| {
                b.iter(|| non_dominated(black_box(points.as_ref()), Duplicates::Keep).expect("a front"));
            });
            group.bench_function(BenchmarkId::new("ranks", n), |b| {
                b.iter(|| non_dominated_ranks(black_box(points.as_ref())).expect("ranks"));
            });
        }
    }
    let front = sphere(1_000, 3);
    c.bench_function("pareto/crowding 3-D/1000", |b| {
        b.iter(|| crowding_distance(black_box(front.as_ref())).expect("room"));
    });
}

fn improvement(c: &mut Criterion<cpu_time::CpuTime>) {
    for (m, n) in [(2, 20), (2, 100), (3, 20), (3, 100), (4, 20), (4, 100)] {
        let (front, reference) = (sphere(n, m), vec![1.1; m]);
        let mut group = c.benchmark_group(format!("pareto/improvement {m}-D"));
        group.bench_function(BenchmarkId::new("boxes", n), |b| {
            b.iter(|| NonDominatedBoxes::new(black_box(front.as_ref()), &reference).expect("boxes"));
        });
        let ehvi = ExpectedHypervolumeImprovement::new(front.as_ref(), &reference).expect("boxes");
        let (mean, std_dev) = (vec![0.4; m], vec![0.2; m]);
        let (mut by_mean, mut by_std_dev) = (vec![0.0; m], vec![0.0; m]);
        group.bench_function(BenchmarkId::new("value", n), |b| {
            b.iter(|| ehvi.value(black_box(&mean), &std_dev).expect("a value"));
        });
        group.bench_function(BenchmarkId::new("log value", n), |b| {
            b.iter(|| ehvi.log_value(black_box(&mean), &std_dev).expect("a value"));
        });
        group.bench_function(BenchmarkId::new("gradient", n), |b| {
            b.iter(|| ehvi.value_with_grad(black_box(&mean), &std_dev, &mut by_mean, &mut by_std_dev));
        });
        group.bench_function(BenchmarkId::new("log gradient", n), |b| {
            b.iter(|| ehvi.log_value_with_grad(black_box(&mean), &std_dev, &mut by_mean, &mut by_std_dev));
        });
        let hopeless = vec![8.0; m];
        group.bench_function(BenchmarkId::new("hopeless log gradient", n), |b| {
            b.iter(|| {
                ehvi.log_value_with_grad(black_box(&hopeless), &std_dev, &mut by_mean, &mut by_std_dev)
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(cpu_time::CpuTime)
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    targets = volume, sorting, improvement
}
criterion_main!(benches);
