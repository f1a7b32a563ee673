"""Becomes a program, and leaves it all that a terminal, an editor or a script can leave behind.

    hostile_parent.py LANG PROGRAM [ARGUMENT …]
"""

import os
import resource
import signal
import sys

UNUSED = {signal.SIGKILL, signal.SIGSTOP}
_, language, *program = sys.argv

for _ in range(200):
    os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)
for ignored in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGUSR2, signal.SIGALRM):
    signal.signal(ignored, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - UNUSED)
os.umask(0o077)
for name in ("HOME", "TMPDIR"):
    os.environ.pop(name, None)
os.environ.update(LANG=language, LC_ALL=language, TZ="Asia/Kathmandu")
os.close(0)
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
os.execvp(program[0], program)
