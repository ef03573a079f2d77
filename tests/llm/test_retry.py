import asyncio

import pytest

from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.concurrency import AdaptiveLimiter
from eops_traj.llm.retry import LimitedChat, RetryingChat, RetryPolicy, Traffic
from eops_traj.schema import Turn

QUICK = RetryPolicy(failures=3, throttled=0.5, pause=0.001)


class Failing:
    """A chat that fails as told, and then replies."""

    model = "m"

    def __init__(self, *errors: EndpointError) -> None:
        self.errors, self.asked = list(errors), 0

    async def reply(self, request: Request) -> Turn:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return Turn(text="yes")

    async def close(self) -> None:
        pass


def asked(*errors: EndpointError) -> tuple[str, Failing, Traffic]:
    """What comes of a request to a chat that fails so."""
    chat, traffic = Failing(*errors), Traffic()
    patient = RetryingChat(LimitedChat(chat, AdaptiveLimiter(4), traffic), QUICK, traffic)
    try:
        return asyncio.run(patient.reply(Request([]))).text, chat, traffic
    except EndpointError as error:
        return str(error), chat, traffic


def fail(kind: str, retry_after: float | None = None) -> EndpointError:
    return EndpointError(kind, "no", retry_after)


@pytest.mark.parametrize("kind", ["timeout", "connection", "server", "garbled", "throttled"])
def test_what_may_pass_is_tried_again(kind: str):
    text, chat, traffic = asked(fail(kind), fail(kind))
    assert text == "yes" and chat.asked == traffic.requests == 3
    assert traffic.failures == {kind: 2}


@pytest.mark.parametrize("kind", ["auth", "request", "context"])
def test_what_would_fail_again_is_not(kind: str):
    text, chat, _ = asked(fail(kind))
    assert text == f"{kind}: no" and chat.asked == 1


def test_failures_are_tried_so_often():
    text, chat, _ = asked(*[fail("server")] * 9)
    assert text == "server: no" and chat.asked == 1 + QUICK.failures


def test_being_throttled_is_no_failure_and_is_waited_out():
    text, chat, traffic = asked(*[fail("throttled")] * 6)
    assert text == "yes" and chat.asked == 7 and traffic.throttled_seconds > 0


def test_retry_after_is_kept_to():
    text, _, traffic = asked(fail("throttled", 0.2))
    assert text == "yes" and traffic.throttled_seconds >= 0.2


def test_patience_ends():
    text, chat, _ = asked(fail("throttled", 60.0))
    assert text == "throttled: no" and chat.asked == 1


def test_traffic_adds_up():
    total, part = Traffic(), asked(fail("server"), fail("throttled"))[2]
    total.add(part)
    total.add(part)
    assert total.requests == 6 and total.failures == {"server": 2, "throttled": 2}
