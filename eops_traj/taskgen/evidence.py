"""Evidence of an infeasible task: in which replies the fact shows that forbids it.

Found by execution: the look-ups of the plan, and many others (`eops_traj.taskgen.probes`), run on the start
state and on that of the feasible twin. Where the replies differ, the difference shows the fact; it is written
down by the values that tell it, so that any other look-up that shows the same is as good.
"""

from collections.abc import Iterable, Mapping, Sequence

from eops_traj.gym.engine.changesets import RowChange
from eops_traj.hashing import canonical_json
from eops_traj.plan import Call
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.schema import ToolCall, json_of
from eops_traj.taskgen.identities import Fields, changed_row, other_bearers
from eops_traj.taskgen.reply_differences import Difference, Sight
from eops_traj.verify.shown_facts import ReadCall, holds, read_call

Way = list[Sight]

_MOST_WAYS = 40


PerturbedRow = tuple[str, RowChange]
"""The server, and the row that a perturbation changed there."""


def derive_evidence(
    rows: Sequence[PerturbedRow],
    own: Iterable[Call],
    others: Iterable[Call],
    here: EmbeddedSession,
    twin: EmbeddedSession,
    *,
    telling: frozenset[str] = frozenset(),
    namesakes: bool = False,
) -> list[Way]:
    """Derive the ways in which a look-up shows what these rows changed.

    ``own`` are the look-ups of the plan, ``others`` some to try besides; ``here`` and ``twin`` are sessions
    on the start states with and without the change. ``telling`` are the fields that the plan looks at: where
    a look-up shows one, others that follow from the change do not count. With ``namesakes`` every bearer of
    the name has to be seen.
    """
    changed = [changed_row(here.database(name), change) for name, change in rows]
    own = list(own)
    changes = rows if namesakes else ()
    bearers = [o for name, change in changes for o in other_bearers(here.database(name), change)]
    bearers = _visible(bearers, [read_call(_look(here, call)) for call in own])
    names = telling | {name for row in changed for name in row.now}
    ways: list[Way] = []
    for calls in (own, others):
        found: list[Way] = []
        for call in calls:
            before, after = (_look(session, call) for session in (twin, here))
            if before.result != after.result:
                difference = Difference(read_call(before), read_call(after), changed, telling)
                sights = difference.whole() if namesakes else difference.sights()
                found += ([*_same_of(bearers, sight), sight] for sight in sights)
        ways += _telling_ways(found, names) or (found if not ways else [])
    return _merged(ways)[:_MOST_WAYS]


def _visible(bearers: Sequence[list[Fields]], calls: Sequence[ReadCall]) -> list[list[Fields]]:
    """Return the bearers of a name that these look-ups show: others the caller may never see."""
    shown = [one.own | one.around for call in calls for one in call.shown]
    return [known for known in bearers if any(holds(one, fields) for one in shown for fields in known)]


def _same_of(bearers: Sequence[Sequence[Fields]], sight: Sight) -> list[Sight]:
    """Return the sights of the other bearers of a name."""
    return [{**sight, "of": [list(known)]} for known in bearers]


def _telling_ways(ways: Sequence[Way], telling: frozenset[str]) -> list[Way]:
    """Return the ways that show a telling field, or what is not there."""
    return [way for way in ways if not way[-1].get("says") or _names(way[-1]["says"]) & telling]


def _names(says: Mapping[str, str]) -> set[str]:
    return {name.rpartition(".")[2] for name in says}


def _merged(ways: Iterable[Way]) -> list[Way]:
    """Put ways into one that differ only in the object that says the same, or in the tool."""
    merged: dict[str, Way] = {}
    for way in ways:
        sight = way[-1]
        if len(way) == 1 and "lacks" in sight:
            same = merged.setdefault(canonical_json({**sight, "tools": []}), [{**sight, "tools": []}])
            same[0]["tools"] += [tool for tool in sight["tools"] if tool not in same[0]["tools"]]
        elif len(way) == 1 and len(sight["of"]) == 1:
            same = merged.setdefault(canonical_json({**sight, "of": []}), [{**sight, "of": [[]]}])
            same[0]["of"][0] += [fields for fields in sight["of"][0] if fields not in same[0]["of"][0]]
        else:
            merged[canonical_json(way)] = way
    return list(merged.values())


def _look(session: EmbeddedSession, call: Call) -> ToolCall:
    reply = session.call_tool(call.tool, call.arguments)
    arguments = json_of(call.arguments)
    return ToolCall(id="", name=call.tool, arguments=arguments, result=reply.text, is_error=reply.is_error)
