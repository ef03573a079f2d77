"""Gold rollouts are real ones, measured in the tokens that training would see."""

from eops_traj.train.gold_rollouts import describe_gold, gold_lengths, gold_messages, spread
from eops_traj.train.judge import Judge
from eops_traj.train.rollout_env import acting_row, make_environments
from tests.collectors.group_tasks import TASK, TWIN
from tests.planner_data import planner_prompt, task_text
from tests.train.rollouts import reset_environment


def test_a_gold_rollout_passes_call_by_call() -> None:
    environments = [reset_environment(TASK), reset_environment(TWIN)]
    done, declined = (gold_messages(environment) for environment in environments)
    made = [message["tool_calls"][0]["function"]["name"] for message in done if "tool_calls" in message]
    assert made == [*TASK.tools[1::-1], *TASK.tools[2:]]
    assert "an inactive person cannot be put into a group" in declined[-1]["content"]
    assert Judge().rollouts([done, declined], [[], []], environments) == [1.0, 1.0]


def test_a_length_is_that_of_calls_and_answers_without_the_prompt() -> None:
    tokenizer = WordTokenizer()
    row = acting_row(planner_prompt(TASK), task_text(TASK))
    (length,) = gold_lengths([row], make_environments([TASK]), tokenizer, {})  # type: ignore[arg-type]
    messages = gold_messages(reset_environment(TASK))
    assert length == sum(len(str(message).split()) for message in messages)


class WordTokenizer:
    """A tokenizer of words, whose template is the messages' own text."""

    def apply_chat_template(self, messages: list[dict[str, str]], **_: object) -> str:
        return " ".join(map(str, messages))

    def __call__(self, text: str, **_: object) -> dict[str, list[str]]:
        return {"input_ids": text.split()}


def test_rows_are_spread_and_lengths_described() -> None:
    assert spread(list(range(10)), 4) == [0, 3, 6, 9] and spread([1, 2], 50) == [1, 2]
    assert describe_gold([100, 300, 200], 200) == (
        "gold rollouts: 2 of 3 fit into max_new_tokens 200 (median 200 tokens, longest 300)"
    )
