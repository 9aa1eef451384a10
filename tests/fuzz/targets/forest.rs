//! Fuzzing of `thrifty_inputs::forest`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrifty_inputs::forest(bytes));
