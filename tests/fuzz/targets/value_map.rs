//! Fuzzing of `thrifty_inputs::value_map`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrifty_inputs::value_map(bytes));
