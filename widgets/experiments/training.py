"""Training a character model on text that comes with Python."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from widgets.inputs import as_module, as_tokens, whole_number

CHARACTERS = 96
NEWLINE = 95  # the 95 printable ASCII characters are 0 to 94
WARM_UP = 0.1  # of the steps; after it the learning rate falls in a straight line to nothing


def text() -> str:
    """The help topics that come with Python, every paragraph once.

    The topics quote one another at length: without this a held-out part would have been seen in training. The text
    differs a little between releases of Python.
    Source: pydoc_data.topics of the standard library.
    """
    from pydoc_data.topics import topics

    paragraphs = (paragraph for name in sorted(topics) for paragraph in topics[name].split("\n\n"))
    once = {" ".join(paragraph.split()): paragraph for paragraph in reversed(list(paragraphs))}
    return "\n\n".join(reversed(once.values()))


def encode(characters: str) -> Tensor:
    """One whole number for each printable ASCII character or newline; other characters are left out.

    -> (length,) int64, from 0 to 95
    """
    codes = torch.tensor([ord(each) for each in characters if each == "\n" or " " <= each <= "~"], dtype=torch.int64)
    return torch.where(codes == ord("\n"), NEWLINE, codes - ord(" "))


def decode(tokens: Tensor) -> str:
    """The characters again: the opposite of encode.

    tokens: (length,), whole numbers from 0 to 95
    Raises TypeError for what is no tensor of whole numbers, ValueError for other axes and other numbers.
    """
    tokens = as_tokens(tokens, 1, CHARACTERS)
    return "".join("\n" if token == NEWLINE else chr(token + ord(" ")) for token in tokens.tolist())


def split(tokens: Tensor, held_out: float = 0.1) -> tuple[Tensor, Tensor]:
    """The beginning, to train on, and the end, held out.

    tokens: (length,) -> two of these
    """
    cut = round(len(tokens) * (1 - held_out))
    return tokens[:cut], tokens[cut:]


def batches(tokens: Tensor, seed: int, size: int = 32, context: int = 64) -> Iterator[Tensor]:
    """Pieces of the text at random places, without end; the same seed gives the same pieces.

    tokens: (length,) -> (size, context + 1) each, the last column only to be predicted
    """
    generator = torch.Generator().manual_seed(seed)
    pieces = tokens.unfold(0, context + 1, 1)
    while True:
        yield pieces[torch.randint(len(pieces), (size,), generator=generator)]


def loss(model: nn.Module, piece: Tensor) -> Tensor:
    """Cross-entropy of the next character, in nats, averaged over every position.

    piece: (batch, context + 1) -> ()
    """
    return F.cross_entropy(model(piece[:, :-1]).flatten(0, 1), piece[:, 1:].flatten())


def train(model: nn.Module, pieces: Iterator[Tensor], steps: int, learning_rate: float) -> Iterator[float]:
    """AdamW, one step for each number taken from this iterator: the loss in nats before that step.

    The learning rate climbs for the first tenth of the steps, then falls in a straight line to zero.
    """
    optimiser = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0.0)
    for step in range(steps):
        climbing = (step + 1) / (WARM_UP * steps)
        falling = (steps - step) / ((1 - WARM_UP) * steps)
        for group in optimiser.param_groups:
            group["lr"] = learning_rate * min(climbing, falling, 1.0)
        value = loss(model, next(pieces))
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        yield value.item()


@torch.no_grad()
def held_out_loss(model: nn.Module, tokens: Tensor, context: int = 64) -> float:
    """The loss in nats over text that was not trained on, cut into pieces one after the other.

    tokens: (length,), more than context of them; what is left over at the end is not used
    Raises TypeError for what is no nn.Module, no tensor of whole numbers or no whole number, ValueError for other axes
    and numbers, and for too few of them.
    """
    model, context = as_module("the model", model), whole_number("context", context, most=4096)
    tokens = as_tokens(tokens, 1, CHARACTERS, least=context + 1)
    pieces = tokens.unfold(0, context + 1, context)
    sums = [loss(model, part).item() * len(part) for part in pieces.split(64)]
    return sum(sums) / len(pieces)
