"""Myriad in Ardour, without a screen: see ardour.lua for what is tried."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PLUGIN = pathlib.Path(sys.argv[1])
SCRIPT = pathlib.Path(__file__).with_name("ardour.lua")
LIBRARIES = pathlib.Path("/usr/lib/ardour7")


def installed():
    """Whether Ardour is there, or could be installed."""
    if shutil.which("ardour7-lua"):
        return True
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print("hosts: installing ardour (a host that loads the plugin)", flush=True)
    install = "apt-get install -y --no-install-recommends ardour"
    # The first try may know old addresses only.
    subprocess.run(["sh", "-c", f"{install} || {{ apt-get update && {install}; }}"], capture_output=True)
    return shutil.which("ardour7-lua") is not None


def main():
    if sys.argv[1] == "--install":
        installed()
        return
    if not installed():
        print("ignored: tests/hosts/in_ardour.py, needs ardour7-lua (on Debian and Ubuntu: apt-get install ardour)")
        return
    with tempfile.TemporaryDirectory() as home:
        home = pathlib.Path(home)
        shutil.copytree(PLUGIN, home / ".vst3" / "Myriad.vst3")
        settings = dict(
            os.environ,
            HOME=str(home),
            MYRIAD_SESSION=str(home / "session"),
            LD_LIBRARY_PATH=str(LIBRARIES),
            ARDOUR_DATA_PATH="/usr/share/ardour7",
            ARDOUR_CONFIG_PATH="/etc/ardour7",
            ARDOUR_DLL_PATH=str(LIBRARIES),
        )
        scanner = [LIBRARIES / "ardour-vst3-scanner", "-f", home / ".vst3" / "Myriad.vst3"]
        subprocess.run(scanner, env=settings, check=True, capture_output=True, timeout=120)
        # Ardour ignores what it found unless this looks newer than the plugin, by whole seconds.
        for cache in (home / ".cache" / "ardour7" / "vst").glob("*.v3i"):
            os.utime(cache, times=(time.time() + 10,) * 2)
        told = subprocess.run(["ardour7-lua", SCRIPT], env=settings, capture_output=True, text=True, timeout=500)
        if "MYRIAD PASSED" not in told.stdout:
            print(told.stdout[-2_000:], told.stderr[-2_000:], file=sys.stderr)
            sys.exit("ardour: failed")
        print("ardour: passed")


main()
