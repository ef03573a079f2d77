"""Trains the classifier of refusals and writes the model that the package reads.

    python -m benchmarks.refusals.train [OUT]

Needs scikit-learn (of the extra dev). The answers are `train.jsonl`, written by hand, and as many composed
ones as `COMPOSED` says, which teach it to look past names and subjects. The held-out ones are never read
here.
"""

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.refusals.compose import compose, noise
from benchmarks.refusals.rows import Row, read_rows
from eops_traj.verify.refusal_features import features
from eops_traj.verify.refusal_text import MODEL

COMPOSED, NOISE, SEED = 1200, 150, 0
SCALE = {"characters": 1.0, "words": 1.5, "opening": 1.5, "end": 1.0, "kinds": 1.5, "signs": 1.0}
"""How much each group of features counts before training."""
HAND_WEIGHT = 2.0
STRENGTH = 10.0
"""The inverse of the regularisation."""
SMALLEST = 0.004
"""Weights nearer to zero than this are left out."""

Features = dict[str, tuple[str, ...]]


def training_rows() -> list[Row]:
    """Return what the model is trained on: the answers written by hand first."""
    return [*read_rows("train"), *compose(COMPOSED, SEED), *noise(NOISE, SEED)]


def train() -> tuple[list[str], np.ndarray, float]:
    """Return the names of the features, their weights and the bias."""
    from sklearn.linear_model import LogisticRegression

    rows = training_rows()
    seen = [features(row.text) for row in rows]
    counts = Counter(name for groups in seen for group in groups.values() for name in group)
    names = sorted(name for name, count in counts.items() if count > 1)
    matrix = as_matrix(seen, names)
    weight = [1.0 if row.kind.startswith("composed") else HAND_WEIGHT for row in rows]
    model = LogisticRegression(C=STRENGTH, max_iter=2000, solver="liblinear", random_state=0)
    model.fit(matrix, [row.declines for row in rows], sample_weight=weight)
    return names, model.coef_[0], float(model.intercept_[0])


def as_matrix(seen: Sequence[Features], names: Sequence[str]) -> csr_matrix:
    """Return a row of values for each answer, a column for each feature."""
    column = {name: number for number, name in enumerate(names)}
    starts, columns, values = [0], list[int](), list[float]()
    for groups in seen:
        for group, found in groups.items():
            known = [column[name] for name in found if name in column]
            columns += known
            values += [SCALE[group] / max(len(found), 1) ** 0.5] * len(known)
        starts.append(len(columns))
    return csr_matrix((values, columns, starts), shape=(len(seen), len(names)))


def pack(names: Sequence[str], weights: np.ndarray, bias: float) -> bytes:
    """Return the model's file: the groups' scale in the weights, the smallest left out, halves of floats."""
    group_of = {"c": "characters", "w:": "words", "o:": "opening", "e:": "end", "k:": "kinds", "s:": "signs"}
    scale = np.array([SCALE[group_of["c" if name[0] == "c" else name[:2]]] for name in names])
    scaled = weights * scale
    kept = np.flatnonzero(np.abs(scaled) > SMALLEST)
    text = "\n".join(names[number] for number in kept).encode()
    file = BytesIO()
    np.savez_compressed(
        file,
        names=np.frombuffer(text, dtype=np.uint8),
        weights=scaled[kept].astype(np.float16),
        bias=np.float64(round(bias, 6)),
        data=np.array(data_digest()),
    )
    return file.getvalue()


def data_digest() -> str:
    """Return a digest of the answers that the model is trained on, and of what is seen of each."""
    digest = hashlib.sha256()
    for row in training_rows():
        digest.update(f"{row.declines:d}{row.kind}\0{row.text}\0{features(row.text)}\0".encode())
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", type=Path, default=MODEL)
    out = parser.parse_args().out
    out.write_bytes(pack(*train()))
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
