"""What the peers share: a process does one job in the turns it is given, as tintype-bench does.

PEER.py JOB [KEY=VALUE]… makes the job ready, says {"ready": true}, and answers each line on standard input, a number of
seconds to repeat the job for, with one line of JSON: the means of that turn.
"""

import json
import os
import resource
import sys
import time

KEYS = dict(argument.split("=", 1) for argument in sys.argv[2:])


def status(name):
    with open("/proc/self/status") as file:
        return next((int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":")), 0)


def cpu():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def answer(line):
    # Libraries print to standard output, too; the driver skips what is not JSON.
    print(json.dumps(line), flush=True)


def prepared(jobs):
    job = jobs[sys.argv[1]](**KEYS)
    return job if isinstance(job, tuple) else (job, 1)


def serve(jobs):
    """jobs: name -> function of the keys that gives the body of a run, or the body and how many operations it is.

    A body may return a dictionary of figures; "wall" and "cpu" in it, in seconds, stand in place of what was measured.
    """
    try:
        body, operations = prepared(jobs)
        baseline = status("VmRSS")
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        answer({"ready": True})
        for line in sys.stdin:
            runs, wall, used, figures = 0, 0.0, 0.0, {}
            while runs == 0 or wall < float(line):
                start = time.perf_counter(), cpu()
                result = body()
                spent = time.perf_counter() - start[0], cpu() - start[1]
                figures = dict(result) if isinstance(result, dict) else {}
                wall += figures.pop("wall", spent[0])
                used += figures.pop("cpu", spent[1])
                runs += 1
            count = runs * operations
            answer({"runs": runs, "wall": wall / count, "cpu": used / count,
                    "peak": status("VmHWM") - baseline, "figures": figures})
    except Exception as error:  # Whatever it is, the table says that this peer could not do it.
        answer({"error": f"{type(error).__name__}: {error}"})
        os._exit(1)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
