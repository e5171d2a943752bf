"""Mistakes of any function, recognised by what it does rather than by a formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from widgets.checks.mistakes.diagnosis import Mistake

NOTHING_RETURNED = Mistake(
    "nothing returned",
    "Your function returned None: it computes, but no `return` hands the result over.",
    ("Python gives None when a function ends without `return`.", "End it with `return` and the result."),
)
PRINTED = Mistake(
    "printed instead of returned",
    "Your function prints its result and returns None; a caller can only use what is returned.",
    ("What appears on the screen is lost to the program.", "Put `return` where `print` is."),
)


def nothing_returned(printed: str) -> Mistake:
    """Why None came back, as far as what was printed tells."""
    return PRINTED if printed.strip() else NOTHING_RETURNED


NUMPY_RETURNED = Mistake(
    "numpy instead of torch",
    "Your function returned a numpy array; expected a tensor, so that gradients can pass through it.",
    ("Every step has a torch function of nearly the same name.", "Stay in torch from the argument to the result."),
)
INPUT_CHANGED = Mistake(
    "input changed in place",
    "Your code changes its input: whoever called it finds other numbers there afterwards, and a residual connection "
    "would add those.",
    (
        "Look for a method whose name ends in `_`, for `*=`, `+=`, `/=`, or for an assignment into `x[...]`.",
        "`x.float()` makes a copy of a float16 tensor, but of a float32 tensor it returns the same tensor.",
        "Write `x = x * scale` instead of `x *= scale`: the first makes a new tensor.",
    ),
    source="GeeeekExplorer/nano-vllm#170",
)
NOT_CAST_BACK = Mistake(
    "result not cast back",
    "The result has a dtype that your code has chosen, by `.float()` for instance or by a new tensor without a dtype; "
    "it should have that of the input.",
    (
        "Compare `x.dtype` with the dtype of your result for a bfloat16 input.",
        "Remember the dtype before you widen `x`, and end with `.to(dtype)`.",
    ),
    source="huggingface/transformers#30236",
)
DTYPE_WRITTEN_DOWN = Mistake(
    "dtype written down",
    "The result has a dtype that is neither x's nor the weight's; it should be that of x, whichever that is.",
    ("Look for `.half()`, `.bfloat16()`, `torch.float16` or `torch.bfloat16`.", "`.to(x.dtype)`"),
)
WEIGHT_WIDENS = Mistake(
    "dtype of the weight returned",
    "A half-precision x times a float32 weight is float32, and that is what comes back; it should be x's dtype. The "
    "weight of a new module is float32, so this happens as soon as x alone is bfloat16.",
    (
        "Which dtype has `x * weight` when x is bfloat16 and the weight float32?",
        "Cast back to x's dtype after the product, or cast the weight as well.",
    ),
    source="huggingface/transformers#30236",
)
NARROWED = Mistake(
    "float64 narrowed to float32",
    "float64 is computed in float32: right to seven digits, so `torch.autograd.gradcheck` fails.",
    (
        "What does `.float()` make of a float64 tensor?",
        "`torch.promote_types(x.dtype, torch.float32)` is float32 for half precision and float64 for float64.",
    ),
)
LEANS = Mistake(
    "leans on the default dtype",
    "A tensor is made without a dtype. It takes torch's default, which is float32 only until somebody changes it.",
    (
        "Look for `torch.zeros`, `torch.ones`, `torch.tensor` or `torch.empty` without a dtype.",
        "`torch.zeros_like(x)` has the dtype of x, and `x.new_zeros(...)` has it too.",
    ),
)
AUTOGRAD_USED = Mistake(
    "autograd used",
    "The gradients are right, and autograd has found them; the exercise asks for the two formulas.",
    (
        "Look for `torch.autograd.grad`, `.backward()` or `requires_grad_`.",
        "Differentiate x · weight / √(mean square + eps) on paper: x stands above and below the line.",
    ),
)
ROUNDED_TWICE = Mistake(
    "rounded twice",
    "A number on the way, the scale or its square, is rounded to bfloat16, and then the result once more.",
    ("Which of your tensors have x's dtype before the end?", "Stay in float32 until x has been divided by its scale."),
    source="vllm-project/vllm#42325",
)
HALF_LOADED = Mistake(
    "half of the joint matrix not loaded",
    "After loading, the rows of one of the two matrices are not in the joint matrix: that half holds other numbers.",
    ("Compare `gate_up_proj.weight` with what was saved, half by half.", "Both matrices go in, one below the other."),
)
GRADIENT_LOST = Mistake(
    "gradient lost",
    "The values are right, but no gradient reaches the input: training would leave everything before it unchanged.",
    (
        "Look for `.detach()`, `.data`, `.item()`, `torch.no_grad()`, numpy, or `torch.tensor(...)` of a result.",
        "Each of those takes the numbers and forgets where they came from. Or is there a `backward` of your own that "
        "returns None for it?",
    ),
)
REMEMBERS = Mistake(
    "state between calls",
    "The result depends on more than the arguments and the weights: something is remembered from one call to the next, "
    "or drawn at random.",
    (
        "Look for a global variable, a mutable default argument, an attribute set in `forward`, dropout, or "
        "`self.training`.",
    ),
)
WEIGHTS_SHARED = Mistake(
    "weights shared",
    "Two modules have one weight between them: training or loading one changes the other.",
    (
        "Where are the numbers made, and who else holds them? `nn.Parameter(t)` does not copy t.",
        "Make new tensors in each `__init__`, and no function there that remembers `self`.",
    ),
)
RESULT_REUSED = Mistake(
    "result overwritten later",
    "What you return is a tensor that your next call writes into again: whoever kept the first result finds other "
    "numbers in it.",
    ("Which tensor do you return, and who else holds it?", "Make a new tensor in each call."),
)
WEIGHTS_CHANGED = Mistake(
    "weights changed by a call",
    "A call changes the module itself: its weights have another dtype or other numbers afterwards.",
    (
        "`module.to(dtype)` and `weight.data = ...` act on the module, for good.",
        "Take a copy for this one call: `self.weight.to(x.dtype)`.",
    ),
)
WEIGHTS_KEPT = Mistake(
    "something kept between calls",
    "The module keeps something that it made in an earlier call: of the weights, which have changed since, or of an "
    "earlier x.",
    (
        "Look for an attribute that is set in `forward`, or that `__init__` makes from the weights.",
        "`torch.cat`, `.to(...)` and `.clone()` copy. Make the copy anew in each call, or leave it out.",
    ),
)
SETTINGS_CHANGED = Mistake(
    "global setting changed",
    "Your code changes {settings} for everybody; it was set back.",
    ("A function should compute its result and leave the rest of the program as it was.",),
)


def settings_changed(settings: Sequence[str]) -> Mistake:
    """Which settings were changed."""
    return replace(SETTINGS_CHANGED, sentence=SETTINGS_CHANGED.sentence.format(settings=" and ".join(settings)))


SUPER_FORGOTTEN = Mistake(
    "super().__init__() forgotten",
    "The module was not set up: `nn.Module` must be initialised before it can hold parameters.",
    ("Every subclass of `nn.Module` calls one method first.", "Begin `__init__` with `super().__init__()`."),
)
NOT_WHOLE = Mistake(
    "not a whole number",
    "A width counts rows of a matrix, so it is an int; yours has another type.",
    ("`/` always gives a float, `//` of two ints an int.", "End with `int(...)`, or use `//`."),
)
