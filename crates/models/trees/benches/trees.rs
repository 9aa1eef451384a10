//! A forest on 15,600 rows of 28 features as value maps have them, and its predictions. Expect a second, and a microsecond or two per row. Rows in groups
//! of 100 that share 20 of 28 features take a fraction of that, in groups of 20 less so.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_sampling::Seed;
use thrifty_trees::{Boosting, BoostingSettings, Forest, ForestSettings, Table};

fn trees(c: &mut Criterion) {
    let (rows, columns) = (15_600, 28);
    let mut rng = Seed(1).stream("rows", 0);
    let x: Vec<f32> = (0..rows * columns).map(|_| rng.uniform() as f32).collect();
    let y: Vec<f64> = x.chunks_exact(columns).map(|r| f64::from(r[0] * r[1] + (3.0 * r[2]).sin())).collect();
    let table = Table::new(x.clone(), columns, 256).unwrap();
    let mut group = c.benchmark_group("trees");
    group.sample_size(10);
    let fit = || Forest::fit(&table, &y, &ForestSettings::default(), Seed(2), 1).unwrap();
    group.bench_function("forest/15600x28", |b| b.iter(fit));
    let forest = fit();
    group.bench_function("forest/predict/15600", |b| b.iter(|| forest.predict(&x).unwrap()));
    // 101 groups of 100 rows, of which 8 features vary a little within a group, as after trainings at 101 controls.
    let groups = [100; 101];
    let grouped: Vec<f32> = (0..101 * 100)
        .flat_map(|row| {
            let own = &x[row / 100 * columns..][..columns];
            let moved: Vec<f32> = own
                .iter()
                .enumerate()
                .map(|(i, x)| if i < 8 { x + 0.1 * rng.uniform() as f32 } else { *x })
                .collect();
            moved
        })
        .collect();
    group.bench_function("forest/predict/101x100", |b| b.iter(|| forest.predict(&grouped).unwrap()));
    group.bench_function("forest/predict_groups/101x100", |b| {
        b.iter(|| forest.predict_groups(&grouped, &groups).unwrap());
    });
    let few: Vec<f32> =
        grouped.chunks(100 * columns).flat_map(|rows| &rows[..20 * columns]).copied().collect();
    group.bench_function("forest/predict/101x20", |b| b.iter(|| forest.predict(&few).unwrap()));
    group.bench_function("forest/predict_groups/101x20", |b| {
        b.iter(|| forest.predict_groups(&few, &[20; 101]).unwrap());
    });
    let fit = || Boosting::fit(&table, &y, &BoostingSettings::default()).unwrap();
    group.bench_function("boosting/15600x28", |b| b.iter(fit));
    let boosting = fit();
    group.bench_function("boosting/predict/15600", |b| b.iter(|| boosting.predict(&x).unwrap()));
    group.finish();
}

criterion_group!(benches, trees);
criterion_main!(benches);
