"""Opening files: nothing blocks, nothing but a regular file is read unasked."""

from __future__ import annotations

import os
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from tfdsl.source_files import contents, read
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

NOT_REGULAR = "it is not a regular file"


def test_a_fifo_without_a_writer_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read(str(tmp_path / "pipe")) == NOT_REGULAR


def test_a_link_to_a_device_is_a_device(tmp_path: Path) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert read(str(tmp_path / "zero")) == NOT_REGULAR
    assert read("/dev/tty") == NOT_REGULAR


def test_a_socket_is_not_read(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "s"))
        assert read(str(tmp_path / "s")) == NOT_REGULAR


def test_a_regular_file_of_the_kernel_does_not_block() -> None:
    # Endless, and it waits for the next line of the kernel's log.
    if not os.access("/proc/kmsg", os.R_OK):
        pytest.skip("the kernel denies it: this user may not read its log")
    assert isinstance(read("/proc/kmsg"), (str, Source))


def test_a_descriptor_of_the_caller_is_read_to_its_end() -> None:
    out, into = os.pipe()

    def write() -> None:
        with os.fdopen(into, "wb") as pipe:
            pipe.write(b"job a { }\n")

    writer = threading.Timer(0.2, write)  # later than the read: the reader has to wait for it
    writer.start()
    try:
        found = read(f"/dev/fd/{out}")
    finally:
        writer.join()
        os.close(out)
    assert isinstance(found, Source)
    assert found.text == "job a { }\n"


def test_a_bound_on_the_size(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x" * (1 << 20))
    assert contents(str(tmp_path / "x"), 1 << 20) == b"x" * (1 << 20)
    (tmp_path / "x").write_bytes(b"x" * ((1 << 20) + 1))
    assert contents(str(tmp_path / "x"), 1 << 20) == "it is larger than 1 MiB"


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_is_no_name(path: str) -> None:
    assert read(path) == "it is not a file name"
