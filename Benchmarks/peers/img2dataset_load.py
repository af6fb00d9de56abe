"""img2dataset with two processes. Its own starting of processes, several seconds, is left out: the time is from the
beginning of its first shard to the end of its last, as it writes it down itself."""

import contextlib
import glob
import io
import json
import os
import shutil

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"

from peer import serve


def whole_loads(origin, count, folder):
    import img2dataset

    count, folder = int(count), os.path.join(folder, "img2dataset")
    addresses = folder + ".txt"
    with open(addresses, "w") as file:
        file.writelines(f"{origin}/{number}.jpg\n" for number in range(count))

    def body():
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.redirect_stdout(io.StringIO()):
            img2dataset.download(
                url_list=addresses, output_folder=folder, input_format="txt", output_format="files",
                image_size=128, resize_mode="keep_ratio_largest", resize_only_if_bigger=True, encode_quality=85,
                processes_count=2, thread_count=16, number_sample_per_shard=count // 2, enable_wandb=False,
                disallowed_header_directives=[])
        shards = [json.load(open(path)) for path in glob.glob(folder + "/*_stats.json")]
        assert sum(shard["successes"] for shard in shards) == count, shards
        return {"wall": max(shard["end_time"] for shard in shards) - min(shard["start_time"] for shard in shards)}

    return body, count


if __name__ == "__main__":
    serve({"whole loads": whole_loads})
