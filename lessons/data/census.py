"""Makes census.csv: which norm and which feed-forward network the open decoder families use.

    pip install transformers==5.24.0
    python lessons/data/census.py                                about a minute, no weights, no download

One row for each modelling file of transformers that defines a decoder language model with attention. Every model is
built from the defaults of its own configuration class, on torch's meta device, where it takes no memory. Then nothing
is believed because of its name: a norm is copied to the CPU and tried on numbers, a feed-forward network is judged by
the shapes of its matrices. Only the activation and QK-norm are read from names, and the year from the copyright line
of the family's files: when its code was written, which may be some months from when the model appeared.
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
from torch import nn

os.environ["HF_HUB_OFFLINE"] = "1"

FIELDS = ("family", "model", "norm", "weight", "eps", "gated", "activation", "qk_norm", "year")
LEFT_OUT = {
    "no attention": ("mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"),
    "part of a larger model": (
        *("fuyu", "git", "moshi", "phi4_multimodal", "musicgen", "musicgen_melody", "trocr", "whisper"),
        *("gemma4_assistant", "gemma4_unified_assistant"),
    ),
    "an encoder first, or trained on permutations": ("bert_generation", "xlnet", "reformer"),
}
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
NEEDED = {  # what a configuration class leaves open and its model cannot do without
    "cohere_compass": {"rope_parameters": {"full_attention": ROPE, "sliding_attention": ROPE}},
    "dbrx": {"attn_config": {"rope_theta": 10000.0}},
    "dots1": {"n_routed_experts": 8, "n_shared_experts": 1},
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 16},
    "ministral": {"head_dim": 128},
    "nemotron": {"num_key_value_heads": 8},
    "qwen4_exp": {
        **{"indexer_budget": 2048, "indexer_compress_ratio": 16},
        **{"indexer_n_heads": 4, "indexer_kv_heads": 1, "indexer_head_dim": 256},
    },
}
ATTENTION = re.compile(r"attn|attention|mamba|conv|ssm|rotary|indexer|compressor", re.IGNORECASE)
QK_NORM = re.compile(r"(^|\.)(q|k|qk|query|key)_?(layer)?norm\b")


def families() -> Iterator[tuple[str, str, nn.Module]]:
    """Family, model class and the model itself, without memory for its weights."""
    import transformers
    from transformers.models.auto import modeling_auto as auto

    transformers.logging.set_verbosity_error()
    encoders = {**auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, **auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES}
    done = {family for names in LEFT_OUT.values() for family in names}
    for kind, name in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.items():
        model_class = getattr(transformers, name)
        family = model_class.__module__.split(".")[-2]
        if kind in encoders or family in done or name.endswith("ForConditionalGeneration"):
            continue
        done.add(family)
        with torch.device("meta"):
            model = model_class(model_class.config_class(**NEEDED.get(family, {})))
        yield family, name, model


def row(family: str, name: str, model: nn.Module) -> dict[str, str]:
    """What one model is made of."""
    norm = usual_norm(model)
    config = model.config
    width = next((weight.shape[-1] for weight in norm.parameters()), getattr(config, "hidden_size", None))
    hidden = getattr(config, "hidden_size", width)
    qk_norm = any(QK_NORM.search(path) and "indexer" not in path for path, _ in model.named_modules())
    described = (*tried(norm, width), gate_of(model, hidden), activation_of(config), "yes" if qk_norm else "no")
    return dict(zip(FIELDS, (family, name, *described, year_of(family)), strict=True))


def usual_norm(model: nn.Module) -> nn.Module:
    """The norm that stands most often in the blocks, outside attention."""
    norms = [
        module
        for path, module in model.named_modules()
        if "norm" in type(module).__name__.lower()
        and not list(module.children())
        and not ATTENTION.search(path.rpartition(".")[0])
    ]
    commonest = Counter(map(type, norms)).most_common(1)[0][0]
    return next(norm for norm in norms if type(norm) is commonest)


def tried(norm: nn.Module, width: int) -> tuple[str, str, str]:
    """What the norm does to numbers, how its weight enters ("gain", "1 + weight" or "none"), and its eps."""
    norm = copy.deepcopy(norm).to_empty(device="cpu").float()
    x = torch.randn(1, 5, width, generator=torch.Generator().manual_seed(0))
    x = x - x.mean(-1, keepdim=True)
    weight = "none" if not list(norm.parameters()) else "1 + weight" if _with_weight(norm, 0.0)(x).any() else "gain"
    plain = _with_weight(norm, 0.0 if weight == "1 + weight" else 1.0)
    if torch.allclose(plain(x), x / x.square().sum(-1, keepdim=True).sqrt(), atol=1e-3):
        return "L2 norm", weight, ""
    kind = "LayerNorm" if torch.allclose(plain(x + 3.0), plain(x), atol=1e-3) else "RMSNorm"
    tiny = 1e-6 * x
    shrunk = plain(tiny).square().mean() / tiny.square().mean()  # 1 / (mean square + eps)
    return kind, weight, f"{(1 / shrunk - tiny.square().mean()).item():.5g}"


def _with_weight(norm: nn.Module, value: float) -> nn.Module:
    """The same norm with its weight filled and its bias, where there is one, zero."""
    for name, parameter in norm.named_parameters():
        parameter.data.fill_(0.0 if "bias" in name else value)
    return norm


def gate_of(model: nn.Module, hidden: int) -> str:
    """Whether the widest feed-forward network of the model has a gate.

    Judged by shapes, at every module outside attention. Matrices have the hidden size on one side; the other sides are
    d_ff, d_ff without a gate, d_ff, d_ff, d_ff with one, and 2 d_ff, d_ff where gate and content are one matrix.
    """
    widest, gated = 0, ""
    for path, module in model.named_modules():
        if ATTENTION.search(path):
            continue
        experts = [parameter.shape for parameter in module.parameters(recurse=False) if parameter.dim() == 3]
        for shapes in (experts, list(_shapes(module, 1)), list(_shapes(module, 2))):
            up = [a for *_, a, b in shapes if b == hidden]
            down = [b for *_, a, b in shapes if a == hidden != b]
            widths = sorted(down + up)
            if not widths or widths[0] <= widest:
                continue
            if (len(widths) == 3 and len(set(widths)) == 1) or (len(widths) == 2 and widths[1] == 2 * widths[0]):
                widest, gated = widths[0], "yes"
            elif len(down) == len(up) == 1 and down == up:
                widest, gated = widths[0], "no"
    if not gated:
        raise ValueError(f"Expected a feed-forward network of hidden size {hidden}; found none")
    return gated


def _shapes(module: nn.Module, depth: int) -> Iterator[tuple[int, ...]]:
    """The shapes of the matrices, also of experts' stacked ones, in a module and so many levels below it."""
    yield from (parameter.shape for parameter in module.parameters(recurse=False) if parameter.dim() in (2, 3))
    for name, child in module.named_children():
        if depth and not ATTENTION.search(name):
            yield from _shapes(child, depth - 1)


def activation_of(config: object) -> str:
    """The activation that the configuration names, in one spelling."""
    names = ("hidden_activation", "hidden_act", "activation_function", "mlp_hidden_act", "activation", "afn")
    named = next((getattr(config, name) for name in names if getattr(config, name, None)), "")
    spelling = {
        "swish": "silu",
        "gelu_new": "gelu (tanh)",
        "gelu_fast": "gelu (tanh)",
        "gelu_pytorch_tanh": "gelu (tanh)",
    }
    return spelling.get(named, named)


def year_of(family: str) -> str:
    """The first year in a copyright line: of the modelling file, or else of the configuration or the package."""
    import transformers

    folder = Path(transformers.__file__).parent / "models" / family
    for name in (f"modeling_{family}.py", f"configuration_{family}.py", "__init__.py"):
        head = (folder / name).read_text(encoding="utf-8")[:2000]
        found = re.search(r"copyright[^\n]*?\b(20\d\d)\b", head, re.IGNORECASE)
        if found:
            return found[1]
    raise ValueError(f"Expected a year in a copyright line of {family}; found none")


def main() -> None:
    with Path(__file__).with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(sorted((row(*each) for each in families()), key=lambda each: each["family"]))


if __name__ == "__main__":
    main()
