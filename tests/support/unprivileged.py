"""Processes that the permissions of files and the size of a disk stop, also where the tests run as root."""

from __future__ import annotations

import ctypes
import os
import resource

_CAPBSET_DROP = 24
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2


def obey_permissions() -> None:
    """Give up root's right to ignore permissions. Call this in a child, before it executes a program."""
    if os.getuid() == 0:
        for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(_CAPBSET_DROP, capability, 0, 0, 0)


def fill_the_disk() -> None:
    """Let every write to a file fail, as on a full disk. Call this in a child, before it executes a program."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
