"""What decoding in workers costs, against decoding in the process."""

from ..comparison import most


def rows(lab):
    small = lab.inputs.still(360, 270, "jpg", quality=88)
    jpeg = lab.inputs.still(1600, 1200, "jpg", quality=88)
    microseconds = most("extra", 80e-6, 1e-6, "µs")
    memory = most("worker_memory", 12e6, 1e6, "MB")
    for job, name, bars, keys in lab.some([
        ("20 KB JPEG → 128", "isolation", [microseconds, memory], {"file": small, "width": 128, "height": 96}),
        ("1600×1200 JPEG", "isolation", [most("ratio", 1.05)], {"file": jpeg}),
        ("20 KB JPEG → 128, two threads", "isolation", [most("ratio", 1 / 0.92)],
         {"file": small, "width": 128, "height": 96, "threads": 2}),
        ("first decode", "cold-worker", [most("wall", 40e-3, 1e-3, "ms")], {"file": small}),
    ]):
        yield from lab.compare("isolation", job, lab.peers(name, [], **keys), bars, turns=5).rows()
