"""The rungs by name, in the words in which a card shows them."""

from __future__ import annotations

from enum import StrEnum


class Rung(StrEnum):
    """What is tried; the ones of a tensor stand in the order in which they are climbed."""

    CALLABLE = "can be called"
    BUILT = "can be built"
    ALONE = "asks nobody at the keyboard"
    IN_TIME = "answers in time"
    RUNS = "runs without an error"
    TENSOR = "returns a tensor"
    SHAPE = "has the right shape"
    DTYPE = "keeps dtype and device"
    FINITE = "stays finite"
    INPUT = "leaves its input alone"
    VALUES = "has the right values"
    DIGITS = "keeps all digits of float64"
    ROUNDING = "rounds no more than it must"
    REPEATS = "answers the same a second time"
    FOLLOWS = "goes by its weights as they are"
    NO_GRAD = "does the same without gradients"
    DEFAULT = "does not lean on torch's default dtype"
    BY_HAND = "does without autograd"
    GRADIENT = "has the right gradient"
    NUMBER = "returns a number"
    WHOLE = "returns a whole number"
    YES_OR_NO = "returns True or False"
    WEIGHT = "has one parameter, `weight`, that starts at 1"
    START = "starts with hidden units that differ"
    LOADS_OWN = "loads what it saved itself"
    LOADS = "loads what SwiGLU saved"
    LOADS_BY_NAME = "loads each matrix by its name"
    LOADS_INSIDE = "loads as part of a model"
    GOOD = "accepts the good versions"
    OTHERS = "catches the others"
    AHEAD = "a look ahead"
    TIDY = "leaves the rest of the program alone"
    HANDLED = "can be checked"


OF_TENSORS = (Rung.RUNS, Rung.TENSOR, Rung.SHAPE, Rung.DTYPE, Rung.FINITE, Rung.INPUT, Rung.VALUES)
