"""How a block is wired, read from its own code: what each step is and where its inputs come from."""

from __future__ import annotations

from dataclasses import dataclass

from torch import fx, nn

from widgets.experiments.decoder import Attention

WORDS = {
    "input": "x: one vector per token",
    "relu": "ReLU",
    "silu": "Swish",
    "add": "add",
    "mul": "multiply",
}


@dataclass(frozen=True)
class Wire:
    """One step of a block: its name in the code, what it does, the names of the steps it takes, and its depth.

    part is the sub-layer the step belongs to, such as "feed_forward", or "" for the block itself; depth counts the
    steps on the longest way from the input, which has depth 0.
    """

    name: str
    operation: str
    inputs: tuple[str, ...]
    part: str
    depth: int

    @property
    def words(self) -> str:
        """What the step is called in pictures and texts."""
        if self.operation == "Linear":
            return self.name.removeprefix(self.part + "_")
        return WORDS.get(self.operation, self.operation)


class _Tracer(fx.Tracer):
    """Follows the calls down to torch's own modules and to Attention, which stays one step."""

    def is_leaf_module(self, module: nn.Module, name: str) -> bool:
        return isinstance(module, Attention) or super().is_leaf_module(module, name)


def wiring(block: nn.Module) -> list[Wire]:
    """The steps of a block in the order in which it computes them, found by tracing its forward.

    Raises ValueError for a block whose forward takes decisions by looking at numbers, which cannot be traced.
    """
    try:
        graph = _Tracer().trace(block)
    except Exception as problem:
        raise ValueError(f"Expected a block whose forward can be traced by torch.fx; got {problem}") from problem
    wires: dict[str, Wire] = {}
    for node in graph.nodes:
        if node.op == "output":
            continue
        inputs = tuple(str(each) for each in node.all_input_nodes)
        depth = 1 + max((wires[name].depth for name in inputs), default=-1)
        wires[node.name] = Wire(node.name, _operation(block, node), inputs, _part(node), depth)
    return list(wires.values())


def _operation(block: nn.Module, node: fx.Node) -> str:
    if node.op == "call_module":
        return type(block.get_submodule(node.target)).__name__
    if node.op == "placeholder":
        return "input"
    return node.target if isinstance(node.target, str) else node.target.__name__


def _part(node: fx.Node) -> str:
    """The outermost module below the block in whose forward the step was met, if it has steps inside."""
    paths = [path for path, _ in node.meta.get("nn_module_stack", {}).values() if path]
    if not paths or (node.op == "call_module" and paths[0] == node.target):
        return ""
    return paths[0]
