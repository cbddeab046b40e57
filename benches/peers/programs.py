"""The programs compared: how each one is built, asked for its version, and made to render."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = HERE / "out"
BUILD = OUT / "build"

BANK_PARTIALS = 32  # as in every bank source

BUILD_LIMIT_S = 900
RUN_LIMIT_S = 120


class PeerError(Exception):
    """One program could not be built, run or believed; its row says why."""


def call(argv, limit_s=RUN_LIMIT_S, env=None, cwd=None):
    """Runs a command to its end and returns what it printed; raises PeerError with its last line."""
    argv = [str(word) for word in argv]
    program = Path(argv[3] if argv[0] == "taskset" else argv[0]).name
    # Without input nothing can wait at a prompt (csound --version does).
    settings = {"stdin": subprocess.DEVNULL, "env": {**os.environ, **(env or {})}, "cwd": cwd}
    try:
        done = subprocess.run(argv, capture_output=True, timeout=limit_s, **settings)
    except FileNotFoundError:
        raise PeerError(f"{program} is not installed") from None
    except subprocess.TimeoutExpired:
        raise PeerError(f"{program} ran past {limit_s} s") from None
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != 0:
        lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
        errors = [line for line in lines if line.startswith("error")]
        raise PeerError(f"{program} failed ({done.returncode}): {(errors or lines[-1:])[0]}")
    return text


def found(pattern, text):
    match = re.search(pattern, text)
    return match.group(1) if match else "unknown"


class Peer:
    """A program that renders `banks` banks for `seconds`; subclasses say how."""

    name = ""
    title = ""
    packages = {}  # command it needs -> Debian package that brings it
    note = ""  # what exactly it did
    checkable = True

    def build(self):
        """Makes the program ready to run."""

    def version(self):
        raise NotImplementedError

    def command(self, banks, seconds, wav=None):
        """The command that renders, to `wav` or to nowhere."""
        raise NotImplementedError

    def elapsed_s(self, core, banks, seconds):
        """Wall time of one pinned run, start-up included."""
        argv = ["taskset", "-c", core, *self.command(banks, seconds)]
        start = time.perf_counter()
        call(argv)
        return time.perf_counter() - start

    def startup_s(self, core, banks):
        """Wall time of a run with the same banks and almost no audio, to be subtracted."""
        return min(self.elapsed_s(core, banks, 0.01) for _ in range(3))

    def render(self, banks, seconds, wav):
        call(self.command(banks, seconds, wav))


class Csound(Peer):
    name = "csound"
    title = "Csound `adsynt2`"
    packages = {"csound": "csound"}
    note = (
        "ksmps 64; pitch and level move through the opcode's own control-rate arguments, "
        "amplitudes ramped; 1024-point table, not interpolated; double precision"
    )

    def version(self):
        return found(r"Csound version (\S+)", call(["csound", "--version"]))

    def command(self, banks, seconds, wav=None):
        output = ["-W", "-f", "-o", wav] if wav else ["-n"]
        macros = [f"--omacro:BANKS={banks}", f"--smacro:SECONDS={seconds}"]
        return ["csound", "-d", "-m0", *output, *macros, HERE / "bank.csd"]


class SuperCollider(Peer):
    name = "supercollider"
    title = "SuperCollider `SinOsc`"
    packages = {"scsynth": "supercollider-server", "sclang": "supercollider-language"}
    note = (
        "scsynth offline, block 64; each partial's frequency and level are control-rate "
        "products, level ramped by MulAdd; interpolated 8192-point table"
    )

    def version(self):
        return found(r"scsynth (\S+)", call(["scsynth", "-v"]))

    def build(self):
        for score in BUILD.glob("bank-*.osc"):  # of an earlier bank.scd
            score.unlink()

    def command(self, banks, seconds, wav=None):
        options = ["-o", 1, "-z", 64, "-m", 262144, "-w", 1024, "-n", 65536, "-D", 0]
        score = self.score(banks, seconds)
        return ["scsynth", "-N", score, "_", wav or "/dev/null", 48000, "WAV", "float", *options]

    def score(self, banks, seconds):
        """The score for scsynth, written by bank.scd; kept, so that no timed run waits for it."""
        score = BUILD / f"bank-{banks}-{seconds}.osc"
        if not score.exists():
            home = OUT / "home"  # sclang writes settings into its home
            home.mkdir(mode=0o700, exist_ok=True)
            env = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "QT_QPA_PLATFORM": "offscreen"}
            if os.geteuid() == 0:
                # sclang's embedded help browser, unused here, refuses to start as root otherwise.
                env["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
            call(["sclang", HERE / "bank.scd", banks, seconds, score], env=env)
            if not score.exists():
                raise PeerError("sclang wrote no score from bank.scd")
        return score

    def elapsed_s(self, core, banks, seconds):
        self.score(banks, seconds)
        return super().elapsed_s(core, banks, seconds)


class Faust(Peer):
    name = "faust"
    title = "Faust `os.osc`"
    packages = {"faust": "faust", "clang++": "clang"}
    note = (
        "C++ by clang -O3 -march=native -ffast-math, scalar code (its -vec mode is slower here); "
        "frequency and level change every 64 frames, no ramp; 65536-point table, not interpolated"
    )

    def version(self):
        faust = found(r"Version (\S+)", call(["faust", "--version"]))
        clang = found(r"version (\S+)", call(["clang++", "--version"]))
        return f"{faust}, clang {clang}"

    def build(self):
        source = BUILD / "faust-bank.cpp"
        call(["faust", "-a", HERE / "offline.cpp", HERE / "bank.dsp", "-o", source])
        flags = ["-std=c++17", "-O3", "-march=native", "-ffast-math"]
        call(["clang++", *flags, source, "-o", BUILD / "faust-bank"], BUILD_LIMIT_S)

    def command(self, banks, seconds, wav=None):
        return [BUILD / "faust-bank", banks, seconds, *([wav] if wav else [])]


class Fundsp(Peer):
    name = "fundsp"
    title = "fundsp `sine()`"
    note = (
        "release, target-cpu=native, single precision; statically typed graph in blocks of 64, "
        "frequency and level change every block, no ramp; SIMD polynomial sine"
    )

    def version(self):
        lock = (HERE / "fundsp" / "Cargo.lock").read_text()
        return found(r'name = "fundsp"\nversion = "([^"]+)"', lock)

    def build(self):
        env = {"RUSTFLAGS": "-C target-cpu=native"}
        env["CARGO_TARGET_DIR"] = str(HERE / "fundsp" / "target")
        build = ["cargo", "build", "--release", "--locked", "-q"]
        call(build, BUILD_LIMIT_S, env, cwd=HERE / "fundsp")

    def command(self, banks, seconds, wav=None):
        program = HERE / "fundsp" / "target" / "release" / "fundsp-bank"
        return [program, banks, seconds, *([wav] if wav else [])]


class Myriad(Peer):
    name = "myriad"
    title = "**Myriad**"
    note = "example `sine_bank`: the whole engine on the CPU renderer, parameters moving"
    checkable = False  # plays a sound of its own; the example fails where a partial is silent

    def version(self):
        number = found(r'\nversion = "([^"]+)"', (ROOT / "Cargo.toml").read_text())
        commit = call(["git", "describe", "--always", "--dirty"], cwd=ROOT).strip()
        return f"{number} ({commit})"

    def build(self):
        build = ["cargo", "build", "--release", "-q", "-p", "myriad-qa", "--example", "sine_bank"]
        try:
            call(build, BUILD_LIMIT_S, cwd=ROOT)
        except PeerError as error:
            if "no example target" in str(error):
                raise PeerError("the example `sine_bank` does not exist yet") from None
            raise

    def elapsed_s(self, core, banks, seconds):
        """Rendering time as the example reports it: its start-up is already left out."""
        example = ["cargo", "run", "--release", "-q", "-p", "myriad-qa", "--example", "sine_bank", "--"]
        size = ["--partials", banks * BANK_PARTIALS, "--seconds", seconds]
        text = call(["taskset", "-c", core, *example, *size], cwd=ROOT)
        try:
            line = next(line for line in text.splitlines() if line.startswith("{"))
            report = json.loads(line)
            asked = (banks * BANK_PARTIALS, seconds)
            if (report["partials"], report["seconds"]) != asked:
                raise PeerError(f"sine_bank rendered something else than asked for: {line}")
            return float(report["elapsed_s"])
        except (StopIteration, ValueError, KeyError) as error:
            raise PeerError(f"sine_bank printed no figures: {text.strip()[:200]}") from error

    def startup_s(self, core, banks):
        return 0.0


PEERS = [Csound(), SuperCollider(), Faust(), Fundsp(), Myriad()]


def missing_packages(peers):
    """Debian packages that the chosen peers need and this machine lacks: package -> peers."""
    wanted = {}
    for peer in peers:
        for command, package in peer.packages.items():
            if not shutil.which(command):
                wanted.setdefault(package, []).append(peer.name)
    return wanted
