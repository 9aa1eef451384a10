//! Fuzzing of `thrifty_inputs::hyperopt`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrifty_inputs::hyperopt(bytes));
