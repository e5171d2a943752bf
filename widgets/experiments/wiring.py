"""How a block is wired, read from its own code: what each step is and where its inputs come from."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass, replace

from torch import fx, nn

from widgets.experiments.decoder import Attention
from widgets.inputs import shortened

MOST_STEPS, MOST_LANES = 40, 7  # in a block, and side by side

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
    steps on the longest way from the input, which has depth 0; own are the parameters that the step uses directly, by
    name, such as "weight".
    """

    name: str
    operation: str
    inputs: tuple[str, ...]
    part: str
    depth: int
    own: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What the step is called in pictures and texts."""
        if self.operation == "Linear":
            name = self.name.removeprefix(f"{self.part}_")
            return f"Linear {name}" if name.isdigit() else name
        return " ".join([WORDS.get(self.operation, self.operation), *self.own])


class _Tracer(fx.Tracer):
    """Follows the calls down to modules that hold no others, and to Attention, which stays one step.

    So a learner's own norm is one step with its class's name, as torch's is.
    """

    def is_leaf_module(self, module: nn.Module, name: str) -> bool:
        alone = next(module.children(), None) is None
        return alone or isinstance(module, Attention) or super().is_leaf_module(module, name)


def wiring(block: nn.Module) -> list[Wire]:
    """The steps of a block from its input to its result, in the order in which it computes them, found by tracing.

    Parameters that a step uses directly are part of the step; what does not come from the input is left out.
    Raises ValueError for a block that cannot be traced because its forward takes decisions by looking at numbers, for
    one that does not lead from one tensor to one tensor, and for more steps than can be drawn, in all or side by side.
    """
    wires: dict[str, Wire] = {}
    for node in _from_input_to_result(_traced(block)):
        inputs = tuple(str(each) for each in node.all_input_nodes if str(each) in wires)
        own = tuple(str(each.target).rpartition(".")[2] for each in node.all_input_nodes if each.op == "get_attr")
        wires[node.name] = Wire(node.name, _operation(block, node), inputs, _part(node), 0, own)
    wires = _with_depths(_with_swish(wires))
    if len(wires) > MOST_STEPS:
        raise ValueError(f"Expected a block of at most {MOST_STEPS} steps, which fit into a picture; got {len(wires)}.")
    lanes = max(Counter(wire.depth for wire in wires.values()).values())
    if lanes > MOST_LANES:
        raise ValueError(
            f"Expected a block of at most {MOST_LANES} steps side by side, which fit into a picture; got {lanes}."
        )
    return list(wires.values())


def _with_swish(wires: dict[str, Wire]) -> dict[str, Wire]:
    """The same with z * sigmoid(z) as one step, called silu as torch's own: so a learner's Swish is known as one."""
    for gate in [wire for wire in wires.values() if wire.operation == "sigmoid"]:
        users = [wire for wire in wires.values() if gate.name in wire.inputs]
        if len(users) == 1 and users[0].operation == "mul" and set(users[0].inputs) == {gate.name, *gate.inputs}:
            swish = replace(users[0], operation="silu", inputs=gate.inputs)
            wires = {name: wire for name, wire in wires.items() if wire is not gate} | {swish.name: swish}
    return wires


def _with_depths(wires: dict[str, Wire]) -> dict[str, Wire]:
    """The same with every depth: the steps on the longest way from the input."""
    counted: dict[str, Wire] = {}
    for name, wire in wires.items():
        counted[name] = replace(wire, depth=1 + max((counted[each].depth for each in wire.inputs), default=-1))
    return counted


def _traced(block: nn.Module) -> fx.Graph:
    """The block's graph; arguments that have a default keep it."""
    try:
        parameters = inspect.signature(block.forward).parameters.values()
        given = {each.name: each.default for each in parameters if each.default is not each.empty}
        return _Tracer().trace(block, concrete_args=given)
    except Exception as problem:  # whatever the learner's code, or torch.fx, raises
        why = f"{type(problem).__name__:.40}: {shortened(str(problem))}"
        raise ValueError(f"Expected a block whose forward can be traced by torch.fx; got {why}.") from problem


def _from_input_to_result(graph: fx.Graph) -> list[fx.Node]:
    """The nodes that come from the input and lead to the result, in order."""
    wanted = "Expected a block whose forward leads from one tensor to one tensor"
    *nodes, end = graph.nodes
    result = end.args[0]
    if not isinstance(result, fx.Node):
        raise ValueError(f"{wanted}; got one that returns {shortened(result)}.")
    leading = {result}
    for node in reversed(nodes):
        if leading & set(node.users):
            leading.add(node)
    coming = {node for node in leading if node.op == "placeholder"}
    if len(coming) != 1:
        raise ValueError(f"{wanted}; got one whose result comes from {len(coming)}.")
    for node in nodes:
        if coming & set(node.all_input_nodes):
            coming.add(node)
    return [node for node in nodes if node in leading and node in coming]


def _operation(block: nn.Module, node: fx.Node) -> str:
    if node.op == "call_module":
        return type(block.get_submodule(str(node.target))).__name__
    if node.op == "placeholder":
        return "input"
    if node.target is getattr:
        return str(node.args[1])
    return node.target if isinstance(node.target, str) else node.target.__name__


def _part(node: fx.Node) -> str:
    """The outermost module below the block in whose forward the step was met, if it has steps inside."""
    paths = [path for path, _ in node.meta.get("nn_module_stack", {}).values() if path]
    if not paths or (node.op == "call_module" and paths[0] == node.target):
        return ""
    return paths[0]
