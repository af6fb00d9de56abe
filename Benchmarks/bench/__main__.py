"""python -m bench [SUBJECT…]: measures, prints a table, and writes the report when everything was measured.

QUICK=1 tries with tiny counts that everything works; its figures mean nothing and are not written.
"""

import os
import signal
import sys
import time

from . import report
from .lab import Lab
from .machine import describe
from .subjects import (
    animation, disk, download, hitratio, isolation, json_answers, memory, pipeline, processors, resize, stills)
from .worker import HERE

SUBJECTS = {
    "stills": ("Still images", stills), "resize": ("Resizing", resize),
    "processors": ("Processors", processors),
    "animation": ("Moving images", animation), "memory": ("Memory cache", memory),
    "hitratio": ("Hit ratios of the memory cache", hitratio), "disk": ("Disk cache", disk),
    "download": ("Downloader", download), "pipeline": ("Pipeline", pipeline), "json": ("Response cache", json_answers),
    "isolation": ("Decoding in workers", isolation),
}


def main():
    # What is mounted and what was started is put away on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    wanted = sys.argv[1:] or list(SUBJECTS)
    unknown = [name for name in wanted if name not in SUBJECTS]
    if unknown:
        sys.exit(f"bench: no subject {unknown[0]} ({', '.join(SUBJECTS)})")
    lab = Lab(is_quick=bool(os.environ.get("QUICK")))
    machine, rows, start = describe(), [], time.monotonic()
    for name in wanted:
        print(f"\n== {SUBJECTS[name][0]} ({time.monotonic() - start:.0f} s)", flush=True)
        job = ""
        for row in SUBJECTS[name][1].rows(lab):
            if row.job != job:
                job = row.job
            rows.append(row)
            print(report.line(row), flush=True)
    machine["minutes"] = round((time.monotonic() - start) / 60, 1)
    met, missed, unknown = report.tally(rows)
    print(f"\n{met} bars reached, {len(missed)} not, {len(unknown)} not measured, {machine['minutes']} minutes")
    for miss in missed + unknown:
        print(f"  {miss}")
    failed = [row for row in rows if row.error and row.by.startswith("tintype")]
    for row in failed:
        print(f"bench: {row.job}: {row.error}", file=sys.stderr)
    if not lab.is_quick:
        write(machine, rows, lab.notes, is_whole=len(wanted) == len(SUBJECTS))
    sys.exit(1 if failed else 0)


def write(machine, rows, notes, is_whole):
    """The whole report is kept in the documentation; that of some subjects only beside the build."""
    folder = os.path.join(HERE, "../Documentation" if is_whole else ".build")
    titles = {name: title for name, (title, _) in SUBJECTS.items()}
    for name, text in (
        ("benchmarks.md", report.markdown(machine, rows, notes, titles)),
        ("benchmarks.json", report.as_json(machine, rows, notes)),
    ):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    print(f"written: {'Documentation' if is_whole else 'Benchmarks/.build'}/benchmarks.md and .json")


main()
