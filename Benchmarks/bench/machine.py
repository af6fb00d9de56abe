"""What the figures were measured on: no names and no paths, only what makes them comparable."""

import datetime
import os
import platform
import re
import subprocess

from .worker import HERE, PYTHON

WHEELS = ["numpy", "pillow", "pillow-heif", "pillow-jxl-plugin", "pyvips", "pyvips-binary", "wand", "aiohttp", "img2dataset"]
PACKAGES = [
    "libjpeg62-turbo", "libdeflate0", "libwebp7", "libavif15", "libheif1", "libjxl0.7", "libcurl4", "libvips42",
    "libmagickwand-6.q16-6", "libsqlite3-0", "liblmdb0", "nginx-light",
]


def run(*command, folder=HERE):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder).stdout
    except OSError:
        return ""


def field(path, name):
    with open(path) as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith(name)), "unknown")


def describe():
    versions = dict(line.split("==") for line in run(PYTHON, "-m", "pip", "freeze").split() if line.count("==") == 1)
    packages = dict(
        line.split() for line in run("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *PACKAGES).splitlines()
        if len(line.split()) == 2)
    swift = re.search(r"Swift version \S+", run("swift", "--version"))
    return {
        "date": datetime.date.today().isoformat(),
        "revision": run("git", "rev-parse", "--short=12", "HEAD").strip(),
        "processor": field("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory": f"{int(field('/proc/meminfo', 'MemTotal').split()[0]) / 1048576:.0f} GiB",
        "load before": round(os.getloadavg()[0], 2),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", "unknown"),
        "kernel": platform.release().split("-")[0],
        "swift": swift.group(0).split()[-1] if swift else "unknown",
        "python": platform.python_version(),
        "curl": run("curl", "--version").split(" (")[0].removeprefix("curl "),
        "wheels": {name: versions[key] for name in WHEELS for key in versions if key.lower().replace("_", "-") == name},
        "packages": packages,
    }
