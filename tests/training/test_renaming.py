"""Rare tokens are exchanged in prompt and reply alike; all others stay."""

from typing import Any


def batch(rows: object) -> dict[str, Any]:
    import torch

    ids = torch.tensor([[1, 7, 8, 2, 7, 8], [1, 9, 9, 2, 9, 3]])
    return {"input_ids": ids.clone(), "labels": torch.where(torch.arange(6) < 3, -100, ids)}


def test_a_renamed_row_says_in_the_reply_what_its_prompt_says() -> None:
    from eops_traj.training.renaming import Renaming

    named = Renaming(batch, [7, 8, 9, 10, 11], share=1.0, seed=3)([])
    ids, labels = named["input_ids"], named["labels"]
    assert ids[:, 0].tolist() == [1, 1] and ids[:, 3].tolist() == [2, 2]
    assert ids[0, 1:3].tolist() == ids[0, 4:].tolist() == labels[0, 4:].tolist()
    assert set(ids[0, 1:3].tolist()) <= {7, 8, 9, 10, 11} and ids[1, 5] == 3
    assert (labels[:, :3] == -100).all()


def test_no_share_changes_nothing() -> None:
    import torch

    from eops_traj.training.renaming import Renaming

    assert torch.equal(Renaming(batch, [7, 8], share=0.0, seed=0)([])["input_ids"], batch([])["input_ids"])


def test_tokens_of_few_replies_are_rare() -> None:
    from eops_traj.loss_mask import Tokens
    from eops_traj.training.renaming import rare_tokens
    from tests.tokenizers import tokenizer as small_tokenizer

    tokenizer = small_tokenizer()
    common = Tokens(ids=[50, 51], mask=[0, 1])
    rare = rare_tokens([common] * 99 + [Tokens(ids=[52], mask=[1])], tokenizer)
    assert 51 not in rare and 50 in rare and 52 in rare
    assert not set(rare) & set(tokenizer.all_special_ids)
