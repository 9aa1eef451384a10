//! Whole sets and samples from their own pages and from public repositories.

use super::{address, bare, headed, known, unknown};
use crate::data::set::{Conversion, DataSet, Layout, Origin, TableLayout};

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "creditcard-sample",
        what: "Card fraud, a sample of 5,000 rows, 29 attributes",
        source: "Dal Pozzolo et al. (2015); sample of the repository marina-cuesta/CSViz",
        licence: "DbCL 1.0",
        used_by: &[],
        files: &[known(
            "openml/creditcard_reduced.csv",
            2_597_442,
            "3dbf488cc113d366dff7dacb429346ad759515a2584816815d131a840be83eaf",
            address(
                "https://raw.githubusercontent.com/marina-cuesta/CSViz/fca5b73d4e985fbef7fadd1e69d2c00cbc4fb09f/data/creditcard_reduced.csv",
                Conversion::AsIs,
            ),
            headed(30, Some(5_000), &["Amount", "class"], &["0", "1"]),
        )],
    },
    DataSet {
        name: "electricity-full",
        what: "Electricity market of New South Wales, 45,312 rows, 8 attributes",
        source: "Harries (1999), Elec2; copy of the repository davor10105/laat",
        licence: "public, as the page on OpenML states",
        used_by: &["fcvopt/boosting"],
        files: &[known(
            "openml/electricity.csv",
            3_062_800,
            "c69e4f66c4dce4557140f997362c5027af570dda89efa32732b2c11e32dae1e7",
            address(
                "https://raw.githubusercontent.com/davor10105/laat/990d81b56adbe31dcdbd9233bdc2df96489b9bd3/laat/data/electricity.csv",
                Conversion::AsIs,
            ),
            headed(9, Some(45_312), &["Date", "Class"], &["no", "yes"]),
        )],
    },
    DataSet {
        name: "higgs",
        what: "Signal and background of simulated collisions, 11,000,000 rows, 28 attributes: AutoBCT, random forest",
        source: "UCI Machine Learning Repository, HIGGS (Baldi et al., 2014)",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[unknown(
            "higgs/HIGGS.csv",
            address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/00280/HIGGS.csv.gz",
                Conversion::Gunzip,
            ),
            bare(29, 11_000_000, &[]),
        )],
    },
    DataSet {
        name: "higgs-sample",
        what: "A sample of HIGGS of 5,000 rows, 24 attributes",
        source: "UCI Machine Learning Repository, HIGGS (Baldi et al., 2014); sample of the repository marina-cuesta/CSViz",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "openml/Higgs_reduced.csv",
            2_147_569,
            "c4446e576287feb1529b9c9dabf7a0fa7bd201f5a461c6af15f04988d6bdc5ee",
            address(
                "https://raw.githubusercontent.com/marina-cuesta/CSViz/fca5b73d4e985fbef7fadd1e69d2c00cbc4fb09f/data/Higgs_reduced.csv",
                Conversion::AsIs,
            ),
            headed(25, Some(5_000), &["lepton_pT"], &["0", "1"]),
        )],
    },
    DataSet {
        name: "house-sales-full",
        what: "House sales in King County, 21,597 rows; this copy has grades in words and missing values",
        source: "King County; copy of the repository learn-co-curriculum/dsc-phase-2-project-v2-3",
        licence: "CC0, as its page on Kaggle states",
        used_by: &["fcvopt/perceptron", "fcvopt/residual"],
        files: &[known(
            "openml/kc_house_data.csv",
            2_815_526,
            "970a5ee2b0294257cdb18952813df2dd05974f923a9a07ae17fa1af39da71dce",
            address(
                "https://raw.githubusercontent.com/learn-co-curriculum/dsc-phase-2-project-v2-3/2c01e5e/data/kc_house_data.csv",
                Conversion::AsIs,
            ),
            headed(21, Some(21_597), &["price", "sqft_living"], &[]),
        )],
    },
    DataSet {
        name: "idc",
        what: "Patches of breast tissue with and without invasive ductal carcinoma: AutoBCT, convolutional network",
        source: "Janowczyk & Madabhushi (2016)",
        licence: "as the page states",
        used_by: &[],
        files: &[unknown(
            "images/IDC_regular_ps50_idx5.zip",
            address("https://andrewjanowczyk.com/wp-static/IDC_regular_ps50_idx5.zip", Conversion::AsIs),
            Layout::Raw,
        )],
    },
    DataSet {
        name: "intel",
        what: "Pictures of natural scenes in six classes: AutoBCT, plain network and ResNet50",
        source: "Intel Image Classification",
        licence: "as the page states",
        used_by: &[],
        files: &[unknown(
            "images/intel-image-classification.zip",
            Origin::ByHand {
                page: "https://www.kaggle.com/datasets/puneet6060/intel-image-classification (it asks for an account)",
                conversion: Conversion::AsIs,
            },
            Layout::Raw,
        )],
    },
    DataSet {
        name: "madelon",
        what: "Madelon as published: 2,000 rows for training and 600 for validation, 500 attributes",
        source: "Guyon (2003); UCI Machine Learning Repository, Madelon; training rows from the repository marina-cuesta/CSViz",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &["fcvopt/forest"],
        files: &[
            known(
                "openml/madelon.csv",
                4_008_391,
                "115f57b31011c2e842317d19f458df93455f2e591131cd01c21929073d6918d7",
                address(
                    "https://raw.githubusercontent.com/marina-cuesta/CSViz/fca5b73d4e985fbef7fadd1e69d2c00cbc4fb09f/data/madelon.csv",
                    Conversion::AsIs,
                ),
                headed(501, Some(2_000), &[], &["-1", "1"]),
            ),
            known(
                "openml/madelon_valid.data",
                1_200_599,
                "cb9a46475147de1a58d9f15ef4c318e5b85de344e0f9ab92626fa446aa815dc9",
                address(
                    "https://archive.ics.uci.edu/ml/machine-learning-databases/madelon/MADELON/madelon_valid.data",
                    Conversion::AsIs,
                ),
                Layout::Table(TableLayout {
                    separator: b' ',
                    header: false,
                    columns: Some(500),
                    rows: Some(600),
                    ..TableLayout::CSV
                }),
            ),
            known(
                "openml/madelon_valid.labels",
                1_500,
                "fbac32fa87fac41ab731994a1c824e7b25396069bff6df242c01fe240fcb34dc",
                address(
                    "https://archive.ics.uci.edu/ml/machine-learning-databases/madelon/madelon_valid.labels",
                    Conversion::AsIs,
                ),
                bare(1, 600, &["-1", "1"]),
            ),
        ],
    },
];
