"""The network of each kind of deal in NumPy, from the features of a seat to the value of each card, and its file.

A value is the points that the seat will still take, as a share of all points of the deal, times `SCALE`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from examples.learning.king.tables import CARDS, KINDS, WIDTH, Floats

SCALE: Final = 4.0
FORMAT: Final = 1
"""The version of the features and of the file. Weights of another version are refused."""

Weights = list[Floats]
"""Matrix and bias of each of three layers in turn."""
Networks = Mapping[str, Weights]
"""The weights by kind of deal."""


class BadWeights(ValueError):
    """A file holds no weights of this version. The text says why."""


def fresh(hidden: int, rng: np.random.Generator) -> Weights:
    """Return random weights."""
    weights: Weights = []
    for size, out in ((WIDTH, hidden), (hidden, hidden), (hidden, CARDS)):
        scale = np.sqrt(2 / size) if out != CARDS else 0.01
        weights += [
            np.float32(scale) * rng.standard_normal((size, out), np.float32),
            np.zeros(out, np.float32),
        ]
    return weights


def layers(weights: Weights, features: Floats) -> list[Floats]:
    """Return by row the input, and the output of each layer."""
    found = [features]
    for nth in range(0, len(weights), 2):
        out = found[-1] @ weights[nth] + weights[nth + 1]
        found.append(np.maximum(out, 0) if nth < len(weights) - 2 else out)
    return found


def values(weights: Weights, features: Floats) -> Floats:
    """Return by row the value of each card."""
    return layers(weights, features)[-1]


def save(path: Path, networks: Networks, provenance: Mapping[str, Any]) -> None:
    """Write the weights with 16 bits each, and how they were made."""
    arrays = {
        f"{kind}.{nth}": weight.astype(np.float16)
        for kind, weights in networks.items()
        for nth, weight in enumerate(weights)
    }
    text = json.dumps({"format": FORMAT, **provenance})
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, provenance=np.array(text), **arrays)
    temporary.replace(path)


def provenance(path: Path) -> dict[str, Any]:
    """Return how the weights in a file were made."""
    with np.load(path, allow_pickle=False) as file:
        found: dict[str, Any] = json.loads(str(file["provenance"]))
    return found


def load(path: Path) -> Networks:
    """Return the weights of every kind of deal. Raise `BadWeights`."""
    try:
        with np.load(path, allow_pickle=False) as file:
            made = json.loads(str(file["provenance"]))
            found = {
                kind.name: [file[f"{kind.name}.{nth}"].astype(np.float32) for nth in range(6)]
                for kind in KINDS
            }
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as why:
        raise BadWeights(f"{path} can't be read as weights of the networks: {why}") from why
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        raise BadWeights(f"{path} has weights of another version: {made}")
    for name, weights in found.items():
        hidden = weights[1].shape[0] if weights[1].ndim == 1 else 0
        shapes = [(WIDTH, hidden), (hidden,), (hidden, hidden), (hidden,), (hidden, CARDS), (CARDS,)]
        if [weight.shape for weight in weights] != shapes or not all(
            np.isfinite(each).all() for each in weights
        ):
            raise BadWeights(
                f"{path} has weights of another shape, or values that are no numbers, for {name}"
            )
    return found
