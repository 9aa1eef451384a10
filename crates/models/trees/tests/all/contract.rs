//! The contract of surrogates, on forests.

use thrifty_surrogate::contract;
use thrifty_trees::{ForestSettings, ForestSurrogate};

#[test]
fn forests_are_surrogates() {
    contract::surrogate(&ForestSurrogate::default());
    contract::surrogate(&ForestSurrogate {
        forest: ForestSettings { trees: 7, ..ForestSettings::default() },
    });
}
