"""Reads a driver library in a process of its own: a program that starts now, or one that started before a change."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from typing import Any


def _run(work: Callable[[Connection], None], environment: dict[str, str], here: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    try:
        work(here)
    except EOFError:
        pass
    except BaseException as error:  # the parent raises it
        here.send(RuntimeError(f"{type(error).__name__}: {error}"))


class Child:
    """A forked process and a connection to it. Nothing of a driver library is loaded in the parent."""

    def __init__(self, work: Callable[[Connection], None], environment: dict[str, str]) -> None:
        self.there, here = Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self.there.close()
            _run(work, environment, here)
            here.close()
            os._exit(0)
        here.close()

    def receive(self) -> Any:
        if not self.there.poll(60):
            raise TimeoutError("a reader has not answered for a minute")
        answer = self.there.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, question: Any) -> Any:
        self.there.send(question)
        return self.receive()

    def end(self) -> None:
        self.there.close()
        os.waitpid(self.pid, 0)


def read_in_child(read: Callable[[], Any], environment: dict[str, str]) -> Any:
    """The value of read() in a process that starts now."""
    child = Child(lambda here: here.send(read()), environment)
    try:
        return child.receive()
    finally:
        child.end()
