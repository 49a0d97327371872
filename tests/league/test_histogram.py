"""Histograms of durations: a percentile is never too small, and hardly too large."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from league.fitness.model import BUCKETS, LONGEST_MS, bucket_of, longest_of, percentile

DURATIONS = st.integers(0, LONGEST_MS)


@given(DURATIONS)
def test_a_bucket_holds_durations_that_differ_by_less_than_a_sixteenth(ms: int) -> None:
    bucket, longest = bucket_of(ms), longest_of(bucket_of(ms))
    assert 0 <= bucket < BUCKETS
    assert ms <= longest <= ms + ms // 16
    assert bucket_of(longest) == bucket


@given(st.integers(0, BUCKETS - 2))
def test_every_duration_has_a_bucket(bucket: int) -> None:
    assert bucket_of(longest_of(bucket) + 1) == bucket + 1


def test_short_durations_are_exact_and_too_long_ones_count_as_the_longest() -> None:
    assert [longest_of(bucket_of(ms)) for ms in range(32)] == list(range(32))
    assert bucket_of(10**12) == bucket_of(LONGEST_MS) == BUCKETS - 1


@given(st.lists(DURATIONS, min_size=1), st.sampled_from([50, 90, 99, 100]))
def test_a_percentile_is_exact_up_to_its_bucket(durations: list[int], percent: int) -> None:
    counts = Counter(bucket_of(ms) for ms in durations)
    exact = sorted(durations)[-(-len(durations) * percent // 100) - 1]
    assert percentile(counts, percent) == longest_of(bucket_of(exact))


def test_an_empty_histogram_has_percentiles_of_zero() -> None:
    assert percentile({}, 99) == 0
