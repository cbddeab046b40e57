# Myriad: `make play` to hear it, `make plugin` to use it, `make test` to check it. Each does all
# the set-up it needs.

.PHONY: help play demos plugin install-plugin test check bench count peers neon web web-test golden faults soak soak-faults soak-losses soak-jack monitoring audit screenshots pictures window dist dist-all dist-test dist-test-windows dist-test-arm dist-reproducible container container-test record-version dist-macos release-draft deny oldest-rust workflows test-portable fuzz properties gpu instances players kills setup setup-test setup-dist setup-fresh clean
.DEFAULT_GOAL := help

help:
	@echo "make play    build Myriad and play the demo (or render it to demo.wav)"
	@echo "make demos   render six short songs to target/demos"
	@echo "make plugin  build the VST3 and CLAP plugins into target/bundled"
	@echo "make install-plugin  and put them where hosts look: ~/.vst3 and ~/.clap"
	@echo "make test    format, lints and every test there is"
	@echo "make check   format, lints, and unit tests of the crates that you have changed"
	@echo "make bench   benchmarks, kept as JSON and compared with the last run"
	@echo "make count   instructions of one audio callback, whatever sounds"
	@echo "make peers   the same sine bank on Csound, SuperCollider, Faust, fundsp and Myriad"
	@echo "make neon    compile the engine for 64-bit ARM and run its tests under emulation"
	@echo "make web     compile the engine for the page (WebAssembly); make web-test: play the page in Chromium"
	@echo "make faults  every system call that can fail fails once, in render, record, import, soak, service"
	@echo "make soak    eight virtual hours of random playing, everything watched, a report"
	@echo "make soak-faults  550 faults planted in fresh music: how many the reference finds"
	@echo "make soak-losses  800 GPUs lost in the middle of music: how many click"
	@echo "make soak-jack  ten minutes through a real JACK server, every frame checked"
	@echo "make monitoring  check metrics, alert rules and dashboard with promtool"
	@echo "make audit   play and measure every factory patch; a contact sheet into target/audit.png"
	@echo "make golden  regenerate the golden renders, after listening"
	@echo "make screenshots  pictures of the editor, into target/screenshots and the docs"
	@echo "make pictures  what the main controls do to the spectrum, for the manual"
	@echo "make window  the editor in real windows, opened, used and closed again and again"
	@echo "make dist    what users download, for this machine, into target/dist; dist-all: for 64-bit ARM and Windows too"
	@echo "make dist-test  install it in a fresh Debian, use it, remove it; dist-test-windows: the same under Wine; dist-test-arm: under emulation"
	@echo "make dist-reproducible  build it a second time elsewhere, and compare all bytes"
	@echo "make container  images for servers, from what make dist has built; container-test: and runs them"
	@echo "make deny    the policy on packages of others: licences, sources, advisories"
	@echo "make oldest-rust  build with the oldest Rust that is supported"
	@echo "make workflows  check .github/workflows"
	@echo "make fuzz    fuzz everything that reads files, states, requests and shared memory; SECONDS=60 a target"
	@echo "make properties  many random cases for the engine, the stream, the plugin and damaged files, for an hour"
	@echo "make gpu     selftest, benchmarks and a soak on an NVIDIA GPU"
	@echo "make instances  ten instances of the plugin in one host on an NVIDIA GPU, compared with one alone"
	@echo "make players  ten players at once and 32 in turn on an NVIDIA GPU, compared with one alone"
	@echo "make kills   the render service of an NVIDIA GPU killed or stopped 21 times while five programs use it"

play: setup
	@echo "myriad: building; the first time takes some minutes"
	@cargo build --release --quiet
	@./target/release/myriad demo

# The songs are committed as MIDI, the sound is not.
demos: setup
	@cargo build --release --quiet
	@mkdir -p target/demos
	@for song in assets/songs/*.mid; do \
		./target/release/myriad render $$song --output target/demos/$$(basename $$song .mid).wav || exit 1; \
	done

plugin:
	@./setup plugin
	@echo "myriad: building the plugin; the first time takes some minutes"
	@plugin/bundle
	@echo "target/bundled/Myriad.vst3 and target/bundled/Myriad.clap; make install-plugin puts them where hosts look"

install-plugin: plugin
	@mkdir -p ~/.vst3 ~/.clap
	@rm -rf ~/.vst3/Myriad.vst3
	@cp -r target/bundled/Myriad.vst3 ~/.vst3/
	@cp target/bundled/Myriad.clap target/bundled/myriad-render-service ~/.clap/
	@echo "installed to ~/.vst3/Myriad.vst3 and ~/.clap/Myriad.clap; let your host scan its plugins again"

test: setup
	cargo fmt --all --check
	tests/run

check:
	@tests/check

# BENCH_RUNS keeps runs elsewhere; benches/track --quick is a short one.
bench: setup
	cargo bench --workspace
	benches/track

count: setup
	benches/callback

peers: setup
	benches/peers/run

neon:
	tests/neon/run

# What it makes is kept in web/built.
web:
	web/build

web-test:
	web/tests/run

faults: setup
	cargo test --test cli faults:: -- --include-ignored --nocapture

# SOAK_HOURS=1 make soak: a shorter one.
soak: setup
	cargo build --release --quiet
	./target/release/myriad soak --hours $(or $(SOAK_HOURS),8) --report target/soak-$(shell date -u +%Y-%m-%dT%H-%M-%SZ)

soak-faults: setup
	cargo test --release -p myriad-qa --lib table_of_planted_faults -- --ignored --nocapture

soak-losses: setup
	cargo test --release -p myriad-qa --lib losses_in_music_do_not_click -- --ignored --nocapture

monitoring: setup
	docs/monitoring/check

# SOAK_SECONDS=60 make soak-jack: a shorter one.
soak-jack: setup-test
	cargo test --release --test play -- --ignored --nocapture

audit: setup
	cargo run --release --quiet -- patches --audit --sheet target/audit.png

golden: setup
	REGENERATE_GOLDEN=1 cargo test -p myriad-engine --test engine golden

screenshots: setup
	cargo run --quiet -p myriad-editor --example screenshots -- target/screenshots
	mkdir -p docs/pictures/tutorial
	cp target/screenshots/tutorial-*.png docs/pictures/tutorial/
	cp target/screenshots/source-200.png docs/pictures/editor.png
	cp target/screenshots/layers.png docs/pictures/editor-layers.png
	cp target/screenshots/harmonics.png docs/pictures/editor-harmonics.png
	cp target/screenshots/lfo-large.png docs/pictures/editor-lfo.png
	cp target/screenshots/effects.png docs/pictures/editor-effects.png
	cp target/screenshots/arp.png docs/pictures/editor-arp.png
	cp target/screenshots/kit.png docs/pictures/editor-kit.png
	cp target/screenshots/explore.png docs/pictures/editor-explore.png
	cp target/screenshots/play.png docs/pictures/editor-play.png

pictures: setup
	cargo run --quiet -p myriad-engine --example pictures -- docs/pictures

window: setup
	tests/window/run

dist: setup
	@dist/build

dist-all: setup-dist
	@dist/build x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu

dist-test: setup-fresh dist
	@dist/test

dist-test-windows: setup-dist
	@dist/build x86_64-pc-windows-gnu
	@dist/test-windows

dist-test-arm: setup-dist
	@dist/build aarch64-unknown-linux-gnu
	@dist/test-arm

# These take the Debian package that make dist has left in target/dist.
container:
	@dist/container/build

container-test: setup-fresh
	@dist/container/test

# When a version is released: what it offers is kept, so that later ones offer it too.
record-version: setup
	RECORD_VERSION=1 cargo test --test cli released::

dist-reproducible:
	@dist/reproduce

dist-macos:
	@dist/macos

# For the release workflow: a draft on GitHub with all downloads, and notes from the changelog.
release-draft:
	@dist/draft

deny:
	@command -v cargo-deny >/dev/null || cargo install --locked --quiet cargo-deny
	cargo deny --all-features check licenses bans sources
	@if cargo deny fetch db >/dev/null 2>&1 || [ -n "$$CI" ]; then cargo deny --all-features check advisories; \
	else echo "make deny: the database of advisories cannot be fetched here; they were not checked"; fi

oldest-rust: setup
	rustup toolchain install --profile minimal $(oldest_rust)
	cargo +$(oldest_rust) check --locked --workspace --target-dir target/oldest-rust

oldest_rust = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

workflows:
	@tests/workflows/run

# What needs no sound server, display, GPU or Unix: for Windows and macOS.
test-portable:
	cargo test --locked -p myriad-engine -p myriad-measure -p myriad-files -p myriad-live -p myriad-player --lib
	cargo test --locked --test cli -- arguments render patches inspect

# SECONDS=3600 make fuzz: an hour for each target.
fuzz: setup
	fuzz/run $(or $(SECONDS),60)

# FUZZ_CASES=1000 make properties: a shorter one.
properties: setup
	PROPTEST_CASES=$(or $(FUZZ_CASES),20000) cargo test --release -p myriad-engine --test engine blocks::
	PROPTEST_CASES=$(or $(FUZZ_CASES),20000) cargo test --release -p myriad-live --test live stream::
	cargo test --release -p myriad-plugin --test clap fuzz::
	cargo test --release --test cli damage::
	cargo test --release -p myriad-import --test any_sound come -- --include-ignored --nocapture
	FUZZ_CASES=$(or $(FUZZ_CASES),20000) cargo test --release -p myriad-editor --test use_it damaged:: -- --nocapture

# BENCH_RUNS keeps the runs that the next one is compared with.
gpu: setup
	mkdir -p target/gpu
	cargo build --release --quiet
	./target/release/myriad selftest --renderer cuda
	BENCH_RUNS=$(or $(BENCH_RUNS),$(HOME)/.cache/myriad-bench) benches/track --quick
	./target/release/myriad soak --device clock --renderer cuda --buffer 64 --minutes 8 --inject gpu-loss --report target/gpu/soak

# Measures, so the machine should do nothing else. tests/instances/run alone is the test for every machine.
instances:
	@./setup plugin
	@tests/instances/run --gpu

players: setup
	@tests/players/run

kills: setup
	@tests/kills/run

setup:
	@./setup

setup-dist:
	@./setup dist

setup-fresh:
	@./setup fresh

setup-test:
	@./setup test

clean:
	cargo clean
