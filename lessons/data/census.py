"""Makes census.csv: which norm and which feed-forward network the open decoder families use.

    pip install transformers==5.24.0
    python lessons/data/census.py                                about a minute, no weights, no download

One row for each modelling file of transformers that defines a decoder language model with attention. Every model is
built from the defaults of its own configuration class, on torch's meta device, where it takes no memory. Then nothing
is believed because of its name: a norm is copied to the CPU and tried on numbers, a feed-forward network is judged by
the shapes of its matrices. Only the activation and QK-norm are read from names.
"""

from __future__ import annotations

import copy
import csv
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

os.environ["HF_HUB_OFFLINE"] = "1"

FIELDS = ("family", "model", "norm", "weight", "eps", "gated", "activation", "qk_norm")
LEFT_OUT = {
    "no attention": ("mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"),
    "not a text decoder by itself": (
        *("git", "got_ocr2", "moss_transcribe_diarize", "moshi", "musicgen", "musicgen_melody", "trocr", "whisper"),
        *("gemma4_assistant", "gemma4_unified_assistant"),
    ),
    "first of all an encoder, or trained on permutations": ("bert_generation", "xlnet", "reformer"),
}
NEEDED = {  # what a configuration class leaves open and its model cannot do without
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "ministral": {"head_dim": 128},
    "nemotron": {"num_key_value_heads": 8},
}
ATTENTION = re.compile(r"attn|attention|mixer|mamba|conv|ssm|rotary|indexer|compressor", re.IGNORECASE)
QK_NORM = re.compile(r"(^|\.)(q|k|qk|query|key)_?(layer)?norm\b")


def families() -> Iterator[tuple[str, str, nn.Module]]:
    """Family, model class and the model itself, without memory for its weights."""
    import transformers
    from transformers import CONFIG_MAPPING
    from transformers.models.auto import modeling_auto as auto

    transformers.logging.set_verbosity_error()
    encoders = {**auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, **auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES}
    left_out = {family for names in LEFT_OUT.values() for family in names}
    done = set()
    for kind, name in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.items():
        model_class = getattr(transformers, name)
        family = model_class.__module__.split(".")[-2]
        if kind in encoders or family in done or family in left_out:
            continue
        try:
            with torch.device("meta"):
                model = model_class(CONFIG_MAPPING[kind](**NEEDED.get(kind, {})))
        except Exception as problem:
            print("not built:", kind, type(problem).__name__, str(problem)[:90])
            continue
        done.add(family)
        yield family, name, model


def row(family: str, name: str, model: nn.Module) -> dict[str, str]:
    """What one model is made of."""
    norm = usual_norm(model)
    kind, weight = tried(norm)
    config = model.config.get_text_config()
    gated = has_gate(model, getattr(config, "hidden_size", None) or config.n_embd)
    qk_norm = any(QK_NORM.search(path) for path, _ in model.named_modules())
    values = (family, name, kind, weight, eps_of(norm), gated, activation_of(config), "yes" if qk_norm else "no")
    return dict(zip(FIELDS, values, strict=True))


def usual_norm(model: nn.Module) -> nn.Module:
    """The norm that stands most often outside attention."""
    norms = [
        module
        for path, module in model.named_modules()
        if re.search(r"norm|(^|\.)ln_", path.lower() + type(module).__name__.lower())
        and not ATTENTION.sub("", path.lower().replace("attention_norm", "").replace("attention_layernorm", "")) == ""
        and not list(module.children())
        and "norm" in type(module).__name__.lower()
    ]
    counted = Counter(type(norm).__name__ for norm in norms)
    commonest = counted.most_common(1)[0][0]
    return next(norm for norm in norms if type(norm).__name__ == commonest)
