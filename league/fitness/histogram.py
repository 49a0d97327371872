"""Histograms of durations with logarithmic buckets, as in HdrHistogram (G. Tene, hdrhistogram.org).

They are exact below 32 ms and have 16 buckets per doubling above. So a percentile is too large by less than a
sixteenth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

_SPLIT: Final = 16
_SPLIT_BITS: Final = 4
LONGEST_MS: Final = 2**27 - 1
"""Longer durations (more than a day and a half) count as this long."""
BUCKETS: Final = 2 * _SPLIT + _SPLIT * (27 - _SPLIT_BITS - 1)
"""The number of buckets."""


def bucket_of(ms: int) -> int:
    """Return the index of a duration's bucket."""
    ms = min(max(0, ms), LONGEST_MS)
    shift = max(0, ms.bit_length() - _SPLIT_BITS - 1)
    return shift * _SPLIT + (ms >> shift)


def longest_of(bucket: int) -> int:
    """Return the longest duration of a bucket."""
    shift = max(0, bucket // _SPLIT - 1)
    return ((bucket - shift * _SPLIT + 1) << shift) - 1


def percentile(counts: Mapping[int, int], percent: float) -> int:
    """Return a percentile of the counted durations, rounded up to the end of its bucket; 0 without durations."""
    wanted, seen, bucket = math.ceil(sum(counts.values()) * percent / 100), 0, 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= wanted:
            break
    return longest_of(bucket)
