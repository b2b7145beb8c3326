"""Execute the example notebook and keep what its cells show: ``python -m docs.execute``.

Cells are plain Python, so that no kernel is needed, here or in the tests.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).with_name("example.ipynb")


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with its cells executed in order, in this process and folder."""
    done, scope, count = deepcopy(notebook), {"__name__": "__main__"}, 0
    for cell in done["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = _outputs("".join(cell["source"]), scope, count)
    return done


def _outputs(source: str, scope: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and what its last line is."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), scope)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), scope) if last else None
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {kind: _lines(text) for kind, text in _shown(value).items()}
        outputs.append({"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}})
    return outputs


def _shown(value: Any) -> dict[str, str]:
    if hasattr(value, "_repr_mimebundle_"):
        return dict(value._repr_mimebundle_())
    if hasattr(value, "_repr_html_"):
        markup = value._repr_html_()
        plain = str(value) if isinstance(value, str) else f"<{type(value).__name__}>"
        return {"text/html": markup, "text/plain": value.to_string() if hasattr(value, "to_string") else plain}
    return {"text/plain": repr(value)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Execute the notebook in an empty folder and write it back."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        done = executed(notebook)
    NOTEBOOK.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
