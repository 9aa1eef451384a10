# What a change must pass; CI runs the same.
check: fmt-check lint docs test smoke

build:
    cargo build --workspace --all-targets

test:
    cargo test --workspace

fmt-check:
    cargo fmt --all --check

lint:
    cargo clippy --workspace --all-targets -- -D warnings

docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every experiment in its quick form, and every reference number.
smoke:
    cargo run --release -p thrifty-experiments -- verify
    cargo run --release -p thrifty-experiments -- run all --quick --out out/smoke

bench:
    cargo bench --workspace

# The wheel: builds it in a fresh environment and runs its tests.
python:
    THRIFTY_CI_PYTHON=1 .ci/python

# What a study survives: docs/src/reliability.md. Hours; it goes on where it was interrupted.
reliability:
    cargo run --release -p thrifty-reliability -- all

# Half an hour of fuzzing each; needs cargo-fuzz and a nightly compiler.
fuzz:
    for target in journal space value_map forest optuna hyperopt; do \
        cargo +nightly fuzz run --fuzz-dir tests/fuzz $target -- -max_total_time=1800 || exit 1; \
    done

# How many small faults make a test fail.
mutation:
    cargo run --release -p thrifty-mutation -- --sample 420 --seed 1

# The book, at docs/book; needs mdbook.
book:
    mdbook build docs

# Licences, advisories and sources of the dependencies; needs cargo-deny.
deny:
    cargo deny check
