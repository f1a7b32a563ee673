"""The echo server under test, as a child process, for the checks beside this file."""
import asyncio
import os
import resource
import sys


class Server:
    """The server under test, as a child process."""

    @classmethod
    async def start(cls, command):
        self = cls()
        self.process = await asyncio.create_subprocess_exec(
            # If SIGINT is ignored, as in a script's background, the server would go on ignoring it.
            "env", "--default-signal=INT", *command, stdout=asyncio.subprocess.PIPE)
        line = (await self.process.stdout.readline()).decode().strip()
        if not line.startswith("listening on "):
            sys.exit(f"the server said {line!r}, not where it listens")
        self.host, _, port = line.removeprefix("listening on ").rpartition(":")
        self.port = int(port)
        # Only now, so that the server doesn't inherit our limit and has to raise its own.
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return self

    async def connect(self):
        return await asyncio.open_connection(self.host, self.port)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def resident_kib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def run(check):
    """Runs a check to its end. If it fails in several tasks, the first error is told."""
    try:
        asyncio.run(check)
    except BaseExceptionGroup as group:
        error = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        sys.exit(f"failed: {error!r}")
