#!/usr/bin/env python3
"""Ports for servers that the tests start.

    tests/tools/ports.py    # prints one

A port that the system chooses is free only until it is chosen again, and some servers need many seconds before they
listen. So each port is given out once. All are below the ports that the systems choose for connections (from 32768 on
Linux, from 49152 on macOS).
"""

import fcntl
import os
import socket
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

FIRST, END = 20000, 32000
# The port that was given out last, to any process of this user.
LAST = Path(tempfile.gettempdir()) / f"kiroku-last-port-{os.getuid()}"


def free_ports(count: int) -> list[int]:
    with LAST.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        ports = list(islice(unused(int(file.read() or FIRST)), count))
        if len(ports) < count:
            raise OSError(f"fewer than {count} of the ports from {FIRST} to {END - 1} are free")
        file.truncate(0)
        file.write(str(ports[-1]))
    return ports


def unused(last: int) -> Iterator[int]:
    """Yields the ports on which no server listens, from the one after the last, each once."""
    for port in [*range(last + 1, END), *range(FIRST, last + 1)]:
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        yield port


if __name__ == "__main__":
    print(free_ports(1)[0])
