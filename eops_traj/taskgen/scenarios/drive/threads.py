"""Scenarios about what people said on a file: their own remarks, their own answers, whole threads."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    FILES,
    MEMBERS,
    find_drive,
    find_file,
    pick_managed_drive,
    say,
)
from eops_traj.taskgen.scenarios.drive.namesakes import SAME_THREADS, add_namesake
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Row, Scene

_COMMENT = """INSERT INTO comments (id, file_id, author_id, content, html_content, resolved,
    created_time, modified_time) VALUES (:id, :file, :author, :content, '<p>' || :content || '</p>',
    :resolved, :time, :time)"""
_REPLY = """INSERT INTO replies (id, comment_id, author_id, content, html_content, created_time,
    modified_time) VALUES (:id, :comment, :author, :content, '<p>' || :content || '</p>', :time, :time)"""
_QUIET = "NOT EXISTS (SELECT 1 FROM comments c WHERE c.file_id = f.id AND c.deleted IS NOT 1)"
_WRONG = (  # what was written, what was meant
    ("The total on page three should be 418.", "The total on page four should be 418."),
    ("This was agreed with the Sydney office.", "This was agreed with the London office."),
    ("The deadline moves to 12 February.", "The deadline moves to 19 February."),
    ("Please take the numbers of the third quarter.", "Please take the numbers of the fourth quarter."),
    ("The supplier signed on Monday.", "The supplier has not signed yet."),
    ("Only the Tokyo site is affected.", "Only the Mumbai site is affected."),
    ("Section five repeats section nine.", "Section six repeats section nine."),
    ("The owner of this step is Facilities.", "The owner of this step is the service desk."),
)
_ONCE = (
    "twice|two|no second|second one|second copy|second comment|second remark|second time|duplicate|only one"
    "|just one|single|not exactly|of yours|by you|from you|your own|wrote|someone else|somebody else|author"
    "|another person"
)
_OPEN = (
    "Is this still the agreed wording?", "Which office does this refer to?", "The source is missing here.",
    "Could we shorten this part?", "Who has signed this off?", "The figure differs from the report.",
    "Has this been checked by the controller?", "The link in this line is dead.",
)  # fmt: skip
_FATES = (
    "The new edition of January settles this.", "This was decided at the round on Friday.",
    "The responsible office has been asked, and the text follows its answer.",
    "This part is replaced in the next version.", "The head of the section takes this up in January.",
)  # fmt: skip


def _pick_file(s: Scene, *roles: str) -> tuple[Row, Row]:
    """Pick a caller who works in a drive, and a file of it that nobody has commented on."""
    drive = pick_managed_drive(s, *roles, where=f"EXISTS ({FILES.replace(':drive', 'd.id')} AND {_QUIET})")
    return drive, s.pick(f"{FILES} AND {_QUIET}", drive=drive["id"])


def _add_comment(s: Scene, file: Row, number: int, author: str, content: str, day: int, **more: int) -> str:
    """Put a comment on the file beforehand; return its id."""
    comment = f"01KDZZZZZZZZZZZZZZZZZZZCM{number}"
    s.arrange(_COMMENT, id=comment, file=file["id"], author=author, content=content,
              time=f"2025-12-{day:02d} 10:00:00", resolved=more.get("resolved", 0))  # fmt: skip
    return comment


def _find_thread(s: Scene, file: ResultRef, content: str) -> ResultRef:
    """Look up the one comment with this text."""
    comments = s.do("list_comments", "what was said on it", fileId=file["id"])
    same = comments["comments"].every(content=content)
    s.require(count(same), "==", 1, f'there is no comment "{content}"', names=("comment|remark", MISSING))
    return same[0]


@family("drive", perturbations=("missing_entity", "two_namesakes", "policy_forbids"))
def correct_remark(s: Scene) -> None:
    """Somebody's own comment says something wrong; it is put right, and the thread says so."""
    drive, file = _pick_file(s, "organizer", "fileOrganizer", "writer")
    wrong, right = s.rng.choice(_WRONG)
    other = s.pick(f"{MEMBERS} AND u.id <> :me", drive=drive["id"], me=s.caller["id"])
    comment = _add_comment(s, file, 1, s.caller["id"], wrong, s.rng.randrange(2, 19))
    note = s.rng.choice(("Corrected after a second look.", "The text above is right now.",
                         "My first version was wrong.", "Amended today."))  # fmt: skip
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("missing_entity", "UPDATE comments SET deleted = 1 WHERE id = :id", id=comment)
    s.perturb(
        "policy_forbids", "UPDATE comments SET author_id = :who WHERE id = :id", id=comment, who=other["id"]
    )
    add_namesake(s, file, alike=SAME_THREADS)
    s.ask(
        """In a comment on {file} ([drive {drive}|{drive} drive]) I wrote "{wrong}", which [is not true|is
        wrong]. Change it so that it reads "{right}", and reply in the thread: "{note}" """,
        """[My remark|The remark I made] "{wrong}" on {file} in {drive} has already [confused|misled] two
        readers. What I meant is "{right}", so the comment itself should say that, with the answer "{note}"
        below it.""",
        """When I [commented|left a note] on {file}, which lies in the {drive} drive, I got a detail wrong.
        Replace "{wrong}" by "{right}" in my comment, and [add the reply|answer it with] "{note}" for those
        who saw the old text.""",
        """"{right}" [is what my comment on {file} should have said|should stand in my comment on {file}]; at
        present, the one in the shared drive {drive} says "{wrong}". [Correct|Mend] it and put "{note}" as a
        reply underneath.""",
        """The meeting minutes [quote|cite] my comment on {file} ({drive}) word for word, and it is wrong:
        "{wrong}" must become "{right}" [So that nobody wonders|For the record], the thread gets the reply
        "{note}" as well.""",
        """[A colleague pointed out|I was told] that "{wrong}", my own comment on {file} in our {drive} drive,
        cannot be right. Edit it to "{right}" and say "{note}" in a reply[ to it|].""",
        file=file["name"], drive=drive["name"], wrong=wrong, right=right, note=note,
    )  # fmt: skip
    beside.say()
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file with the comment")
    found = _find_thread(s, record, wrong)
    mine = s.do("get_comments", "who wrote it", fileId=record["id"], commentId=found["id"])
    s.require(
        mine["author"]["me"],
        "==",
        True,
        "that comment is not yours, and others' words are not changed",
        names=("not yours|wrote|someone else|another|other|author|different person", "comment|remark"),
    )
    beside.look()
    s.do("update_comments", "what was meant", fileId=record["id"], commentId=found["id"], content=right)
    s.do("create_replies", "tell the readers", fileId=record["id"], commentId=found["id"], content=note)
    s.rule(
        "The comment says what was meant, and is its author's still",
        "SELECT COUNT(*) FROM comments WHERE file_id = :file AND content = :right AND author_id = :me",
        file=file["id"],
        right=right,
        me=s.caller["id"],
    )
    beside.write()


@family("drive", perturbations=("missing_entity", "policy_forbids", "two_namesakes"))
def tidy_answers(s: Scene) -> None:
    """Of somebody's own answers in a thread the first goes, and the latest gets another text."""
    drive, file = _pick_file(s, "organizer", "fileOrganizer", "writer")
    other = s.pick(f"{MEMBERS} AND u.id <> :me", drive=drive["id"], me=s.caller["id"])
    question, (wrong, right) = s.rng.choice(_OPEN), s.rng.choice(_WRONG)
    early = s.rng.choice(("I will look into it.", "Let me ask around first.", "Not sure, I have to check."))
    comment = _add_comment(s, file, 1, other["id"], question, 3)
    replies = [f"01KDZZZZZZZZZZZZZZZZZZZRP{n}" for n in range(3)]
    for n, (reply, text) in enumerate(zip(replies, (early, "Thank you for asking.", wrong), strict=True)):
        author = other["id"] if n == 1 else s.caller["id"]
        s.arrange(
            _REPLY,
            id=reply,
            comment=comment,
            author=author,
            content=text,
            time=f"2025-12-{5 + n:02d} 09:00:00",
        )
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("missing_entity", "UPDATE comments SET deleted = 1 WHERE id = :id", id=comment)
    s.perturb(
        "policy_forbids",
        "UPDATE replies SET author_id = :who WHERE comment_id = :id AND author_id = :me",
        id=comment,
        who=other["id"],
        me=s.caller["id"],
    )
    add_namesake(s, file, alike=SAME_THREADS)
    s.ask(
        """[Below|In the thread under] the comment "{question}" on {file} in {drive} there are two replies of
        mine. The older of them [is superseded|has no purpose any more] and can be deleted, while the newer
        one should read "{right}" instead.""",
        """{who} asked "{question}" on {file} ({drive} drive), and I answered twice. [Take out|Delete] the
        first of my answers, for it [says nothing|settled nothing], and let the last one be "{right}", which
        is what we know today.""",
        """On {file}, shared drive {drive}, the thread "{question}" [has become hard to follow|confuses
        people], partly because of me: my earliest reply can go, and my latest needs new words, namely
        "{right}" """,
        """What I said [last|most recently] under "{question}" on {file} in the {drive} drive was wrong; make
        it "{right}" The [first thing I replied|reply with which I began] there is of no use to anybody, so
        remove it.""",
        """"{right}" should [take the place|stand in the place] of my newest reply to "{question}", a comment
        on {file} in {drive}. My oldest reply in the same thread [is to be deleted|should vanish], because the
        matter has moved on since.""",
        """Two answers from me [stand|are found] in the thread that {who} opened with "{question}" on {file}
        ({drive}). [Keep|Leave] only the later one, with the text "{right}", and delete the earlier one.""",
        who=other["display_name"], file=file["name"], drive=drive["name"], question=question, right=right,
    )  # fmt: skip
    beside.say()
    s.indirect("the first and the latest of their own replies", hidden=[early, wrong])
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file with the thread")
    thread = _find_thread(s, record, question)
    replies_ref = s.do("list_replies", "who answered", fileId=record["id"], commentId=thread["id"])
    own = replies_ref["replies"].every(("author.me", "==", True))
    s.require(count(own), ">=", 2, "those replies are not yours, and others' words stay as they are",
              names=("not yours|wrote|someone else|another|other|author|none of", "repl|answer"))  # fmt: skip
    key = {"fileId": record["id"], "commentId": thread["id"]}
    latest = s.do("get_replies", "the latest", **key, replyId=own.largest("createdTime")["id"])
    beside.look()
    s.do("delete_replies", "it is superseded", **key, replyId=own.smallest("createdTime")["id"])
    s.do("update_replies", "what is known today", **key, replyId=latest["id"], content=right)
    s.rule("What others answered is still there",
           "SELECT COUNT(*) FROM replies WHERE comment_id = :id AND author_id = :who AND deleted IS NOT 1",
           id=comment, who=other["id"])  # fmt: skip
    beside.write()


@family("drive", perturbations=("missing_entity", "two_namesakes"))
def answer_all(s: Scene) -> None:
    """All open comments on a file get the same answer; those that are settled are left alone."""
    drive, file = _pick_file(s)
    people = s.pick_some(f"{MEMBERS} AND u.id <> :me", 2, drive=drive["id"], me=s.caller["id"])
    texts, fate = s.rng.sample(_OPEN, 3), s.rng.choice(_FATES)
    for n, text in enumerate(texts):
        _add_comment(s, file, n, people[n % 2]["id"], text, 4 + n, resolved=int(n == 2))
    described = s.chance(0.5)
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("missing_entity", "UPDATE comments SET resolved = 1 WHERE file_id = :file", file=file["id"])
    add_namesake(s, file, alike=SAME_THREADS)
    s.ask(
        """[Every open comment|All comments that are still open] on {file} in the {drive} drive should get the
        answer "{fate}" in its thread; what has been resolved needs none. {described}""",
        """The people who commented on {file} ({drive}) [are waiting for a reaction|have heard nothing so
        far]. Reply "{fate}" to each remark there that nobody has settled. {described}""",
        """"{fate}" is [the answer|what we have to say] to whatever is still open among the comments on
        {file}, shared drive {drive}; write it into each of those threads[, and into no other|].
        {described}""",
        """[Before the file is closed|Before we go on with it], nothing on {file} in {drive} may remain
        unanswered. To all unresolved comments reply with "{fate}", thread by thread. {described}""",
        """[Going by the list|According to our list] there are open remarks on {file}, a file in our {drive}
        drive. Each of them is answered by "{fate}", since one decision covers them all. {described}""",
        """One decision [takes care of|settles] all that was asked about {file} in the shared drive {drive}:
        "{fate}" Put it as a reply below every comment that has not been resolved. {described}""",
        file=file["name"],
        drive=drive["name"],
        fate=fate,
        described=say(s, '[Its description becomes|And describe the file as] "Remarks answered".')
        * described,
    )
    beside.say()
    s.covers("all open comments on a file")
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file with the comments")
    comments = s.do("list_comments", "what was said", fileId=record["id"])
    waiting = comments["comments"].every(("resolved", "!=", True))
    s.require(count(waiting), ">=", 1, f"there is no open comment on {file['name']}",
              names=("comment|remark|open", f"{MISSING}|no open|already|resolved|settled"))  # fmt: skip
    beside.look()
    s.do_each(waiting, "create_replies", "the answer, in each thread", fileId=record["id"],
              commentId=ROW["id"], content=fate)  # fmt: skip
    if described:
        s.do("update_files", "say that it was done", fileId=record["id"], description="Remarks answered")
    s.rule("What was settled before got no further answer",
           """SELECT COUNT(*) FROM replies r JOIN comments c ON c.id = r.comment_id WHERE c.file_id =
           :file AND c.content = :settled""", expected=0, file=file["id"], settled=texts[2])  # fmt: skip
    beside.write()


@family("drive", perturbations=("missing_entity", "policy_forbids"), ood=True)
def withdraw_twice_said(s: Scene) -> None:
    """A remark was sent twice; the later one of the two goes, and the first stays with its thread."""
    drive, file = _pick_file(s, "organizer", "fileOrganizer", "writer")
    other = s.pick(f"{MEMBERS} AND u.id <> :me", drive=drive["id"], me=s.caller["id"])
    text = s.rng.choice([pair[1] for pair in _WRONG])
    first = _add_comment(s, file, 1, s.caller["id"], text, 3)
    second = _add_comment(s, file, 2, s.caller["id"], text, 12)
    _add_comment(s, file, 3, other["id"], s.rng.choice(_OPEN), 8)
    note = s.rng.choice(_FATES)
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb(
        "missing_entity", "UPDATE comments SET deleted = 1 WHERE id IN (:one, :two)", one=first, two=second
    )
    s.perturb("policy_forbids", "UPDATE comments SET author_id = :who WHERE id IN (:one, :two)", one=first,
              two=second, who=other["id"])  # fmt: skip
    s.ask(
        """[By accident|By mistake] my comment "{text}" went out twice on {file} in the {drive} drive. The
        later one can be deleted; below the one that stays, reply "{note}" """,
        """On {file} ({drive}) you will find "{text}" two times, [both from me|both times written by me]. Keep
        the [earlier|older] one, which gets the reply "{note}", and delete the other.""",
        """[The network was slow|My screen froze] when I commented on {file}, so the shared drive {drive} now
        has "{text}" twice. Remove the second of these comments and [answer the first|put a reply under the
        first]: "{note}" """,
        """"{note}" belongs as a reply under my comment "{text}" on {file} in {drive}; since that comment
        [exists|is there] twice, use the first and [delete the one that came after it|take the later one
        out].""",
        """A reader [noticed|complained] that "{text}" appears twice among the comments on {file}, drive
        {drive}, each time under my name. [The newer one goes|Delete the newer one], and the older one gets a
        reply that says "{note}" """,
        """Twice the same [remark of mine|words from me], "{text}", is once too much for {file} in our {drive}
        drive: drop the more recent comment, and reply to the other one with "{note}" """,
        file=file["name"], drive=drive["name"], text=text, note=note,
    )  # fmt: skip
    beside.say()
    s.indirect("the later and the earlier of two equal comments")
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file with the comments")
    comments = s.do("list_comments", "what was said", fileId=record["id"])
    own = comments["comments"].every(("author.me", "==", True), content=text)
    s.require(
        count(own),
        ">=",
        2,
        "you have not said that twice on this file",
        names=("comment|remark|said", _ONCE),
    )
    beside.look()
    s.do("delete_comments", "once is enough", fileId=record["id"], commentId=own.largest("createdTime")["id"])
    s.do("create_replies", "what became of it", fileId=record["id"],
         commentId=own.smallest("createdTime")["id"], content=note)  # fmt: skip
    s.rule("The first of the two comments is the one that stands",
           "SELECT COUNT(*) FROM comments WHERE id = :id AND deleted IS NOT 1", id=first)  # fmt: skip
    beside.write()
