"""A perfect planner as an endpoint: it answers with the gold plan of the task it is asked about.

It keeps to the request's cap as any endpoint does: a plan of more tokens is cut there and ends as ``length``.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from eops_traj.schema import Task
from tests.endpoint import Answer, Endpoint, ReceivedRequest, completion, endpoint

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@contextmanager
def gold_endpoint(tasks: Sequence[Task], tokenizer: "PreTrainedTokenizerBase") -> Iterator[Endpoint]:
    """Serve the gold plans of tasks over HTTP; a task is known by its policy and its request."""
    plans = {(task.system_prompt.strip(), task.user_prompt): str(task.plan) for task in tasks}
    requests = sorted({task.user_prompt for task in tasks}, key=len, reverse=True)

    def answer(received: ReceivedRequest) -> Answer:
        messages = received.body["messages"]
        asked = next((request for request in requests if request in messages[-1]["content"]), None)
        if asked is None:  # the check before the start
            return Answer(completion("Yes."))
        plan = plans[messages[0]["content"].strip(), asked]
        return Answer(capped(plan, received.body["max_tokens"], tokenizer))

    with endpoint(answer) as served:
        yield served


def capped(text: str, cap: int, tokenizer: "PreTrainedTokenizerBase") -> dict[str, Any]:
    """Return the body of a reply that ends after so many tokens, the one that ends it among them."""
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    body = completion(text if len(ids) < cap else str(tokenizer.decode(ids[:cap])))
    body["usage"] = {"prompt_tokens": 1, "completion_tokens": min(len(ids) + 1, cap)}
    if len(ids) >= cap:
        body["choices"][0]["finish_reason"] = "length"
    return body
