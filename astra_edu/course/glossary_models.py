"""The glossary's words of what today's models are made of."""

from __future__ import annotations

from astra_edu.course.word import Word, word

MODEL_WORDS = (
    word(
        "shared expert",
        "An MLP of a mixture of experts that every token goes through, besides those that a router chooses.",
    ),
    Word("top-k", "The k experts that a router scores highest for a token, which goes through these.", ("top-k",)),
    Word(
        "grouped-query attention",
        "Several heads of queries share one head of keys and values, so that less of these is computed, kept and sent. "
        "With one for all it is multi-query attention.",
        ("grouped-query attention", "multi-query attention"),
    ),
    Word(
        "MLA",
        "Multi-head latent attention: queries, keys and values of all heads are made from a few latent features of "
        "each token.",
        ("MLA", "latent attention"),
    ),
    Word(
        "FlashAttention",
        "Attention by tiles that stay on the chip: scores are never written; the backward pass computes them again.",
        ("FlashAttention",),
    ),
    Word(
        "SwiGLU",
        "A gated MLP: the first matrix gives two halves; one goes through an activation and multiplies the other.",
        ("SwiGLU", "GeGLU"),
    ),
    Word(
        "RMSNorm",
        "Normalisation by the root of the mean square alone, with gains and without biases.",
        ("RMSNorm",),
    ),
)
"""In the order in which they build on each other."""
