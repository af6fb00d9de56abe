"""A contender at work: a process that does one job in turns (see main.swift and peers/peer.py)."""

import json
import os
import subprocess
import threading

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TINTYPE = os.path.join(HERE, ".build/release/tintype-bench")
PYTHON = os.path.join(HERE, ".build/venv/bin/python")

# Nothing takes so long; whoever does hangs, and is ended, so that the others get their turns.
SECONDS_AT_MOST = 300

# Who is who in the tables: the program, and what it needs to be told.
PEERS = {
    "Pillow": ("pillow", {}),
    "libvips wheel": ("vips", {}),
    "libvips Debian": ("vips", {"VIPS": "system"}),
    "ImageMagick": ("magick", {}),
    "asyncio + Pillow": ("asyncio_load", {}),
    "img2dataset": ("img2dataset_load", {}),
}


class Unable(Exception):
    """The contender cannot do the job; the text says why."""


class Worker:
    """Begins at once; `ready` waits until the job can be done."""

    def __init__(self, job, by, keys, is_pinned=False):
        arguments = [f"{key}={value}" for key, value in keys.items() if value is not None]
        if by in PEERS:
            script, environment = PEERS[by]
            command = [PYTHON, os.path.join(HERE, "peers", script + ".py"), job] + arguments
        else:
            environment, command = {}, [TINTYPE, job, by] + arguments
        # Some machines restrict what numeric libraries use; it has no place in a comparison.
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_")}
        self.process = subprocess.Popen(
            command, env={**inherited, "VIPS_CONCURRENCY": "1", "MAGICK_THREAD_LIMIT": "1", **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            preexec_fn=(lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})) if is_pinned else None)

    def ready(self):
        self._answer()

    def turn(self, seconds):
        """Repeats the job for so long, at least once. The means: wall, cpu, peak, figures."""
        try:
            self.process.stdin.write(f"{seconds}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._answer()

    def _answer(self):
        watch = threading.Timer(SECONDS_AT_MOST, self.process.kill)
        watch.start()
        try:
            for line in self.process.stdout:
                if line.startswith("{"):
                    answer = json.loads(line)
                    if "error" in answer:
                        raise Unable(answer["error"])
                    return answer
        finally:
            watch.cancel()
        raise Unable(f"ended with status {self.process.wait()}")

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
