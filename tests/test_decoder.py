"""The decoder against torch's own block and transformers' Llama; its wiring and its diagram against the code."""

from __future__ import annotations

import pytest
import torch
from matplotlib.text import Text
from torch import nn

from widgets import decoder_block
from widgets.experiments.decoder import (
    Block,
    CharModel,
    GLUFeedForward,
    ReLUFeedForward,
    SwiGLUFeedForward,
    modern_block,
    old_block,
    parameter_count,
)
from widgets.experiments.wiring import wiring

D_MODEL, N_HEADS, D_FF = 8, 2, 20


def shaken(module: nn.Module, seed: int = 0) -> nn.Module:
    """The module in double precision, every parameter random, norms included."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in module.double().parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return module


def random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_old_block_is_torchs_own():
    """nn.TransformerEncoderLayer, norm first, with a causal mask and its linear biases at zero."""
    block = shaken(old_block(D_MODEL, N_HEADS, D_FF))
    oracle = nn.TransformerEncoderLayer(D_MODEL, N_HEADS, D_FF, 0.0, "relu", 1e-5, batch_first=True, norm_first=True)
    oracle.double()
    attention, theirs = block.attention, oracle.self_attn
    queries_keys_values = [getattr(attention, name).weight for name in ("q_proj", "k_proj", "v_proj")]
    weights = {
        theirs.in_proj_weight: torch.cat(queries_keys_values),
        theirs.out_proj.weight: attention.o_proj.weight,
        oracle.linear1.weight: block.feed_forward.up_proj.weight,
        oracle.linear2.weight: block.feed_forward.down_proj.weight,
    }
    for weight, ours in weights.items():
        weight.data = ours.data
    for bias in (theirs.in_proj_bias, theirs.out_proj.bias, oracle.linear1.bias, oracle.linear2.bias):
        bias.data.zero_()
    oracle.norm1.load_state_dict(block.attention_norm.state_dict())
    oracle.norm2.load_state_dict(block.ffn_norm.state_dict())
    x = random(2, 5, D_MODEL)
    mask = nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    torch.testing.assert_close(block(x), oracle(x, src_mask=mask))


def test_modern_block_is_llamas():
    """transformers' LlamaDecoderLayer, its rotary position encoding turned by no angle."""
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    config = llama.LlamaConfig(
        hidden_size=D_MODEL,
        intermediate_size=D_FF,
        num_attention_heads=N_HEADS,
        num_key_value_heads=N_HEADS,
        rms_norm_eps=1e-5,
        attn_implementation="sdpa",
    )
    block, oracle = shaken(modern_block(D_MODEL, N_HEADS, D_FF)), llama.LlamaDecoderLayer(config, 0).double().eval()
    names = {
        "attention_norm": "input_layernorm",
        "attention": "self_attn",
        "ffn_norm": "post_attention_layernorm",
        "feed_forward": "mlp",
    }
    for ours, theirs in names.items():
        getattr(oracle, theirs).load_state_dict(getattr(block, ours).state_dict())
    x = random(2, 5, D_MODEL)
    no_angle = (torch.ones(1, 5, D_MODEL // N_HEADS).double(), torch.zeros(1, 5, D_MODEL // N_HEADS).double())
    theirs = oracle(x, position_embeddings=no_angle)
    theirs = theirs[0] if isinstance(theirs, tuple) else theirs
    torch.testing.assert_close(block(x), theirs, atol=1e-4, rtol=1e-4)  # Llama's norm computes in float32


@pytest.mark.parametrize("make", [old_block, modern_block])
def test_no_position_sees_what_comes_after_it(make):
    block, x = shaken(make(D_MODEL, N_HEADS, D_FF)), random(2, 5, D_MODEL)
    other = x.clone()
    other[:, 3, 0] += 1.0  # one component: LayerNorm would not see a shift of all
    changed = (block(x) - block(other)).abs().amax(dim=(0, 2)) > 1e-9
    assert changed.tolist() == [False, False, False, True, True]


@pytest.mark.parametrize("norm", ["LayerNorm", "RMSNorm"])
@pytest.mark.parametrize("feed_forward", ["ReLU", "SwiGLU"])
def test_parameters_by_hand(norm, feed_forward):
    """96 characters and 64 places in and 96 out; two blocks of 4 + 8 d²; five norms with one or two vectors."""
    d = 96
    matrices = (96 + 64 + 96) * d + 2 * (4 + 8) * d * d
    assert parameter_count(CharModel(norm, feed_forward)) == matrices + 5 * d * (2 if norm == "LayerNorm" else 1)


def test_the_arms_differ_only_where_they_should():
    """Same seed, other norm: the same matrices. Other seed: others."""
    layer, rms, other = CharModel("LayerNorm"), CharModel("RMSNorm"), CharModel("RMSNorm", seed=1)
    theirs, others = dict(layer.named_parameters()), dict(other.named_parameters())
    for name, weight in rms.named_parameters():
        if weight.dim() == 2:
            assert torch.equal(weight, theirs[name])
            assert not torch.equal(weight, others[name])
    assert isinstance(layer.blocks[0].feed_forward, ReLUFeedForward)
    assert isinstance(CharModel(feed_forward="SwiGLU").blocks[1].feed_forward, SwiGLUFeedForward)


@pytest.mark.parametrize("wrong", [{"norm": "BatchNorm"}, {"feed_forward": "swiglu"}])
def test_unknown_parts_are_refused(wrong):
    with pytest.raises(ValueError, match=r"^Expected .+ or .+; got"):
        CharModel(**wrong)


def test_wiring_of_the_old_block():
    steps = {wire.name: (wire.operation, wire.inputs, wire.depth) for wire in wiring(old_block(D_MODEL, N_HEADS, D_FF))}
    assert steps == {
        "x": ("input", (), 0),
        "attention_norm": ("LayerNorm", ("x",), 1),
        "attention": ("Attention", ("attention_norm",), 2),
        "add": ("add", ("x", "attention"), 3),
        "ffn_norm": ("LayerNorm", ("add",), 4),
        "feed_forward_up_proj": ("Linear", ("ffn_norm",), 5),
        "relu": ("relu", ("feed_forward_up_proj",), 6),
        "feed_forward_down_proj": ("Linear", ("relu",), 7),
        "add_1": ("add", ("add", "feed_forward_down_proj"), 8),
    }


def test_wiring_of_the_modern_block():
    steps = {wire.name: wire for wire in wiring(modern_block(D_MODEL, N_HEADS, D_FF))}
    assert steps["silu"].inputs == ("feed_forward_gate_proj",)
    assert set(steps["mul"].inputs) == {"silu", "feed_forward_up_proj"}
    assert {wire.name for wire in steps.values() if wire.part == "feed_forward"} == {
        *("feed_forward_gate_proj", "silu", "feed_forward_up_proj", "mul", "feed_forward_down_proj"),
    }
    assert [wire.operation for wire in steps.values()].count("RMSNorm") == 2


class OwnNorm(nn.Module):
    """A norm as a learner writes it: several operations, no modules inside."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x / x.square().mean(-1, keepdim=True).sqrt() * self.weight


class Scaled(nn.Module):
    """A parameter used directly, a branch that leads nowhere, an argument that nobody needs to give."""

    def __init__(self) -> None:
        super().__init__()
        self.gain, self.up = nn.Parameter(torch.ones(D_MODEL)), nn.Linear(D_MODEL, D_MODEL)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        if mask is not None:
            x = x + mask
        x.sum()
        return self.up(x) * (2 * self.gain)


def test_a_learners_norm_is_one_step_by_its_name():
    block = Block(D_MODEL, N_HEADS, D_FF, OwnNorm, SwiGLUFeedForward)
    assert [wire.operation for wire in wiring(block)].count("OwnNorm") == 2
    assert len(wiring(block)) == len(wiring(modern_block(D_MODEL, N_HEADS, D_FF)))


class OwnSwish(SwiGLUFeedForward):
    """Swish as its formula reads."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = self.gate_proj(x)
        return self.down_proj(self.up_proj(x) * (torch.sigmoid(z) * z))


def test_a_learners_swish_is_known_as_swish():
    """z * sigmoid(z) is one step, and where it stands in the order is the only difference from ours."""
    ours = {(wire.operation, wire.depth) for wire in wiring(modern_block(D_MODEL, N_HEADS, D_FF))}
    theirs = wiring(Block(D_MODEL, N_HEADS, D_FF, nn.RMSNorm, OwnSwish))
    assert {(wire.operation, wire.depth) for wire in theirs} == ours
    (swish,) = (wire for wire in theirs if wire.operation == "silu")
    assert swish.inputs == ("feed_forward_gate_proj",)


def test_another_product_with_a_sigmoid_is_left_as_it_is():
    """As in a GLU: the gate is not multiplied with itself."""
    operations = [wire.operation for wire in wiring(Block(D_MODEL, N_HEADS, D_FF, nn.RMSNorm, GLUFeedForward))]
    assert "silu" not in operations and operations.count("sigmoid") == 1


def test_only_what_leads_from_the_input_to_the_result_is_a_step():
    steps = [(wire.words, wire.inputs, wire.depth) for wire in wiring(Scaled())]
    assert [words for words, _, _ in steps] == ["x: one vector per token", "up", "multiply"]
    assert [(len(inputs), depth) for _, inputs, depth in steps] == [(0, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize(
    ("forward", "words"),
    [
        (lambda self: torch.ones(3), "whose result comes from 0"),
        (lambda self, x: torch.ones(3), "whose result comes from 0"),
        (lambda self, x, y: x + y, "whose result comes from 2"),
        (lambda self, x: (x, x + 1), "that returns (x, add)"),
        (lambda self, x: None, "that returns None"),
        (lambda self, x: x if x.sum() > 0 else -x, "can be traced by torch.fx; got TraceError"),
        (lambda self, x: 1 / 0, "can be traced by torch.fx; got ZeroDivisionError"),
        (lambda self, x: sum((x for _ in range(60)), x), "at most 40 steps, which fit into a picture; got 61"),
        (
            lambda self, x: sum([x + n for n in range(8)]),
            "at most 7 steps side by side, which fit into a picture; got 8",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(forward, words):
    with pytest.raises(ValueError, match=r"^Expected a block ") as refused:
        wiring(type("Strange", (nn.Module,), {"forward": forward})())
    assert words in str(refused.value)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 200


class WithoutResidual(nn.Module):
    """A block in which somebody forgot to add."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.feed_forward = nn.RMSNorm(D_MODEL), ReLUFeedForward(D_MODEL, D_FF)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.feed_forward(self.norm(x))


class Undecided(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x


def words_of(explorer) -> list[str]:
    """Everything written in the picture."""
    return [text.get_text() for panel in explorer.picture.panels for text in panel.findobj(Text)]


def test_the_diagram_follows_the_code():
    """Boxes of a learner's own block, and no sum where the code has none."""
    words = words_of(decoder_block(WithoutResidual()))
    assert {"WithoutResidual", "RMSNorm", "up_proj", "ReLU", "down_proj"} <= set(words)
    assert "add" not in words
    assert words_of(decoder_block("old")).count("add") == 2


def test_the_places_that_change_are_marked_in_words():
    old, both = words_of(decoder_block()), words_of(decoder_block("old", "modern"))
    assert sum("change 1" in words for words in old) == 2
    assert sum("change 2" in words for words in old) == 1
    assert sum("change" in words for words in both) == 6
    assert repr(decoder_block("modern")).count("RMSNorm") == 2


@pytest.mark.parametrize(
    ("wrong", "error"), [("older", ValueError), (3, TypeError), (None, TypeError), (Undecided(), ValueError)]
)
def test_what_is_no_block_is_refused(wrong, error):
    with pytest.raises(error, match=r"^Expected .+; got "):
        decoder_block(wrong)
