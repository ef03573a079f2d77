"""Rows of conversations as the sequences that a model is trained on: token ids, and labels.

TRL would tokenize rows itself, by ``{% generation %}`` markers that few templates have, and with the line
break behind each reply in the loss. Here the code that checks rows for the certificate makes the sequences.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import TRL, ChatTemplate, MaskedTokens, own_template
from eops_traj.messages import Message
from eops_traj.train.length_filter import LENGTH, RowSize
from eops_traj.train.name_augmentation import IGNORED
from eops_traj.train.ranks import speaks
from eops_traj.train.rollout_template import find_variant

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import PreTrainedTokenizerBase

Row = Mapping[str, Any]

REPLIES = ("chosen", "rejected", "completion")
"""The columns that hold what a model is to say, or not to say, after the prompt."""


def messages_of(row: Row) -> list[Message]:
    """Return a row as one conversation."""
    return list(row["messages"] if "messages" in row else [*row["prompt"], *row["completion"]])


def row_sequences(row: Row, template: ChatTemplate) -> list[MaskedTokens]:
    """Return the sequences of a row; of one with a prompt, loss falls on the completion alone.

    Raises InputError where the template leaves out what the row has, or refuses it.
    """
    start = 0 if "messages" in row else len(row["prompt"])
    try:
        return template.sequences(messages_of(row), row.get("tools") or [], start)
    except InputError:
        raise
    except Exception as error:  # a template raises whatever its author chose
        raise InputError(f"the chat template refuses the conversation: {error}") from error


def measure_sequences(
    rows: Iterable[Row], tokenizer: "PreTrainedTokenizerBase", name: str
) -> Iterator[RowSize]:
    """Measure each row. Raises InputError, which names the model, for one that its template cannot render."""
    template = ChatTemplate.of(tokenizer, name)
    for number, row in enumerate(rows, 1):
        try:
            sequences = row_sequences(row, template)
        except InputError as error:
            raise InputError(f"{name}: row {number} cannot be trained on: {error}") from error
        longest = max((len(each.ids) for each in sequences), default=0)
        yield RowSize(longest, sum(sum(each.mask) for each in sequences), longest_reply(sequences))


def longest_reply(sequences: Iterable[MaskedTokens]) -> int:
    """Count the tokens of the longest run with loss: the longest reply that a model is to write."""
    longest = 0
    for sequence in sequences:
        run = 0
        for on in sequence.mask:
            run = run + 1 if on else 0
            longest = max(longest, run)
    return longest


def servable_rows(rows: Iterable[Row], tokenizer: "PreTrainedTokenizerBase") -> Iterator[Row]:
    """Yield rows of a prompt and replies, each once TRL would train its replies behind the prompt as served.

    TRL takes for the reply what is rendered of both and not of the prompt, and goes on where that leaves out
    a piece of the prompt. Raises InputError for a row where it would, or that the template cannot render.
    """
    template = ChatTemplate(tokenizer, own_template(tokenizer, "the model"))
    for number, row in enumerate(rows, 1):
        for side in REPLIES:
            if side in row and (why := template.unservable(row["prompt"], row[side], row.get("tools") or [])):
                raise InputError(f"row {number} cannot be trained on: {why}")
        yield row


def make_sequences(rows: "Dataset", tokenizer: "PreTrainedTokenizerBase", name: str) -> "Dataset":
    """Tokenize rows that fit: columns ``input_ids``, ``labels`` and ``length``, a row for each sequence.

    Prints what the chat template does to the rows besides.
    """
    from accelerate import PartialState

    template = ChatTemplate.of(tokenizer, name)
    with PartialState().main_process_first():  # the others read what it wrote into the cache
        sequences = rows.map(
            _labelled,
            batched=True,
            batch_size=100,
            fn_kwargs={"template": template},
            remove_columns=rows.column_names,
            desc="Tokenizing",
        )
    if speaks():
        for line in describe_sequences(rows, sequences[LENGTH], template):
            print(line, flush=True)
    return sequences


def _labelled(columns: Mapping[str, list[Any]], template: ChatTemplate) -> dict[str, list[Any]]:
    rows = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    sequences = [sequence for row in rows for sequence in row_sequences(row, template)]
    return {
        "input_ids": [each.ids for each in sequences],
        "labels": [labels_of(each) for each in sequences],
        LENGTH: [len(each.ids) for each in sequences],
    }


def labels_of(sequence: MaskedTokens) -> list[int]:
    """Return the tokens of a sequence that carry loss, and IGNORED for the others."""
    return [token if on else IGNORED for token, on in zip(sequence.ids, sequence.mask, strict=True)]


def describe_sequences(
    rows: "Sequence[Row] | Dataset", lengths: Sequence[int], template: ChatTemplate
) -> list[str]:
    """Return the sentences that a run prints about what its chat template does to the rows."""
    dropped = Counter(part for row in rows for part in template.abilities.dropped(messages_of(row)))
    lines = [
        f"chat template: it leaves out {part}, in {count} of {len(rows)} rows"
        for part, count in dropped.items()
    ]
    if len(lengths) > len(rows):
        lines.append(
            f"chat template: it writes earlier replies otherwise once others follow, so {len(rows)} rows are "
            f"trained as {len(lengths)} sequences of {sum(lengths)} tokens, each as the model would be served"
        )
        if variant := find_variant(template.tokenizer, template.text):
            lines.append(
                f"chat template: chat_template={TRL}{variant} keeps what was written, and rows whole"
            )
    return lines
