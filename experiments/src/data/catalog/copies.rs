//! Whole sets and samples from their own pages and from public repositories.

use super::address;
use crate::data::set::{Conversion, DataFile, DataSet, Layout, Origin, TableLayout};

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "creditcard-sample",
        what: "Card fraud, a sample of 5,000 rows, 29 attributes",
        source: "Dal Pozzolo et al. (2015); sample of the repository marina-cuesta/CSViz",
        licence: "DbCL 1.0",
        used_by: &[],
        files: &[DataFile {
            path: "openml/creditcard_reduced.csv",
            bytes: Some(2_597_442),
            sha256: Some("3dbf488cc113d366dff7dacb429346ad759515a2584816815d131a840be83eaf"),
            origin: address(
                "https://raw.githubusercontent.com/marina-cuesta/CSViz/fca5b73d4e985fbef7fadd1e69d2c00cbc4fb09f/data/creditcard_reduced.csv",
                Conversion::AsIs,
            ),
            layout: Layout::Table(TableLayout {
                separator: b',',
                header: true,
                columns: Some(30),
                rows: Some(5_000),
                named: &["Amount", "class"],
                classes: &["0", "1"],
            }),
        }],
    },
    DataSet {
        name: "electricity-full",
        what: "Electricity market of New South Wales, 45,312 rows, 8 attributes",
        source: "Harries (1999), Elec2; copy of the repository davor10105/laat",
        licence: "public, as the page on OpenML states",
        used_by: &[],
        files: &[DataFile {
            path: "openml/electricity.csv",
            bytes: Some(3_062_800),
            sha256: Some("c69e4f66c4dce4557140f997362c5027af570dda89efa32732b2c11e32dae1e7"),
            origin: address(
                "https://raw.githubusercontent.com/davor10105/laat/990d81b56adbe31dcdbd9233bdc2df96489b9bd3/laat/data/electricity.csv",
                Conversion::AsIs,
            ),
            layout: Layout::Table(TableLayout {
                separator: b',',
                header: true,
                columns: Some(9),
                rows: Some(45_312),
                named: &["Date", "Class"],
                classes: &["no", "yes"],
            }),
        }],
    },
    DataSet {
        name: "higgs",
        what: "Signal and background of simulated collisions, 11,000,000 rows, 28 attributes: AutoBCT, random forest",
        source: "UCI Machine Learning Repository, HIGGS (Baldi et al., 2014)",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[DataFile {
            path: "higgs/HIGGS.csv",
            bytes: None,
            sha256: None,
            origin: address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/00280/HIGGS.csv.gz",
                Conversion::Gunzip,
            ),
            layout: Layout::Table(TableLayout {
                separator: b',',
                header: false,
                columns: Some(29),
                rows: Some(11_000_000),
                named: &[],
                classes: &[],
            }),
        }],
    },
    DataSet {
        name: "higgs-sample",
        what: "A sample of HIGGS of 5,000 rows, 24 attributes",
        source: "UCI Machine Learning Repository, HIGGS (Baldi et al., 2014); sample of the repository marina-cuesta/CSViz",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[DataFile {
            path: "openml/Higgs_reduced.csv",
            bytes: Some(2_147_569),
            sha256: Some("c4446e576287feb1529b9c9dabf7a0fa7bd201f5a461c6af15f04988d6bdc5ee"),
            origin: address(
                "https://raw.githubusercontent.com/marina-cuesta/CSViz/fca5b73d4e985fbef7fadd1e69d2c00cbc4fb09f/data/Higgs_reduced.csv",
                Conversion::AsIs,
            ),
            layout: Layout::Table(TableLayout {
                separator: b',',
                header: true,
                columns: Some(25),
                rows: Some(5_000),
                named: &["lepton_pT"],
                classes: &["0", "1"],
            }),
        }],
    },
    DataSet {
        name: "house-sales-full",
        what: "House sales in King County, 21,597 rows; this copy has grades in words and missing values",
        source: "King County; copy of the repository learn-co-curriculum/dsc-phase-2-project-v2-3",
        licence: "CC0, as its page on Kaggle states",
        used_by: &[],
        files: &[DataFile {
            path: "openml/kc_house_data.csv",
            bytes: Some(2_815_526),
            sha256: Some("970a5ee2b0294257cdb18952813df2dd05974f923a9a07ae17fa1af39da71dce"),
            origin: address(
                "https://raw.githubusercontent.com/learn-co-curriculum/dsc-phase-2-project-v2-3/2c01e5e/data/kc_house_data.csv",
                Conversion::AsIs,
            ),
            layout: Layout::Table(TableLayout {
                separator: b',',
                header: true,
                columns: Some(21),
                rows: Some(21_597),
                named: &["price", "sqft_living"],
                classes: &[],
            }),
        }],
    },
    DataSet {
        name: "idc",
        what: "Patches of breast tissue with and without invasive ductal carcinoma: AutoBCT, convolutional network",
        source: "Janowczyk & Madabhushi (2016)",
        licence: "as the page states",
        used_by: &[],
        files: &[DataFile {
            path: "images/IDC_regular_ps50_idx5.zip",
            bytes: None,
            sha256: None,
            origin: address(
                "https://andrewjanowczyk.com/wp-static/IDC_regular_ps50_idx5.zip",
                Conversion::AsIs,
            ),
            layout: Layout::Raw,
        }],
    },
    DataSet {
        name: "intel",
        what: "Pictures of natural scenes in six classes: AutoBCT, plain network and ResNet50",
        source: "Intel Image Classification",
        licence: "as the page states",
        used_by: &[],
        files: &[DataFile {
            path: "images/intel-image-classification.zip",
            bytes: None,
            sha256: None,
            origin: Origin::ByHand {
                page: "https://www.kaggle.com/datasets/puneet6060/intel-image-classification (it asks for an account)",
                conversion: Conversion::AsIs,
            },
            layout: Layout::Raw,
        }],
    },
    DataSet {
        name: "madelon",
        what: "Madelon as published: 2,000 rows for training and 600 for validation, 500 attributes",
        source: "Guyon (2003); UCI Machine Learning Repository, Madelon; training rows from the repository marina-cuesta/CSViz",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[
            DataFile {
                path: "openml/madelon.csv",
                bytes: Some(4_008_391),
                sha256: Some("115f57b31011c2e842317d19f458df93455f2e591131cd01c21929073d6918d7"),
                origin: address(
                    "https://raw.githubusercontent.com/marina-cuesta/CSViz/fca5b73d4e985fbef7fadd1e69d2c00cbc4fb09f/data/madelon.csv",
                    Conversion::AsIs,
                ),
                layout: Layout::Table(TableLayout {
                    separator: b',',
                    header: true,
                    columns: Some(501),
                    rows: Some(2_000),
                    named: &[],
                    classes: &["-1", "1"],
                }),
            },
            DataFile {
                path: "openml/madelon_valid.data",
                bytes: Some(1_200_599),
                sha256: Some("cb9a46475147de1a58d9f15ef4c318e5b85de344e0f9ab92626fa446aa815dc9"),
                origin: address(
                    "https://archive.ics.uci.edu/ml/machine-learning-databases/madelon/MADELON/madelon_valid.data",
                    Conversion::AsIs,
                ),
                layout: Layout::Table(TableLayout {
                    separator: b' ',
                    header: false,
                    columns: Some(500),
                    rows: Some(600),
                    named: &[],
                    classes: &[],
                }),
            },
            DataFile {
                path: "openml/madelon_valid.labels",
                bytes: Some(1_500),
                sha256: Some("fbac32fa87fac41ab731994a1c824e7b25396069bff6df242c01fe240fcb34dc"),
                origin: address(
                    "https://archive.ics.uci.edu/ml/machine-learning-databases/madelon/madelon_valid.labels",
                    Conversion::AsIs,
                ),
                layout: Layout::Table(TableLayout {
                    separator: b',',
                    header: false,
                    columns: Some(1),
                    rows: Some(600),
                    named: &[],
                    classes: &["-1", "1"],
                }),
            },
        ],
    },
];
