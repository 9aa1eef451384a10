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

# The book, at docs/book; needs mdbook.
book:
    mdbook build docs

# Licences, advisories and sources of the dependencies; needs cargo-deny.
deny:
    cargo deny check
