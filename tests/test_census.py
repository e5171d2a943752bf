"""The census of decoder families: the table against what is known, the script against models of a known kind."""

from __future__ import annotations

import csv

import pytest
import torch
from torch import nn

from tests.data import DATA
from tests.data import script as load_script
from widgets import decoder_census
from widgets.experiments.census import both_by_year, counts
from widgets.experiments.decoder import modern_block, old_block

# Read in the modelling files of transformers 5.24.0: norm, weight, eps, gate, activation, QK-norm.
KNOWN = {
    "llama": "RMSNorm, gain, 1e-06, yes, silu, no",
    "mistral": "RMSNorm, gain, 1e-06, yes, silu, no",
    "qwen2": "RMSNorm, gain, 1e-06, yes, silu, no",
    "qwen3": "RMSNorm, gain, 1e-06, yes, silu, yes",
    "qwen3_next": "RMSNorm, 1 + weight, 1e-06, yes, silu, yes",
    "gemma": "RMSNorm, 1 + weight, 1e-06, yes, gelu (tanh), no",
    "gemma2": "RMSNorm, 1 + weight, 1e-06, yes, gelu (tanh), no",
    "gemma3": "RMSNorm, 1 + weight, 1e-06, yes, gelu (tanh), yes",
    "olmo": "LayerNorm, none, 1e-05, yes, silu, no",
    "olmo2": "RMSNorm, gain, 1e-05, yes, silu, yes",
    "deepseek_v3": "RMSNorm, gain, 1e-06, yes, silu, no",
    "gpt_oss": "RMSNorm, gain, 1e-05, yes, silu, no",
    "glm4": "RMSNorm, gain, 1.5625e-07, yes, silu, no",
    "helium": "RMSNorm, gain, 1e-08, yes, silu, no",
    "cohere": "LayerNorm, gain, 1e-05, yes, silu, no",
    "nemotron": "LayerNorm, 1 + weight, 1e-05, no, relu2, no",
    "apertus": "RMSNorm, gain, 1e-05, no, xielu, yes",
    "gpt2": "LayerNorm, gain, 1e-05, no, gelu (tanh), no",
    "opt": "LayerNorm, gain, 1e-05, no, relu, no",
    "starcoder2": "LayerNorm, gain, 1e-05, no, gelu (tanh), no",
}


@pytest.fixture(scope="module")
def census() -> list[dict[str, str]]:
    with (DATA / "census.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def script():
    """lessons/data/census.py as a module."""
    return load_script("census")


def test_known_families(census):
    described = {row["family"]: ", ".join(list(row.values())[2:8]) for row in census}
    assert {family: described[family] for family in KNOWN} == KNOWN


def test_one_row_a_family_nothing_empty(census):
    assert len({row["family"] for row in census}) == len(census)
    assert [row["family"] for row in census] == sorted(row["family"] for row in census)
    for row in census:
        assert all(value for name, value in row.items() if name not in ("eps", "activation")), row
        assert bool(row["eps"]) == (row["norm"] != "L2 norm")


def test_shares_agree_with_a_count_of_words(census):
    """Counting words in 124 modelling files gave RMSNorm 82 %, gated 84 %, QK-norm 40 %.

    That count drew the line around decoders otherwise and took a norm that is written but switched off for present.
    """
    shares = {
        "rms": sum(row["norm"] == "RMSNorm" for row in census) / len(census),
        "gated": sum(row["gated"] == "yes" for row in census) / len(census),
        "qk": sum(row["qk_norm"] == "yes" for row in census) / len(census),
    }
    assert [shares["rms"], shares["gated"]] == pytest.approx([0.82, 0.84], abs=0.05)
    assert 0.30 < shares["qk"] < 0.40  # fewer: switched off by default in some families


@pytest.mark.full
@pytest.mark.parametrize("family", ["llama", "gemma", "olmo", "nemotron", "gpt2", "gpt_oss", "cpmant", "opt"])
def test_the_script_describes_a_family_as_shipped(script, census, family):
    transformers = pytest.importorskip("transformers")
    if transformers.__version__ != "5.24.0":
        pytest.skip("the table was made with transformers 5.24.0")
    shipped = next(row for row in census if row["family"] == family)
    model_class = getattr(transformers, shipped["model"])
    with torch.device("meta"):
        model = model_class(model_class.config_class(**script.NEEDED.get(family, {})))
    assert script.row(family, shipped["model"], model) == shipped


class OneMore(nn.Module):
    """Gemma's kind: the gain is 1 + weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * (1 + self.weight)


class Length(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(x, dim=-1)


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        (nn.LayerNorm(8), ("LayerNorm", "gain", "1e-05")),
        (nn.LayerNorm(8, eps=1e-6, bias=False), ("LayerNorm", "gain", "1e-06")),
        (nn.LayerNorm(8, elementwise_affine=False), ("LayerNorm", "none", "1e-05")),
        (nn.RMSNorm(8, eps=1e-8), ("RMSNorm", "gain", "1e-08")),
        (nn.RMSNorm(8, eps=1.5625e-7, elementwise_affine=False), ("RMSNorm", "none", "1.5625e-07")),
        (OneMore(), ("RMSNorm", "1 + weight", "1e-06")),
        (Length(), ("L2 norm", "none", "")),
    ],
)
def test_norms_are_known_by_what_they_do(script, norm, expected):
    assert script.tried(norm, 8) == expected


class Joint(nn.Module):
    """Gate and content in one matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.gate_up_proj, self.down_proj = nn.Linear(8, 40), nn.Linear(20, 8)


class Experts(nn.Module):
    def __init__(self, ups: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.zeros(4, ups * 20, 8))
        self.down = nn.Parameter(torch.zeros(4, 8, 20))


@pytest.mark.parametrize(
    ("model", "gated"),
    [
        (old_block(8, 2, 20), "no"),
        (modern_block(8, 2, 20), "yes"),
        (Joint(), "yes"),
        (Experts(2), "yes"),
        (Experts(1), "no"),
    ],
)
def test_gates_are_known_by_their_shapes(script, model, gated):
    assert script.gate_of(model, 8) == gated


@pytest.mark.parametrize(
    "model",
    [nn.Linear(8, 20), nn.Sequential(nn.Linear(8, 30), nn.Linear(20, 8)), nn.Sequential(nn.Linear(8, 20))],
    ids=["one layer", "two that do not fit", "one layer inside"],
)
def test_no_feed_forward_is_said(script, model):
    with pytest.raises(ValueError, match=r"^Expected a feed-forward network of hidden size 8; found none"):
        script.gate_of(model, 8)


# The years in which the models appeared, from their papers; the code may be some months older or younger.
APPEARED = {
    "gpt2": 2019,
    "opt": 2022,
    "bloom": 2022,
    "mistral": 2023,
    "gemma": 2024,
    "qwen2": 2024,
    "deepseek_v3": 2024,
}


def test_years(census):
    years = {row["family"]: int(row["year"]) for row in census}
    assert all(abs(years[family] - year) <= 1 for family, year in APPEARED.items())
    assert min(years.values()) == 2018 and max(years.values()) == 2026


def test_both_changes_by_year(census):
    """Every family in one year; the changes came with 2023 and are the rule from 2024 on."""
    found = both_by_year(census)
    assert list(found) == sorted(found)
    assert sum(count for _, count in found.values()) == len(census)
    assert sum(both for both, _ in found.values()) == counts(census)["both changes"]["RMSNorm and gated"]
    before, after = ([found[year] for year in found if (year < "2024") is early] for early in (True, False))
    shares = [sum(both for both, _ in part) / sum(count for _, count in part) for part in (before, after)]
    assert shares[0] < 0.25 and shares[1] > 0.8


def test_a_family_without_a_year_is_said(script, tmp_path, monkeypatch):
    transformers = pytest.importorskip("transformers")
    folder = tmp_path / "models" / "nobody"
    folder.mkdir(parents=True)
    for name in ("modeling_nobody.py", "configuration_nobody.py", "__init__.py"):
        (folder / name).write_text("# nothing here\n")
    monkeypatch.setattr(transformers, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(ValueError, match=r"^Expected a year in a copyright line of nobody; found none"):
        script.year_of("nobody")
    (folder / "configuration_nobody.py").write_text("# Copyright 2025 and 2026 Nobody\n")
    assert script.year_of("nobody") == "2025"


def test_the_chart_counts(census):
    """Its text against the table, counted again."""
    text = repr(decoder_census(census))
    both = sum(row["norm"] == "RMSNorm" and row["gated"] == "yes" for row in census)
    assert f"RMSNorm and gated {both}" in text
    assert f"gated {sum(row['gated'] == 'yes' for row in census)}, " in text
    assert f"1e−6 {sum(row['eps'] == '1e-06' and row['norm'] == 'RMSNorm' for row in census)}, " in text
