"""What the peers share: timing, and one JSON line for each case."""

import json
import sys
import time


def options():
    """--seconds S and --only TEXT, as tintype-bench takes them."""
    seconds, only, rest = 0.5, "", iter(sys.argv[1:])
    for argument in rest:
        if argument == "--seconds":
            seconds = float(next(rest))
        elif argument == "--only":
            only = next(rest)
    return seconds, only


SECONDS, ONLY = options()


def measure(subject, case, by, body):
    if ONLY not in case:
        return
    body()
    walls, cpus, end = [], [], time.perf_counter() + SECONDS
    while len(walls) < 5 or time.perf_counter() < end:
        cpu, wall = time.process_time(), time.perf_counter()
        body()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    walls.sort()
    cpus.sort()
    print(json.dumps({
        "subject": subject, "case": case, "by": by, "runs": len(walls),
        "wall_ms": round(walls[len(walls) // 2] * 1e3, 4), "wall_min_ms": round(walls[0] * 1e3, 4),
        "cpu_ms": round(cpus[len(cpus) // 2] * 1e3, 4), "cpu_min_ms": round(cpus[0] * 1e3, 4),
    }), flush=True)
