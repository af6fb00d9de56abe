"""What the subjects are given: where things lie, how often to measure, and how to name contenders."""

import contextlib
import os
import shutil
import subprocess
import tempfile

from .comparison import OURS, Comparison, Contender
from .inputs import Inputs
from .worker import HERE


class Lab:
    def __init__(self, is_quick):
        self.is_quick = is_quick
        self.inputs = Inputs(os.path.join(HERE, ".build/inputs"), is_quick)
        self.notes = []
        self.shared = os.environ.get("TINTYPE_SHARED", os.path.join(HERE, "../../shared"))

    def pick(self, full, quick):
        """A count, or a smaller one where only the working is tried."""
        return quick if self.is_quick else full

    def some(self, cases):
        """All cases, or the first one where only the working is tried."""
        return cases[:1] if self.is_quick else cases

    def compare(self, subject, job, contenders, bars=(), turns=9, seconds=0.05, is_pinned=False):
        return Comparison(
            subject, job, contenders, bars, turns=self.pick(turns, min(turns, 1)), seconds=self.pick(seconds, 0),
            is_pinned=is_pinned)

    def peers(self, job, names, **keys):
        """Contenders that are given the same keys, ours first."""
        return [Contender(OURS, job, keys)] + [Contender(name, job, keys) for name in names]

    @contextlib.contextmanager
    def folder(self):
        """A folder on a journaled ext4, made for the purpose where that is possible: without a journal, deleting and
        making many files costs up to twenty times more, for every contender."""
        base = tempfile.mkdtemp(prefix="tintype-bench-")
        image, place = os.path.join(base, "image"), os.path.join(base, "mounted")
        os.mkdir(place)
        is_mounted = False
        if not self.is_quick:
            with open(image, "wb") as file:
                file.truncate(12 << 30)
            is_mounted = all(
                subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
                for command in (["mkfs.ext4", "-q", "-F", image], ["mount", "-o", "loop,noinit_itable", image, place]))
            if not is_mounted:
                self.notes.append("No file system of its own could be mounted: the disk figures are those of the "
                                  "folder for temporary files.")
        try:
            yield place
        finally:
            if is_mounted:
                subprocess.run(["umount", place], check=False)
            shutil.rmtree(base, ignore_errors=True)
