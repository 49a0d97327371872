"""Histograms of durations by logarithmic buckets, as HdrHistogram has them (G. Tene, hdrhistogram.org): exact below
32 ms, and then 16 buckets to each doubling, so that a figure read from one is too large by less than a sixteenth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

_SPLIT: Final = 16
_SPLIT_BITS: Final = 4
LONGEST_MS: Final = 2**27 - 1
"""What is longer (a day and a half) counts as this long."""
BUCKETS: Final = 2 * _SPLIT + _SPLIT * (27 - _SPLIT_BITS - 1)
"""How many there are."""


def bucket_of(ms: int) -> int:
    """The number of the bucket that a duration falls into, from 0."""
    ms = min(max(0, ms), LONGEST_MS)
    shift = max(0, ms.bit_length() - _SPLIT_BITS - 1)
    return shift * _SPLIT + (ms >> shift)


def longest_of(bucket: int) -> int:
    """The longest duration that falls into a bucket."""
    shift = max(0, bucket // _SPLIT - 1)
    return ((bucket - shift * _SPLIT + 1) << shift) - 1


def percentile(counts: Mapping[int, int], percent: float) -> int:
    """The duration that so many percent of those counted do not exceed, rounded up to the end of its bucket. Of none at
    all it is 0."""
    wanted, seen, bucket = math.ceil(sum(counts.values()) * percent / 100), 0, 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= wanted:
            break
    return longest_of(bucket)
