"""Fits the kind weights, and scores what is fitted on questions that the fit has not seen. Needs scikit-learn."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rapidfuzz import fuzz, process

from bot.cli.scoring import Labelled
from bot.language.intent import KindWeights
from bot.language.parser import Understanding
from bot.request import KINDS

FOLDS = 5
STRENGTH = 0.5
"""Inverse strength of the L2 penalty, chosen by cross-validation."""
RARE = 3
"""Words seen in fewer questions carry no weight; chosen by cross-validation, like STRENGTH."""
SMALLEST = 0.1
"""A feature whose weights are all smaller changes no answer and is not written."""
_SEED = 7


def available() -> bool:
    """Whether scikit-learn is installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return False
    return True


def fit(questions: Sequence[Labelled], understanding: Understanding) -> KindWeights:
    """Logistic regression on the features of `questions`; the weights of the intent."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    names = _without_rare_words([understanding.kind_features(q.text, q.turns_before) for q in questions])
    vectorizer = DictVectorizer()
    table = vectorizer.fit_transform([dict.fromkeys(each, 1.0) for each in names])
    model = LogisticRegression(C=STRENGTH, max_iter=4000)
    model.fit(table, [KINDS.index(q.kind) for q in questions])
    bias, rows = [-20.0] * len(KINDS), [[0.0] * len(KINDS) for _ in vectorizer.feature_names_]
    for position, kind in enumerate(model.classes_):
        bias[kind] = float(model.intercept_[position])
        for i, weight in enumerate(model.coef_[position]):
            rows[i][kind] = float(weight)
    return KindWeights(
        tuple(bias), {name: tuple(row) for name, row in zip(vectorizer.feature_names_, rows, strict=True)}
    )


def _without_rare_words(names: Sequence[list[str]]) -> list[list[str]]:
    """The features without words and pairs of words that hardly any question has: those only tell one question."""
    counts = Counter(name for each in names for name in each)
    return [[name for name in each if counts[name] >= RARE or not name.startswith(("w:", "p:"))] for each in names]


def as_csv(weights: KindWeights) -> str:
    """The text of data/kind_weights.csv."""
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    lines = [
        "# Fitted by `whichgpu eval --fit` on labelled questions, not written by hand: the weight of each feature for",
        "# each kind. The file grows stale when a cue is renamed; fit it anew then.",
    ]
    write(("feature", *KINDS))
    for name, row in (("bias", weights.bias), *weights.weights.items()):
        if name == "bias" or max(map(abs, row)) >= SMALLEST:
            write((name, *(f"{value:.2f}" for value in row)))
    return "\n".join(lines) + "\n" + text.getvalue()


def _folds(questions: Sequence[Labelled]) -> list[tuple[list[int], list[int]]]:
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=_SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a kind with fewer questions than folds
        pairs = splitter.split(questions, [q.kind for q in questions])
        return [(list(train), list(test)) for train, test in pairs]


def cross_validated(
    questions: Sequence[Labelled], also: Sequence[Labelled], understanding: Understanding
) -> dict[str, str]:
    """Kind of each question (by text) as understood with weights fitted without it; `also` is trained on always."""
    found: dict[str, str] = {}
    for train, test in _folds(questions):
        # A question that stands in two files must not be trained on and tested.
        held = {questions[i].text for i in test}
        seen = [q for q in (*also, *(questions[i] for i in train)) if q.text not in held]
        judge = understanding.with_weights(fit(seen, understanding))
        for i in test:
            found[questions[i].text] = judge.understand(questions[i].text, questions[i].turns_before).kind
    return found


def nearest_question(questions: Sequence[Labelled], also: Sequence[Labelled]) -> dict[str, str]:
    """Baseline: the kind of the most alike other question (rapidfuzz WRatio), leaving each one out."""
    pool = [*questions, *also]
    found = {}
    for i, question in enumerate(questions):
        texts = [q.text if k != i else None for k, q in enumerate(pool)]
        best = process.extractOne(question.text, texts, scorer=fuzz.WRatio)
        found[question.text] = pool[best[2]].kind if best else "ambiguous"
    return found


def linear_on_words(questions: Sequence[Labelled], also: Sequence[Labelled]) -> dict[str, str]:
    """Baseline: TF-IDF of words and character n-grams with a linear classifier, cross-validated on the same folds."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    found: dict[str, str] = {}
    for train, test in _folds(questions):
        seen = [*also, *(questions[i] for i in train)]
        model: Any = make_pipeline(
            make_union(
                TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
                TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True),
            ),
            LinearSVC(),
        )
        model.fit([q.text for q in seen], [q.kind for q in seen])
        for i, kind in zip(test, model.predict([questions[i].text for i in test]), strict=True):
            found[questions[i].text] = str(kind)
    return found


def accuracy(questions: Sequence[Labelled], kinds: dict[str, str]) -> float:
    """Share of questions whose kind is right."""
    return sum(kinds[q.text] == q.kind for q in questions) / len(questions) if questions else 0.0
