"""Small wrong changes of a Python file, each of which a test should notice."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ORDER: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def _both_ways(*pairs: tuple[str, str]) -> dict[str, str]:
    return {one: other for pair in pairs for one, other in (pair, pair[::-1])}


#: Functions that are easily taken for each other.
FUNCTIONS = _both_ways(
    ("min", "max"), ("mean", "median"), ("nanmean", "nanmedian"), ("any", "all"), ("argmin", "argmax"),
    ("nanmin", "nanmax"), ("idxmin", "idxmax"), ("minimum", "maximum"), ("floor", "ceil"), ("head", "tail"),
    ("nsmallest", "nlargest"), ("ge", "gt"), ("le", "lt"), ("std", "var"), ("cdf", "sf"),
)  # fmt: skip
FUNCTIONS["sum"] = "max"
#: How much is rounding is known to its order of magnitude only, so smaller numbers than this one stay.
TOLERANCE = 1e-5
#: Functions whose answer is of the kind of their first argument: leaving the call out is a typical omission.
DROPPED = re.compile(
    r"^(abs|fabs|absolute|sqrt|sorted|reversed|round|clip|unique|dropna|adjusted?|corrected?|holm)$|adjust|correct"
)
#: Words that turn a sentence's meaning around.
WORDS = _both_ways(
    ("higher", "lower"), ("highest", "lowest"), ("more", "less"), ("most", "least"), ("above", "below"), ("up", "down"),
    ("rises", "falls"), ("raises", "lowers"), ("largest", "smallest"), ("positive", "negative"),
    ("increases", "decreases"),
    ("gain", "lose"), ("gains", "loses"), ("appear", "disappear"), ("better", "worse"), ("before", "after"),
    ("with", "without"), ("no", "every"), ("less than", "more than"), ("at least", "at most"), ("shown", "not shown"),
)  # fmt: skip
WORD = re.compile(rf"\b({'|'.join(sorted(map(re.escape, WORDS), key=len, reverse=True))}|not)\b")


@dataclass(frozen=True)
class Mutant:
    """One change: where it is, the statement before and after, and how to make it."""

    file: str
    function: str
    line: int
    kind: str
    before: str
    after: str
    number: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names it when lines have moved."""
        return self.file, self.function, self.before, self.after


def mutants(file: Path, root: Path) -> list[Mutant]:
    """All changes of a file, in its order."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = []
    for number, site in enumerate(_sites(tree)):
        before = _shown(site.statement)
        site.put(site.new)
        after = _shown(site.statement)
        site.put(site.old)
        if before != after:
            place = file.relative_to(root).as_posix()
            line = getattr(site.old, "lineno", site.statement.lineno)
            found.append(Mutant(place, site.function, line, site.kind, before, after, number))
    return found


def mutated(mutant: Mutant, root: Path) -> ast.Module:
    """The file's syntax tree with the change made."""
    tree = ast.parse((root / mutant.file).read_text(encoding="utf-8"))
    for number, site in enumerate(_sites(tree)):
        if number == mutant.number:
            site.put(site.new)
            return ast.fix_missing_locations(tree)
    raise LookupError(mutant)


@dataclass
class _Site:
    """A place in a tree: what stands there, what would stand there instead."""

    statement: ast.stmt
    function: str
    kind: str
    old: ast.AST
    new: ast.AST
    put: Callable[[ast.AST], None]


def _sites(tree: ast.Module) -> Iterator[_Site]:
    """Every change; nothing in types or in what only people read (docstrings, messages of errors, help)."""
    found: list[_Site] = []

    def visit(node: ast.AST, statement: ast.stmt | None, inside: tuple[str, ...]) -> None:
        if isinstance(node, (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)) or _is_seed(node):
            return
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if isinstance(node, ast.keyword) and node.arg in ("help", "label", "tip"):
            return
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            inside = (*inside, node.name)
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "bases", "ctx", "type_params"):
                continue
            children = value if isinstance(value, list) else [value]
            for index, child in enumerate(children):
                is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                if not isinstance(child, ast.AST) or is_docstring or _is_seed_default(node, field, index):
                    continue
                if statement is not None:
                    put = _setter(node, field, index if isinstance(value, list) else None)
                    for kind, new in _changes(child, node, field):
                        if _is_limit(child, statement, inside):
                            continue
                        found.append(_Site(statement, ".".join(inside), kind, child, new, put))
                visit(child, statement, inside)

    visit(tree, None, ())
    yield from found


def _is_limit(node: ast.AST, statement: ast.stmt, inside: tuple[str, ...]) -> bool:
    """A limit of a module (rows that are shown, sentences that are read) is as good one larger; a level is none."""
    is_setting = isinstance(statement, (ast.Assign, ast.AnnAssign)) and not inside
    return is_setting and isinstance(node, ast.Constant) and type(node.value) is int


def _is_seed(node: ast.AST) -> bool:
    """Another seed is no mistake; ``strict`` of a zip guards against states that tests cannot reach."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "default_rng":
        return True
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    named = getattr(node, "arg", "")
    return named in ("strict", "random_state") or "seed" in (named, *(name.lower() for name in names))


def _is_seed_default(node: ast.AST, field: str, index: int) -> bool:
    if not isinstance(node, ast.arguments) or field not in ("defaults", "kw_defaults"):
        return False
    named = node.kwonlyargs if field == "kw_defaults" else [*node.posonlyargs, *node.args][-len(node.defaults) :]
    return named[index].arg == "seed"


def _setter(node: ast.AST, field: str, index: int | None) -> Callable[[ast.AST], None]:
    def put(child: ast.AST) -> None:
        if index is None:
            setattr(node, field, child)
        else:
            getattr(node, field)[index] = child

    return put


def _changes(node: ast.AST, parent: ast.AST, field: str) -> Iterator[tuple[str, ast.AST]]:
    """What could stand in a node's place, each with the kind of the change."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for operator in ORDER[type(node.ops[0])]:
            yield "comparison", _with(node, ops=[operator()])
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _is_text(node):
        yield "arithmetic", _with(node, op=ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield "condition", _with(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not, ast.Invert)):
        yield "sign" if isinstance(node.op, ast.USub) else "condition", node.operand
    elif isinstance(node, ast.IfExp):
        yield "condition", _with(node, body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.Constant):
        yield from _constants(node, parent, field)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    is_condition = (isinstance(parent, ast.If) and field == "test") or field == "ifs"
    if is_condition and not isinstance(node, (ast.Compare, ast.UnaryOp)):
        yield "condition", ast.UnaryOp(ast.Not(), node)


def _constants(node: ast.Constant, parent: ast.AST, field: str) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", _with(node, value=not value)
    elif isinstance(value, int):
        yield "constant", _with(node, value=value + 1)
    elif isinstance(value, float) and not 0 < abs(value) < TOLERANCE:
        yield "constant", _with(node, value=value * 2 or 1.0)
    elif isinstance(value, str) and " " in value.strip() and not isinstance(parent, ast.Subscript):
        for match in WORD.finditer(value):
            word = WORDS.get(match[0], "")
            yield "word", _with(node, value=value[: match.start()] + word + value[match.end() :])


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if other := FUNCTIONS.get(name):
        function = copy.copy(node.func)
        setattr(function, "attr" if isinstance(function, ast.Attribute) else "id", other)
        yield "function", _with(node, func=function)
    if DROPPED.search(name):
        of_method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
        kept = node.func.value if of_method else node.args[0] if node.args else None  # type: ignore[attr-defined]
        if kept is not None and not isinstance(kept, ast.Starred):
            yield "dropped call", kept
    plain = (ast.Name, ast.Attribute, ast.Subscript)
    if len(node.args) > 1 and all(isinstance(argument, plain) for argument in node.args[:2]):
        first, second, *rest = node.args
        if ast.dump(first) != ast.dump(second) and name not in (
            "isinstance",
            "getattr",
            "min",
            "max",
            "minimum",
            "maximum",
        ):
            yield "swapped arguments", _with(node, args=[second, first, *rest])


def _with(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    for field, value in fields.items():
        setattr(new, field, value)
    return new


def _is_module(node: ast.AST) -> bool:
    """Of ``np.abs(x)`` the first argument stays, of ``x.abs()`` what stands before the point."""
    return isinstance(node, ast.Name) and node.id in (
        "np",
        "pd",
        "math",
        "stats",
        "numpy",
        "pandas",
        "scores",
        "significance",
    )


def _is_text(node: ast.BinOp) -> bool:
    """Whether text is put together, or a type is written as ``int | None``."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str | None))
        for side in sides
    )


def _shown(statement: ast.stmt) -> str:
    """A statement on one line; of one with a body, its head."""
    text = ast.unparse(statement)
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.FunctionDef, ast.ClassDef, ast.Try)):
        text = text.partition(":\n")[0] + ":"
    return text
