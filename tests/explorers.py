"""The explorers with sliders, by the names under which a lesson imports them, and how one is put where another is."""

EXPLORERS = (
    "overall_shift",
    "eps_effect",
    "norm_geometry",
    "activation_curves",
    "swish_beta",
    "gate_flow",
    "three_matrices",
    "parameter_ledger",
)


def put_alike(fresh, other) -> None:
    """Sets all controls of an explorer, but for boxes, as they stand in another one of its kind.

    Three times, since a list may move a slider, and a slider may empty a list.
    """
    for _ in range(3):
        for control in other.controls:
            if control["kind"] != "text":
                setattr(fresh, control["name"], getattr(other, control["name"]))
