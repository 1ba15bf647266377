"""Several views of one table: the worked examples of sections 8.1 and 8.2, through the join, the cells and the covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.contracts.run import Run
from sfumato.views import View, ViewSet
from sfumato.views.attack import ViewKnowledge
from sfumato.views.attacks import ViewJoinAttack
from sfumato.views.models import FDViewKAnonymity, SPViewKAnonymity

Open = Callable[..., Any]


def views_of(given: Any) -> ViewSet:
    """Return the view set of an example."""
    table = sfumato.from_rows(given["table"]["columns"], given["table"]["rows"])
    asked = [View.of(one["name"], one["project"], [tuple(each) for each in one["select"]]) for one in given["views"]]
    return ViewSet.of(table, asked)


def asked_of(given: Any) -> dict[str, Any]:
    return {"k": given["k"], "identifier": given["id_attr"], "sensitive": given["private_attr"]}


def test_two_views_joined_by_job(golden: Open) -> None:
    with golden("04-view-join-attack-1") as file:
        given = file.input
        views = ViewSet.of_answers(
            {name: sfumato.from_rows(one["columns"], one["rows"]) for name, one in given["views"].items()}
        )
        attack = ViewJoinAttack(on=tuple(given["join_on"]))
        join = attack.join(views)
        columns = file.expected["join"]["columns"]
        assert sorted(columns) == sorted(join.columns)
        file.compare(columns, "join", "columns")
        rows = [[row[join.columns.index(name)] for name in columns] for row in join.rows()]
        assert Counter(map(tuple, rows)) == Counter(map(tuple, file.expected["join"]["rows"]))
        order = file.expected["join"]["rows"]
        file.compare(sorted(rows, key=order.index), "join", "rows")
        groups = join.groups(given["qid"], [given["sensitive"]])
        file.compare([[*key, size] for key, size in groups.as_dict().items()], "group_sizes")
        file.compare(int(groups.sizes.min()), "min_group_size")
        histogram = groups.histograms[given["sensitive"]]
        best = []
        for at in range(len(groups)):
            value, count = max(histogram.row(at).items(), key=lambda one: one[1])
            best.append([*groups.key(at), value, count / int(groups.sizes[at])])
        file.compare(best, "max_confidence")
        alone = {
            f"{views.views[at].name}.{one.columns[0]}": {str(key[0]): size for key, size in one.as_dict().items()}
            for at, one in join.alone(given["qid"]).items()
        }
        file.compare(alone, "single_view_group_sizes")
        risk = sfumato.attack(views, attack, qid=given["qid"], sensitive=given["sensitive"])
        direct = attack.on_views(views, ViewKnowledge(known=tuple(given["qid"]), learn=(given["sensitive"],)), Run())
        assert risk.highest == direct.highest == 1.0
        assert risk.details["smallest"] == file.expected["min_group_size"]


def test_projections_link_a_lawyer(golden: Open) -> None:
    with golden("04-sp-view-kanon-check-1") as file:
        views = views_of(file.input)
        found = SPViewKAnonymity(**asked_of(file.input)).check(views)
        file.compare({name: list(cover) for name, cover in found.covers.items()}, "min_association_cover")
        file.compare(found.violates, "violates")
        file.compare(found.violating, "violating")


def test_selections_meet_in_one_cell(golden: Open) -> None:
    with golden("04-sp-view-kanon-check-2") as file:
        views = views_of(file.input)
        found = SPViewKAnonymity(**asked_of(file.input)).check(views)
        file.compare(found.violates, "violates")
        file.compare(found.violating, "violating")
        witnesses = {
            key: [cell.words() for cell in views.witnesses(*_fact(key))] for key in file.expected["fact_witness_cells"]
        }
        file.compare(witnesses, "fact_witness_cells")
        matrix = [
            [*("*" if one is None else one[0] for one in cell.sets), cell.words()]
            for cell in views.cells(["V4", "V3"], empty=True)
        ]
        file.compare(matrix, "v3_v4_cells")
        file.compare(file.expected["v3_v4_cells_legend"], "v3_v4_cells_legend")


def _fact(key: str) -> tuple[str, tuple[str]]:
    view, _, value = key.partition(":")
    return view, (value,)


def test_a_dependency_leaves_one_world(golden: Open) -> None:
    with golden("04-fd-view-kanon-check-1") as file:
        views = views_of(file.input)
        plain = SPViewKAnonymity(**asked_of(file.input)).check(views)
        file.compare(plain.violates, "without_fd", "violates")
        sizes = dict(zip(plain.covers.identifiers, plain.covers.sizes.tolist(), strict=True))
        file.compare(sizes, "without_fd", "min_association_cover_sizes")
        known = tuple(f"{', '.join(left)} -> {right}" for left, right in file.input["fds"])
        model = FDViewKAnonymity(**asked_of(file.input), dependencies=known)
        found = model.exact(views)
        assert found.covers is not None
        file.compare(found.violates, "with_fd", "violates")
        file.compare({name: list(one) for name, one in found.covers.items()}, "with_fd", "min_association_cover")
        file.compare(found.worlds, "with_fd", "possible_worlds")
        assert model.conservative(views).reported == ["Alice", "Brian", "Cathy"]
