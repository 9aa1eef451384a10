//! Every input of the corpus, and each cut short or with a byte changed, against the law of its format.

use std::fs;
use std::path::Path;

use thrifty_inputs::TARGETS;

#[test]
fn every_input_of_the_corpus_is_read_or_refused() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    for (name, law) in TARGETS {
        let mut inputs: Vec<_> =
            fs::read_dir(corpus.join(name)).unwrap().map(|e| e.unwrap().path()).collect();
        inputs.sort();
        assert!(inputs.len() >= 3, "{name} has {} inputs", inputs.len());
        for input in inputs {
            let bytes = fs::read(&input).unwrap();
            law(&bytes);
            // Neighbours: some cuts and some changed bytes.
            for at in (0..bytes.len()).step_by(1 + bytes.len() / 40) {
                law(&bytes[..at]);
                for byte in [b'0', b'9', b'-', b'"', b'}', 0xff] {
                    let mut changed = bytes.clone();
                    changed[at] = byte;
                    law(&changed);
                }
            }
        }
    }
}
