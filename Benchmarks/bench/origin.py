"""An nginx of its own, in its own process, that serves a folder on the loopback address."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """
daemon off; worker_processes 1; pid {base}/pid; error_log {base}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; open_file_cache max=10000;
  types {{ image/jpeg jpg; image/png png; }}
  client_body_temp_path {base}/b; proxy_temp_path {base}/p; fastcgi_temp_path {base}/f;
  uwsgi_temp_path {base}/u; scgi_temp_path {base}/s;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


@contextlib.contextmanager
def origin(root):
    """Gives the address, without a slash at its end."""
    base = tempfile.mkdtemp(prefix="tintype-origin-")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(base + "/nginx.conf", "w") as file:
        # nginx serves as a user of its own when root starts it, and could not reach the folder.
        user = "user root;" if os.getuid() == 0 else ""
        file.write(user + CONFIGURATION.format(base=base, port=port, root=root))
    server = subprocess.Popen(
        ["/usr/sbin/nginx", "-c", base + "/nginx.conf", "-e", base + "/error.log"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(base, ignore_errors=True)
