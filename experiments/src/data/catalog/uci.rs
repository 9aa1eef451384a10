//! Sets of the UCI Machine Learning Repository and of its kind.

use super::{address, bare, headed, known};
use crate::data::set::{Conversion, DataSet, Origin};

/// The sets, by name.
pub const SETS: &[DataSet] = &[
    DataSet {
        name: "abalone",
        what: "Age of abalones from 8 measurements, 4,177 rows",
        source: "UCI Machine Learning Repository, Abalone",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/abalone.csv",
            191_872,
            "eb2de13be807e9bb9ec4128b9c89b98ab23d7739121cfd17b7dde69b46ba7bf6",
            address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/abalone/abalone.data",
                Conversion::Cells { header: None, joint: ",", closed: false },
            ),
            bare(9, 4_177, &[]),
        )],
    },
    DataSet {
        name: "australian",
        what: "Credit approvals with coded attributes, 690 rows, 14 attributes",
        source: "UCI Machine Learning Repository, Statlog (Australian Credit Approval)",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/australian.csv",
            38_462,
            "1175297ee02ec98a7452bd6a0058f8590bcf933f58ada3a29d5c8f41babd0cc5",
            address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/australian/australian.dat",
                Conversion::Cells {
                    header: Some("A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, class "),
                    joint: ", ",
                    closed: false,
                },
            ),
            headed(15, Some(690), &["A1", "class"], &["0", "1"]),
        )],
    },
    DataSet {
        name: "banknote",
        what: "Genuine and forged banknotes, 1,372 rows, 4 attributes",
        source: "UCI Machine Learning Repository, Banknote Authentication",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/banknote_authentication.csv",
            46_400,
            "d0539aaed2139ba7a587b3e34fb345ce503ff7d5d33dbf9912d8e195ce425cb9",
            Origin::Elsewhere { how: "a copy whose address was not recorded; give the file" },
            bare(5, 1_372, &["0", "1"]),
        )],
    },
    DataSet {
        name: "crx",
        what: "Credit approvals, 690 rows, 15 attributes with missing values: the set of the hybrid paper",
        source: "UCI Machine Learning Repository, Credit Approval",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &["hybrid/credit"],
        files: &[known(
            "uci/crx.data",
            32_218,
            "fff49bc186cbddb3ace7371d40d9fbbb3af4f126019c13ff3f562249b1454f4d",
            address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/credit-screening/crx.data",
                Conversion::AsIs,
            ),
            bare(16, 690, &["+", "-"]),
        )],
    },
    DataSet {
        name: "german",
        what: "Credit risks, 1,000 rows, 20 attributes",
        source: "UCI Machine Learning Repository, Statlog (German Credit Data)",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/german.csv",
            79_793,
            "ec12a88b9fc14d74ba646ea0410cf7ff4533bec2eb61652f8ad76796bbfec017",
            address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/german.data",
                Conversion::Cells { header: None, joint: ",", closed: true },
            ),
            bare(21, 1_000, &["1", "2"]),
        )],
    },
    DataSet {
        name: "ionosphere",
        what: "Radar returns, 351 rows, 34 attributes",
        source: "UCI Machine Learning Repository, Ionosphere",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/ionosphere.csv",
            76_466,
            "fd6dd7864b55d56dac0a1e6e24af9ccc35bf2555ac79af8ab9f3d1daa065ab83",
            address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/ionosphere/ionosphere.data",
                Conversion::Cells { header: None, joint: ",", closed: false },
            ),
            bare(35, 351, &["b", "g"]),
        )],
    },
    DataSet {
        name: "phoneme",
        what: "Nasal and oral vowels, 5,404 rows, 5 attributes",
        source: "ELENA project, phoneme",
        licence: "unknown",
        used_by: &[],
        files: &[known(
            "uci/phoneme.csv",
            174_717,
            "eacbb9f7a2b2135d067bff28ed7b9adb760f61f5e91f375f91e22e7e42ace24d",
            Origin::Elsewhere { how: "a copy whose address was not recorded; give the file" },
            bare(6, 5_404, &["0", "1"]),
        )],
    },
    DataSet {
        name: "pima",
        what: "Diabetes among Pima women, 768 rows, 8 attributes",
        source: "National Institute of Diabetes and Digestive and Kidney Diseases",
        licence: "public domain, as earlier pages of the UCI repository state",
        used_by: &[],
        files: &[known(
            "uci/pima-indians-diabetes.csv",
            23_278,
            "6bfe5d0f379d17a0e0819b996407e3c09bf80febd4287f2ed212190dfff154af",
            Origin::Elsewhere { how: "a copy whose address was not recorded; give the file" },
            bare(9, 768, &["0", "1"]),
        )],
    },
    DataSet {
        name: "sonar",
        what: "Sonar returns from mines and rocks, 208 rows, 60 attributes",
        source: "UCI Machine Learning Repository, Connectionist Bench (Sonar, Mines vs. Rocks)",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/sonar.csv",
            87_775,
            "3079c09b5d2789a0f96aff82c28e5164fafe2495c5f8da96c6c256c1bd25763f",
            address(
                "https://archive.ics.uci.edu/ml/machine-learning-databases/undocumented/connectionist-bench/sonar/sonar.all-data",
                Conversion::Cells { header: None, joint: ",", closed: false },
            ),
            bare(61, 208, &["M", "R"]),
        )],
    },
    DataSet {
        name: "spambase",
        what: "Spam and other mail, 4,601 rows, 57 attributes",
        source: "UCI Machine Learning Repository, Spambase",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/spambase.csv",
            1_149_915,
            "9a88a24a7974a13e72da583b2fd882072c98bee55d3ca6ebc6c0020465b56c31",
            Origin::Elsewhere { how: "a copy whose address was not recorded; give the file" },
            headed(58, Some(4_601), &[], &["0", "1"]),
        )],
    },
    DataSet {
        name: "vehicle",
        what: "Silhouettes of vehicles, 846 rows, 18 attributes",
        source: "UCI Machine Learning Repository, Statlog (Vehicle Silhouettes)",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/vehicle.csv",
            55_148,
            "a8c5695945faf649e4212a7751b46b21afe813b3c3c5a73a255b1376a29f2c52",
            Origin::Elsewhere {
                how: "the repository has it in nine parts; give one file with the header 1,2,…,19",
            },
            headed(19, Some(846), &[], &["bus", "opel", "saab", "van"]),
        )],
    },
    DataSet {
        name: "winequality-red",
        what: "Quality of red wines, 1,599 rows, 11 attributes",
        source: "UCI Machine Learning Repository, Wine Quality",
        licence: "CC BY 4.0, as the repository states for donated sets",
        used_by: &[],
        files: &[known(
            "uci/winequality-red.csv",
            84_028,
            "c9614512e980f1cbd221c796daa97f00c4898c3cd1716863abac60f6cd1a522e",
            Origin::Elsewhere { how: "a copy whose address was not recorded; give the file" },
            bare(12, 1_599, &[]),
        )],
    },
];
