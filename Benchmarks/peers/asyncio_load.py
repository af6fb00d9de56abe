"""What one writes in Python for this: aiohttp for the transfers, Pillow on two threads, a folder, a dictionary."""

import asyncio
import concurrent.futures
import io
import os
import shutil

import aiohttp
from PIL import Image

from peer import serve, write


def whole_loads(origin, count, folder):
    count, folder = int(count), os.path.join(folder, "asyncio")
    threads = concurrent.futures.ThreadPoolExecutor(2)

    def keep_and_decode(number, data):
        path = os.path.join(folder, str(number))
        write(path + ".tmp", data)
        os.rename(path + ".tmp", path)
        image = Image.open(io.BytesIO(data))
        image.thumbnail((128, 128), Image.LANCZOS)
        return image.convert("RGBA")

    async def load_all():
        memory, places = {}, asyncio.Semaphore(16)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=16)) as session:

            async def load(number):
                async with places:
                    async with session.get(f"{origin}/{number}.jpg") as answer:
                        answer.raise_for_status()
                        data = await answer.read()
                    memory[number] = await asyncio.get_running_loop().run_in_executor(
                        threads, keep_and_decode, number, data)

            await asyncio.gather(*(load(number) for number in range(count)))
        assert len(memory) == count

    def body():
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        asyncio.run(load_all())

    return body, count


serve({"whole loads": whole_loads})
