//! Fuzzing of `thrifty_inputs::journal`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrifty_inputs::journal(bytes));
