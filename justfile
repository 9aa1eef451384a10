# What a change must pass.
check: fmt-check lint docs test smoke

# Everything that the continuous integration runs; installs what it needs.
ci:
    bash .ci/run

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

# Every experiment in its quick form, every reference number, and the tables of the results pages.
smoke:
    cargo run --release -p thrifty-experiments -- verify
    cargo run --release -p thrifty-experiments -- results build --check
    cargo run --release -p thrifty-experiments -- run all --quick --out out/smoke

bench:
    cargo bench --workspace

# The wheel: builds it in a fresh environment and runs its tests.
python:
    THRIFTY_CI_PYTHON=1 .ci/python

# What a study survives: docs/src/reliability.md. Half an hour; it goes on where it was interrupted.
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

# The book, at docs/book; installs mdbook where it is missing.
book:
    THRIFTY_CI_BOOK=1 .ci/book

# Packs every published crate and builds each from its package alone. Some minutes; `--allow-dirty` before a commit.
package *arguments:
    .ci/package {{arguments}}

# Each published crate built and tested alone, so that none borrows a feature from a sibling.
alone *arguments:
    .ci/alone {{arguments}}

# Every feature alone, none, and all.
features:
    .ci/features

# The lowest compiler that the manifests promise.
msrv:
    .ci/release msrv

# Licences, advisories and sources of the dependencies; skipped without cargo-deny.
deny:
    .ci/release deny

# Advisories alone; skipped without cargo-audit.
audit:
    .ci/release audit

# Changes of interfaces since the last tag; skipped without cargo-semver-checks or without a tag.
semver:
    .ci/release semver

# Whether the tree can be released: committed, addresses set, versions that agree.
release-check:
    .ci/release check

# The tag of the version, after the check.
tag:
    .ci/release tag
