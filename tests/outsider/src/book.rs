//! Chapters of the book: their code is compiled and run by `cargo test -p thrifty-outsider --doc`.

/// A module per chapter with code.
macro_rules! chapters {
    ($folder:literal: $($name:ident),* $(,)?) => {
        $(
            #[doc = include_str!(concat!("../../../docs/src/", $folder, stringify!($name), ".md"))]
            pub mod $name {}
        )*
    };
}

chapters!(
    "": acquisition,
    autobct,
    bo,
    censored,
    cmaes,
    contributing,
    fcvopt,
    fidelity,
    gp,
    hgp,
    hybrid,
    kernels,
    levelset,
    linear,
    numerics,
    pareto,
    robust,
    stores,
    studies,
    tpe,
    transfer,
    trees,
    trust_region,
);

/// The guides.
pub mod guides {
    chapters!(
        "guides/": budget,
        failures,
        folds,
        names,
        noise,
        objectives,
        questions,
        region,
        start,
        warm,
        workers,
    );
}

/// The reference.
pub mod reference {
    chapters!(
        "reference/": journal,
    );
}
