//! Fuzzing of `thrifty_inputs::space`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrifty_inputs::space(bytes));
