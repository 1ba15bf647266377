"""Step 4: choose promises, and see at once whether this table can keep them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sfumato.catalogue import find, things
from sfumato.contracts.model import TableModel
from sfumato.contracts.thing import Thing
from sfumato.data.json import Json
from sfumato.data.messages import called, signs, tell
from sfumato.data.schema import Role
from sfumato.data.words import named
from sfumato.errors import BadRequest
from sfumato.verbs.advise import Proposal, advise, purpose_of
from sfumato.web.advisor import AUDIENCES, begun, fitting, offered, suggestion, used, uses
from sfumato.web.charts import bars
from sfumato.web.elements import Act, box, button, choice, drawing, entry, go, number, region, slider, text
from sfumato.web.fields import bounds, form, numeric_parameter
from sfumato.web.figures import breaking, counting_table
from sfumato.web.frame import Page, as_table, aside, card, foot, frame, next_card
from sfumato.web.project import Project, Spec

__all__ = ["draw", "gist", "sentence", "title"]

_TRIED = 9


# Promises that have a name in plain words; any other is called by its id.
_PLAIN = (
    "k-anonymity", "l-diversity-distinct", "l-diversity-entropy", "alpha-k-anonymity", "t-closeness", "population-uniqueness",
    "delta-presence", "confidence-bounding", "basic-beta-likeness",
)  # fmt: skip


def title(kind: type[Thing]) -> str:
    """Return how a promise is called in plain words; its id where nobody has found any."""
    if kind.id in _PLAIN:
        return tell(f"page.web.plain.{kind.id}")
    return called(f"title.{kind.id}", kind.id.replace("-", " ").capitalize())


def gist(kind: type[Thing]) -> str:
    """Return the first sentence of a thing."""
    return called(f"gist.model.{kind.id}", kind.summary()).replace("``", "")


def sentence(kind: type[Thing], spec: Mapping[str, object]) -> str:
    """Say what a promise promises, with its number where there are words for that."""
    if kind.id == "k-anonymity" and isinstance(spec.get("k"), int):
        return tell("page.web.promise.others_alike", others=int(str(spec["k"])) - 1)
    return gist(kind)


def draw(project: Project) -> None:
    """Draw the page."""
    with frame(project, "requirements") as page:
        offered = {"ids": _ids(project)}

        def redraw() -> None:
            for part in (asked, promised, beside):
                part()
            if _ids(project) != offered["ids"]:  # what else there is to promise is long, and stays where a slider moves
                offered["ids"] = _ids(project)
                more()

        def promises() -> None:
            specs = project.promises
            for at, (spec, broken) in enumerate(zip(specs, breaking(project, specs), strict=True)):
                _promise(page, at, spec, broken, redraw)

        def together() -> None:
            specs = project.promises
            counts = breaking(project, specs)
            _together(page, specs, counts, redraw)
            next_card(_advice(page, specs, redraw))

        with box("div", mark="promises"):
            asked = region(lambda: _questions(page, redraw))
            with box("div", "cols"):
                with box("div", "stack"):
                    promised = region(promises, "div", "two")
                    more = region(lambda: _more(page, redraw))
                with aside():
                    beside = region(together, "div", "stack")

        def search() -> None:
            project.place.done = [*dict.fromkeys([*project.place.done, "requirements"])]
            project.search()
            go("/search")

        foot(page, tell("page.web.onwards.requirements"), search)


def _ids(project: Project) -> list[Json]:
    return [one["id"] for one in project.promises]


def _put(
    page: Page,
    again: Act,
    specs: Sequence[Spec],
    limit: float | None = None,
    beside: Callable[[Spec], None] | None = None,
) -> None:
    def change(document: Spec) -> None:
        document["requirements"] = [dict(one) for one in specs]
        if limit is not None:
            document["limits"] = {"suppress_at_most": limit}
        if beside is not None:
            beside(document)

    page.project.edit(change)
    page.again()
    again()


def _questions(page: Page, again: Act) -> None:
    project = page.project
    audience = project.place.audience or "contract"
    use, column = used(project)
    given = suggestion(audience, use)
    proposal = advise(audience, use=use, column=column)  # type: ignore[arg-type]  # names of the file are those of the types

    def want(name: str) -> None:
        project.place.use, project.place.used = name, ""
        project.remember()
        again()

    def name_column(name: str) -> None:
        project.place.used = name
        project.remember()
        again()

    def ask(name: str) -> None:
        project.place.audience = name
        project.remember()
        again()

    def say_purpose(words: str) -> None:
        def change(document: Spec) -> None:
            document["purpose"] = words

        project.edit(change)

    def take() -> None:
        secret = next(iter(project.policy.of_role(Role.SENSITIVE)), None)
        distinct = 0 if secret is None else len(project.found.table.dictionary(secret))
        if use == "predict" and column is not None:
            project.place.predicted = column  # runs are compared by how well it is predicted
        _put(
            page,
            again,
            fitting(secret, given, distinct),
            given.suppress_at_most,
            partial(_serve, project, proposal.policy()),
        )

    with card(tell("page.web.ask.title"), tag=tell("page.web.ask.where")):
        with box("div", "three"):
            with box("div", "field"):
                text(tell("page.web.ask.who"))
                with box("div", "seg wide", role="group"):
                    for name in AUDIENCES:
                        on = name == audience
                        made = button(
                            tell(f"page.web.audience.{name}"), partial(ask, name), "on" if on else "", aria_pressed=on
                        )
                        made.classes(remove="btn")
            with box("div", "field"):
                text(tell("page.web.ask.what_for"))
                entry(str(project.document.get("purpose", "")), say_purpose, tell("page.web.ask.what_for"))
                known = {"": tell("page.web.ask.not_said")} | {
                    one: tell(f"page.web.use.{one}") for one in uses(project)
                }
                choice(known, use or "", want, tell("page.web.ask.how"), mark="use")
                names = {name: name for name in offered(project, use or "")}
                if names:
                    label = tell("page.web.ask.which_predict" if use == "predict" else "page.web.ask.which_link")
                    choice(names, column or "", name_column, label, mark="used")
            with box("div", "field"):
                text(tell("page.web.ask.known"))
                text(", ".join(project.policy.of_role(Role.QUASI_IDENTIFIER)), "p", "small")
        with box("p", "reading"):
            text(tell("page.web.ask.suggest", k=given.k, l=given.l, share=given.suppress_at_most), "b")
            text(f" {given.why} ")
            text(f"{given.source}.", "span", "small soft")
        if use is not None:
            _for_use(use, proposal)
        button(tell("page.web.ask.take"), take, "slim", mark="suggestion")


def _for_use(use: str, proposal: Proposal) -> None:
    """Say what follows from the use beside the numbers, why, and where that is from."""
    changes = [
        tell("page.web.ask.pseudonym", column=str(one.spec["column"]))
        if one.spec.get("pseudonym")
        else tell(
            "page.web.ask.becomes", column=str(one.spec["column"]), role=tell(f"page.web.role.{one.spec['role']}")
        )
        for one in proposal.columns
    ]
    changes += [
        tell("page.web.ask.search", algorithm=" · ".join(map(named, one.spec.values()))) for one in proposal.algorithm
    ]
    wanted = purpose_of(use)
    with box("p", "reading", mark="for-use"):
        if changes:
            text(f"{tell('page.web.ask.for_use', changes=', '.join(changes))} ", "b")
        text(f"{wanted.why} ")
        text(f"{wanted.source}.", "span", "small soft")


def _serve(project: Project, part: Mapping[str, Json], document: Spec) -> None:
    """Put into a policy what serves the use: what a column becomes, and the search."""
    columns, asked = project.columns(document), part.get("columns")
    for name, becomes in (asked if isinstance(asked, dict) else {}).items():
        given = dict(becomes) if isinstance(becomes, dict) else {}
        if given.get("role") == "target":
            for other in columns.values():  # a table has one target
                if other["role"] == "target":
                    other["role"] = "plain"
        if given.get("pseudonym"):
            given["pseudonym"] = {"key_file": str(project.pseudonym_key())}
        columns[name].update(given)
    if "algorithm" in part:
        document["algorithm"] = part["algorithm"]


def _promise(page: Page, at: int, spec: Spec, broken: int | str, again: Act) -> None:
    project = page.project
    kind = find(str(spec["id"]), "model", "table")
    limit = _limit(project)
    specs = project.promises

    def now() -> list[Spec]:
        """Return the promises as they are: another window may have changed them since this one was drawn."""
        held = project.promises
        if at >= len(held) or held[at]["id"] != spec["id"]:
            again()
            raise BadRequest(tell("page.web.promise.elsewhere"))
        return held

    def put(new: Spec) -> None:
        held = now()
        kept = {key: value for key, value in held[at].items() if key in new or key not in spec}
        changed = {key: value for key, value in new.items() if key not in spec or value != spec[key]}
        _put(page, again, [*held[:at], {**kept, **changed}, *held[at + 1 :]])

    def remove() -> None:
        held = now()
        _put(page, again, [*held[:at], *held[at + 1 :]])

    with card(title(kind), mark=f"promise-{at}"):
        if isinstance(broken, int):
            fits = broken <= limit
            words = tell("page.web.promise.breaks", count=broken)
            text(f"{'✓' if fits else '✕'} {words}", "span", f"tag {'good' if fits else 'bad'}")
        elif broken:
            text(broken, "p", "note warn small")
        text(sentence(kind, spec), "p")
        found = numeric_parameter(kind)
        if found is not None:
            name, rule, hint = found
            _slide(project, spec, name, bounds(rule, hint, spec.get(name)), put, rule.doc)
            if isinstance(broken, int):
                _effect(project, spec, name, bounds(rule, hint, spec.get(name)), limit)
        with box("details"):
            text(tell("page.web.promise.more"), "summary", "small")
            form(project, kind, spec, put, leave="" if found is None else found[0])
        shown = " · ".join([kind.id, *(f"{key}: {value}" for key, value in spec.items() if key != "id")])
        text(shown, "p", "tech")
        if len(specs) > 1:
            button(tell("page.web.promise.remove"), remove, "quiet slim")


def _slide(
    project: Project, spec: Spec, name: str, range_: tuple[float, float, float], put: Callable[[Spec], None], doc: str
) -> None:
    low, high, step = range_
    now = spec.get(name)
    value = float(now) if isinstance(now, int | float) else low

    def move(given: str) -> None:
        read = float(given.replace(",", "."))
        put({**spec, name: int(read) if step == 1 else read})

    with box("div", "slide"):
        text(signs(f"{low:g}"), "span", "soft small")
        slider(value, low, high, step, move, doc)
        text(signs(f"{high:g}"), "span", "soft small")
        number(int(value) if step == 1 else value, move, doc, step=step, mark=f"field-{name}")


def _effect(project: Project, spec: Spec, name: str, range_: tuple[float, float, float], limit: int) -> None:
    """Draw how many records would break the promise at neighbouring values of its number."""
    low, high, step = range_
    now = spec[name]
    if not isinstance(now, int | float):
        return
    if step == 1:
        fixed = [value for value in (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20) if low <= value <= high]
        values: list[float] = sorted({*fixed[: _TRIED - 1], int(now)})
    else:
        values = sorted(
            {*(round(low + (high - low) * at / (_TRIED - 2), 3) for at in range(1, _TRIED - 1)), float(now)}
        )
    counts = breaking(project, [{**spec, name: int(value) if step == 1 else value} for value in values])
    named = [(signs(f"{value:g}"), one) for value, one in zip(values, counts, strict=True) if isinstance(one, int)]
    if not named:
        return
    label = tell("page.web.promise.effect")
    drawing(bars(named, limit, signs(f"{now:g}"), label, tell("page.web.promise.limit", count=limit)), "bars")
    as_table([name, tell("page.web.table.records")], [(value, signs(f"{one:,}")) for value, one in named])
    _, run = counting_table(project)
    base = tell("page.web.promise.as_is") if run is None else tell("page.web.promise.with_run", number=run.number)
    text(base, "p", "small soft")


def _limit(project: Project) -> int:
    return int(project.policy.limits.suppress_at_most * project.found.table.rows)


def _more(page: Page, again: Act) -> None:
    """Offer every other promise that there is for tables, as the catalogue has it."""
    project = page.project
    secret = next(iter(project.policy.of_role(Role.SENSITIVE)), None)
    asked = _ids(project)
    kinds = [one for one in things("model", "table") if issubclass(one, TableModel) and one.id not in asked]
    kinds.sort(key=lambda one: one.id not in _PLAIN)  # those with a plain name first

    def add(kind: type[Thing]) -> None:
        _put(page, again, [*project.promises, begun(kind.id, secret)])

    with (
        card(tell("page.web.promise.others"), tag=tell("page.web.promise.count", count=len(kinds))),
        box("div", "more"),
    ):
        for kind in kinds:
            with box("div", "offer"):
                with box("div", "grow"):
                    with box("p"):
                        text(title(kind), "b")
                        text(f" {kind.id}", "span", "tech")
                    text(gist(kind), "p", "soft small")
                button(tell("page.web.promise.add"), partial(add, kind), "slim", mark=f"add-{kind.id}")


def _together(page: Page, specs: Sequence[Spec], counts: Sequence[int | str], again: Act) -> None:
    project, limit = page.project, _limit(page.project)
    known = [one for one in counts if isinstance(one, int)]
    _, run = counting_table(project)

    def allow(given: str) -> None:
        share = min(max(float(given.replace(",", ".")) / 100, 0.0), 1.0)
        _put(page, again, project.promises, share)

    with card(tell("page.web.promise.together")):
        if known:
            with box("p"):
                text(signs(f"{max(known):,}"), "span", "figure")
                text(f" {tell('page.web.promise.at_least_out')}", "span", "soft")
        with box("div", "field"):
            text(tell("page.web.promise.leave_out"))
            share = 100 * project.policy.limits.suppress_at_most
            with box("div", "slide"):
                slider(share, 0, 20, 0.5, allow, tell("page.web.promise.leave_out"))
                number(
                    round(share, 2), allow, tell("page.web.promise.leave_out"), min=0, max=100, step=0.5, mark="at-most"
                )
                text("%")
        if run is None:
            text(tell("page.web.promise.before_search"), "p", "note small")
        elif known and max(known) <= limit:
            text(f"✓ {tell('page.web.promise.can_be_met')}", "p", "note good small")
        elif known:
            text(f"✕ {tell('page.web.promise.cannot', count=max(known), limit=limit)}", "p", "note bad small")


def _advice(page: Page, specs: Sequence[Spec], again: Act) -> list[tuple[str, str, Act | None]]:
    project = page.project
    secret = next(iter(project.policy.of_role(Role.SENSITIVE)), None)
    about = [one for one in specs if secret is not None and secret in one.values()]
    if secret is not None and not about and len(project.found.table.dictionary(secret)) > 1:
        mixed: Spec = {"id": "l-diversity-distinct", "l": 2, "sensitive": secret}
        words = tell("page.web.promise.secret", column=secret)
        return [(words, tell("page.web.promise.mix"), lambda: _put(page, again, [*project.promises, mixed]))]
    return []
