"""The table of targets, as text."""

from collections.abc import Iterable

from l1kpca.bench.targets import Target


def table(targets: Iterable[Target]) -> str:
    """A Markdown table: case, what was measured, target, reached, met or not."""
    lines = ["| case | measure | target | reached | spread | |", "|---|---|---:|---:|---:|---|"]
    for target in targets:
        sense = "<=" if target.at_most else ">="
        met = "met" if target.met else "**not met**"
        spread = f"{target.spread:.0%}" if target.spread else ""
        lines.append(
            f"| {target.case} | {target.measure} | {sense} {target.bound:g}"
            f" | {target.reached:.2f} | {spread} | {met} |"
        )
    return "\n".join(lines)
