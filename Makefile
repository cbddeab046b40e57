# Myriad: `make play` to hear it, `make test` to check it. Each does all the set-up it needs.

.PHONY: help play test check bench count peers neon golden screenshots window setup clean
.DEFAULT_GOAL := help

help:
	@echo "make play    build Myriad and play the demo (or render it to demo.wav)"
	@echo "make test    format, lints and every test there is"
	@echo "make bench   benchmarks of the bank and of the whole engine"
	@echo "make count   instructions of one audio callback, whatever sounds"
	@echo "make peers   the same sine bank on Csound, SuperCollider, Faust, fundsp and Myriad"
	@echo "make neon    compile the engine for 64-bit ARM and run its tests under emulation"
	@echo "make golden  regenerate the golden renders, after listening"
	@echo "make screenshots  pictures of the editor, into target/screenshots and the docs"
	@echo "make window  the editor in real windows, opened, used and closed again and again"

play: setup
	@cargo build --release --quiet
	@./target/release/myriad demo

test: setup check
	cargo test --workspace --quiet
	tests/rtsan/run
	python3 assets/songs/make_demo.py --check

check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

bench: setup
	cargo bench --workspace

count: setup
	benches/callback

peers: setup
	benches/peers/run

neon:
	tests/neon/run

golden: setup
	REGENERATE_GOLDEN=1 cargo test -p myriad-engine --test golden

screenshots: setup
	cargo run --quiet -p myriad-editor --example screenshots -- target/screenshots
	cp target/screenshots/source-200.png docs/pictures/editor.png

window: setup
	tests/window/run

setup:
	@./setup

clean:
	cargo clean
