"""Processes for the blocks that need not import anything any more: a server that forks one for each command, and the client that asks it.

A page has seven commands and more, and each would spend a second of a processor on imports. Here each is a process of its own all the same:
with the environment, the folder and the three streams of the shell that started it, and with its own exit status.
"""

import array
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

BACKLOG = 8
NO_ANSWER = 70


def serve(path: str) -> None:
    """Import what the commands need, listen, and fork for each that asks. Ends by a signal."""
    from enactor.cli.entry import run  # noqa: PLC0415 - the client, which is this file too, imports nothing of ours
    from enactor.cli.main import main as enactor  # noqa: PLC0415 - the same
    from planner.cli import main as planner  # noqa: PLC0415 - the same
    from tests.runbooks import aws  # noqa: PLC0415 - the same

    commands: dict[str, Callable[[list[str]], None]] = {
        "aws": aws.main,
        "enactor": lambda _: run("enactor", lambda: enactor),
        "planner": lambda _: run("planner", lambda: planner),
    }
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(BACKLOG)
    print("ready", flush=True)
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _answer(connection, commands)
        connection.close()


def _answer(connection: socket.socket, commands: dict[str, Callable[[list[str]], None]]) -> NoReturn:
    """Be the command that the client asks for, and tell it the exit status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    words = _become(connection)
    status = 0
    try:
        commands[words[0]](words[1:])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter ends: with the trace, and status 1
        sys.excepthook(*sys.exc_info())
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([status]))
    os._exit(status)


def _become(connection: socket.socket) -> list[str]:
    """Take the shell's streams, folder and environment; return the command's words."""
    octets, ancillary, _, _ = connection.recvmsg(16, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    descriptors = array.array("i")
    descriptors.frombytes(ancillary[0][2])
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    length = int(octets.decode())
    connection.sendall(b"+")
    told = json.loads(b"".join(iter(lambda: connection.recv(length), b"")))
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["environment"])
    words: list[str] = told["words"]
    sys.argv = words
    return words


def ask(path: str, words: list[str]) -> int:
    """Have a command run with our streams; return its exit status."""
    told = json.dumps({"words": words, "folder": str(Path.cwd()), "environment": dict(os.environ)}).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        streams = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
        connection.sendmsg([str(len(told)).encode()], [streams])
        connection.recv(1)
        connection.sendall(told)
        connection.shutdown(socket.SHUT_WR)
        status = connection.recv(1)
    return status[0] if status else NO_ANSWER


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    sys.exit(ask(sys.argv[2], sys.argv[3:]))
