//! Sets of `OpenML` by their numbers. Their files have no sum here, because nobody could fetch them.

use super::unknown;
use crate::data::set::{DataSet, Layout, Origin, TableLayout};

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "openml-bioresponse",
        what: "Biological response of molecules, two classes: FCVOpt, random forest",
        source: "OpenML, set 4134; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/bioresponse-4134.csv",
            Origin::OpenMl { id: 4134 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-compass",
        what: "Recidivism, two classes: FCVOpt, boosted trees",
        source: "OpenML, set 44162; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/compass-44162.csv",
            Origin::OpenMl { id: 44162 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-electricity",
        what: "Direction of the price of electricity, two classes: FCVOpt, boosted trees",
        source: "OpenML, set 44156; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/electricity-44156.csv",
            Origin::OpenMl { id: 44156 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-creditcard",
        what: "Card fraud, 284,807 rows: AutoBCT, autoencoder",
        source: "OpenML, set 1597; Dal Pozzolo et al. (2015); number from memory",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/creditcard-1597.csv",
            Origin::OpenMl { id: 1597 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-eye-movements",
        what: "Relevance of texts from eye movements, two classes: FCVOpt, boosted trees",
        source: "OpenML, set 44157; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/eye_movements-44157.csv",
            Origin::OpenMl { id: 44157 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-gina",
        what: "Parity of handwritten numbers, two classes: FCVOpt, random forest",
        source: "OpenML, set 1038; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/gina-1038.csv",
            Origin::OpenMl { id: 1038 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-house-sales",
        what: "Prices of houses: FCVOpt, multilayer perceptron",
        source: "OpenML, set 44144; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/house_sales-44144.csv",
            Origin::OpenMl { id: 44144 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-madelon",
        what: "Madelon, training and validation rows together: FCVOpt, random forest",
        source: "OpenML, set 1485; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/madelon-1485.csv",
            Origin::OpenMl { id: 1485 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-pol",
        what: "Telecommunication: FCVOpt, multilayer perceptron and residual network",
        source: "OpenML, set 44133; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/pol-44133.csv",
            Origin::OpenMl { id: 44133 },
            Layout::Table(TableLayout::CSV),
        )],
    },
    DataSet {
        name: "openml-superconduct",
        what: "Critical temperatures of superconductors: FCVOpt, multilayer perceptron and residual network",
        source: "OpenML, set 44148; number in the scripts of FCVOpt (Yerramilli & Apley)",
        licence: "as the page of the set states",
        used_by: &[],
        files: &[unknown(
            "openml/superconduct-44148.csv",
            Origin::OpenMl { id: 44148 },
            Layout::Table(TableLayout::CSV),
        )],
    },
];
