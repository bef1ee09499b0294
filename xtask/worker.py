"""Drives a worker over the worker protocol: one JSON line per request and response."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile

TIMEOUT_SECONDS = 60


class Worker:
    """A worker process; restarted when it crashes or does not respond."""

    def __init__(self, command):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="jig-worker-"))
        self.draft = self.root / "bench" / "draft"
        self.draft.mkdir(parents=True)
        self.command, self.count = command, 0
        self.start()

    def start(self):
        env = dict(os.environ, JIG_WORKBENCHES_DIR=str(self.root), KEENBENCH_WORKBENCHES_DIR=str(self.root))
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)

    def call(self, method, **params):
        """The response, or None if the worker crashed or timed out."""
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": {"workbench_id": "bench", "root": "draft", **params}}
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            return json.loads(self.line())
        except (OSError, ValueError):
            self.process.kill()
            self.process.wait()
            self.start()
            return None

    def line(self):
        data = b""
        while not data.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT_SECONDS)
            chunk = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not chunk:
                raise OSError("no response")
            data += chunk
        return data

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.root)
