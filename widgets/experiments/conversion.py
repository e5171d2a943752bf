"""A model with LayerNorm turned into one with RMSNorm, exactly or carelessly.

LayerNorm(x) = RMSNorm(x − mean of x). So where every vector that enters a norm has mean 0 the two agree, and a vector
of the residual stream has mean 0 when everything that is ever added to it has.
"""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from widgets.experiments.decoder import CharModel, char_model

WRITERS = ("o_proj", "down_proj")  # the matrices whose output is added to the residual stream


class RMSNormWithBias(nn.RMSNorm):
    """RMSNorm, then a bias if there is one: what is left of LayerNorm when its mean is gone.

    x: (..., d) -> the same shape
    Source: Zhang & Sennrich 2019, eq. 5, keeps this bias.
    """

    def __init__(self, layer_norm: nn.LayerNorm) -> None:
        super().__init__(layer_norm.normalized_shape, eps=layer_norm.eps)
        self.weight, self.bias = layer_norm.weight, layer_norm.bias

    def forward(self, x: Tensor) -> Tensor:
        normalised = super().forward(x)
        return normalised if self.bias is None else normalised + self.bias


def centre_writers(model: CharModel) -> CharModel:
    """A copy in which everything that is added to the residual stream has mean 0: the embeddings and the writers.

    The logits stay what they were, because a LayerNorm does not see what was taken away.
    Raises TypeError for what is no CharModel.
    Source: Jiang et al. 2023 (Pre-RMSNorm and Pre-CRMSNorm Transformers), section 3.
    """
    model = copy.deepcopy(char_model(model))
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding):  # (number of tokens or positions, d_model)
            module.weight.data -= module.weight.data.mean(dim=1, keepdim=True)
        elif name.endswith(WRITERS):  # (d_model, number of inputs)
            module.weight.data -= module.weight.data.mean(dim=0, keepdim=True)
    return model


def swap_norms(model: CharModel) -> CharModel:
    """A copy in which RMSNorm stands where LayerNorm stood, with the same gain, bias and eps.

    Raises TypeError for what is no CharModel.
    """
    model = copy.deepcopy(char_model(model))
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.LayerNorm):
                setattr(module, name, RMSNormWithBias(child))
    return model


@torch.no_grad()
def mean_shares(model: CharModel, tokens: Tensor) -> list[float]:
    """How much of a vector is its mean where it enters each norm: mean² over mean square, averaged over the tokens.

    tokens: (batch, length) -> one number between 0 and 1 for each norm, in the order in which they are used
    Raises TypeError for what is no CharModel or no tensor of whole numbers, ValueError for tokens that it cannot take.
    """
    shares: list[float] = []

    def note(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        (x,) = inputs
        shares.append((x.mean(-1).square() / x.square().mean(-1)).mean().item())

    norms = [module for module in char_model(model).modules() if isinstance(module, nn.LayerNorm | nn.RMSNorm)]
    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    try:
        model(tokens)
    finally:
        for hook in hooks:
            hook.remove()
    return shares
