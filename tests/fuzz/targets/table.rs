//! Fuzzing of `thrifty_inputs::table`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrifty_inputs::table(bytes));
