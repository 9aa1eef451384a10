//! Exact values of the generators.
//!
//! Computed with a separate Python program from the specifications: `ChaCha` with 12 rounds, a 64-bit counter and a
//! 64-bit stream number; the FNV-1a and `SplitMix64` constants; the Sobol points of Joe & Kuo. A change of these values
//! changes every published run.

use thrifty_sampling::{Seed, Sobol, latin_hypercube};

#[test]
fn streams() {
    let mut stream = Seed(0).stream("", 0);
    let draws: Vec<u64> = (0..9).map(|_| stream.bits()).collect();
    // The ninth comes from the second block of the cipher.
    assert_eq!(
        [draws[0], draws[1], draws[8]],
        [0x26d4_e093_606a_a938, 0x030a_a530_8d6a_ce8a, 0x9a2c_63e4_7b93_db93]
    );
    let first_two = |seed, purpose, id| {
        let mut stream = Seed(seed).stream(purpose, id);
        [stream.bits(), stream.bits()]
    };
    assert_eq!(first_two(1, "noise", 2), [0x1cd1_394d_e91b_9fba, 0xea2f_42e7_bc0b_fee5]);
    let large = first_two(u64::MAX, "acquisition", 12_345_678_901);
    assert_eq!(large, [0x51f8_8a37_7a39_9f61, 0xb5b1_3191_5d6d_4d40]);
}

#[test]
fn numbers_indices_and_children_of_a_stream() {
    let stream = || Seed(0).stream("", 0);
    assert_eq!(stream().uniform(), 0.151_685_749_035_474_72);
    assert_eq!(stream().index(1000), 151);
    assert_eq!(Seed(0).child("", 0), Seed(0x26d4_e093_606a_a938));
    let mut bytes = [0; 8];
    rand::Rng::fill_bytes(&mut stream(), &mut bytes);
    assert_eq!(u64::from_le_bytes(bytes), 0x26d4_e093_606a_a938);
    assert_eq!(rand::Rng::next_u32(&mut stream()), 0x606a_a938);
}

#[test]
fn sobol_points() {
    let points = Sobol::scrambled(2, &mut Seed(4).stream("sobol", 0)).take(4);
    let expected = [
        [0.420_258_419_995_173_1, 0.278_956_047_856_516_2],
        [0.524_178_680_797_452_9, 0.638_000_603_886_287],
        [0.941_151_746_853_281_6, 0.117_002_777_073_485_94],
        [0.128_714_480_700_724_1, 0.870_667_492_433_867_8],
    ];
    assert_eq!(points.rows().collect::<Vec<_>>(), expected);
}

/// The six orders of three items in 10,000 shuffles: 1667 ± 37 of each, 6 standard deviations.
#[test]
fn every_order_is_equally_likely() {
    let mut stream = Seed(8).stream("test", 0);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..10_000 {
        let mut items = [0, 1, 2];
        stream.shuffle(&mut items);
        *counts.entry(items).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| (1443..=1890).contains(count)), "{counts:?}");
}

/// Within its slice a point of a Latin hypercube is uniform, and the columns are independent.
#[test]
fn latin_hypercubes_are_uniform_within_slices_and_uncorrelated() {
    let points = latin_hypercube(4000, 2, &mut Seed(6).stream("latin", 0));
    let within = |x: f64| (x * 4000.0).fract() - 0.5;
    let mean = points.rows().map(|p| within(p[0])).sum::<f64>() / 4000.0;
    let square = points.rows().map(|p| within(p[0]).powi(2)).sum::<f64>() / 4000.0;
    // Standard errors 0.0046 and 0.0012; 6 of them.
    assert!(mean.abs() < 0.028 && (square - 1.0 / 12.0).abs() < 0.0072, "{mean} {square}");
    let covariance = points.rows().map(|p| (p[0] - 0.5) * (p[1] - 0.5)).sum::<f64>() / 4000.0;
    assert!(covariance.abs() < 6.0 / (12.0 * 4000_f64.sqrt()), "{covariance}");
}

/// A shuffle of n items draws n - 1 numbers, and what follows does not depend on the items.
#[test]
fn a_shuffle_draws_one_number_less_than_it_has_items() {
    for n in [0, 1, 2, 5, 17] {
        let (mut one, mut other) = (Seed(3).stream("shuffle", 0), Seed(3).stream("shuffle", 0));
        let mut items: Vec<usize> = (0..n).collect();
        one.shuffle(&mut items);
        (1..n).for_each(|_| _ = other.bits());
        assert_eq!(one.bits(), other.bits(), "{n}");
        items.sort_unstable();
        assert_eq!(items, (0..n).collect::<Vec<usize>>());
    }
}

/// Directions of few columns are a part of those of many.
#[test]
fn columns_do_not_depend_on_how_many_there_are() {
    for dim in [99, 100, 101, 150, 200, 201, 1000] {
        let points = |dim| Sobol::scrambled(dim, &mut Seed(5).stream("sobol", 0)).take(5);
        let (few, many) = (points(dim), points(1000));
        for (a, b) in few.rows().zip(many.rows()) {
            assert_eq!(a, &b[..dim], "{dim}");
        }
    }
}
