"""A draft that no answer could settle takes no place of a suite."""

from dataclasses import replace

import pytest

from eops_traj.taskgen.choices import Choice
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.slots import BuildResult, Job, draft_tasks
from eops_traj.taskgen.suites import Suite

(JOIN,) = (family for family in families(["csm"]) if family.name == "join_group")
JOB = Job(Suite("s", {"csm": 1}, unproven=("train",)), 3, "train", "csm", 1)


@pytest.mark.parametrize("figure", [0, 0.0, 1])
def test_a_figure_of_nought_is_not_asked_for(figure: float) -> None:
    """Who is asked how many there are says that there are none, and of which figure that is nobody knows."""

    def played(scene: Scene) -> None:
        JOIN.play(scene)
        scene.answer("how many there are", figure)

    def draft() -> None:
        draft_tasks(JOB, BuildResult(), Choice((replace(JOIN, play=played),)), 3, "draw")

    if figure:
        draft()
    else:
        with pytest.raises(NoMatch, match="is 0"):
            draft()
