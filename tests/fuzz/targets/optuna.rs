//! Fuzzing of `thrifty_inputs::optuna`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrifty_inputs::optuna(bytes));
