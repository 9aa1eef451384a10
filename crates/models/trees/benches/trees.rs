//! A forest on 15,600 rows of 28 features as value maps have them, and its predictions. Expect a second, and a microsecond or two per row. Rows in groups
//! of 100 that share 20 of 28 features take a fraction of that, in groups of 20 less so.

use criterion::{Criterion, criterion_group, criterion_main};
use thrifty_sampling::Seed;
use thrifty_trees::{Boosting, BoostingSettings, Forest, ForestSettings, GroupedRows, Table};

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
    // 101 groups of which 8 features rise or fall with one of two numbers of a row, as after trainings at 101 controls.
    let mut grouped = |count: usize| {
        let mut rows = GroupedRows::new(columns);
        for group in 0..101 {
            let own = &x[group * columns..][..columns];
            rows.push(count, own).unwrap();
            let steps: Vec<f64> = (0..2 * count).map(|_| 0.2 * rng.uniform() - 0.1).collect();
            for (feature, x) in own[..8].iter().enumerate() {
                let along = &steps[feature / 4 * count..][..count];
                let by = if feature % 2 == 0 { 1.0 } else { -0.5 };
                rows.vary(feature, along.iter().map(|step| x + (by * step) as f32)).unwrap();
            }
        }
        rows
    };
    for count in [100, 20] {
        let rows = grouped(count);
        let alone = rows.row_major();
        group.bench_function(format!("forest/predict/101x{count}"), |b| {
            b.iter(|| forest.predict(&alone).unwrap());
        });
        group.bench_function(format!("forest/predict_groups/101x{count}"), |b| {
            b.iter(|| forest.predict_groups(&rows).unwrap());
        });
    }
    let fit = || Boosting::fit(&table, &y, &BoostingSettings::default()).unwrap();
    group.bench_function("boosting/15600x28", |b| b.iter(fit));
    let boosting = fit();
    group.bench_function("boosting/predict/15600", |b| b.iter(|| boosting.predict(&x).unwrap()));
    group.finish();
}

criterion_group!(benches, trees);
criterion_main!(benches);
