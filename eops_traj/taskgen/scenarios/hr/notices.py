"""Scenarios about notifications that went wrong: they name another state, or reached the wrong person."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING
from eops_traj.taskgen.scenarios.hr.case_extras import ASKED, about, add_task, suggest_article
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEMOTE_CALLER,
    MANAGERS,
    PEOPLE,
    RENUMBER_CASE,
    UNIQUE_NAME,
    find_person,
    find_profile,
    full_name,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Row, Scene

_TOLD = """SELECT c.*, p.personal_email FROM hr_case c JOIN hr_profile p ON p.user_id = c.opened_for JOIN
    user u ON u.user_id = c.opened_for JOIN notification n ON n.hr_case_id = c.hr_case_id AND n.email =
    p.personal_email WHERE u.active"""


@family("hr", perturbations=("missing_entity", "out_of_scope", "no_right"))
def correct_notices(s: Scene) -> None:
    """All notifications of a case that name another state than the one it is in are corrected."""
    s.pick_caller(MANAGERS)
    row = s.pick(_TOLD + " AND c.status IN ('ready', 'work_in_progress', 'awaiting_approval', 'suspended')")
    s.arrange("UPDATE notification SET status = 'draft' WHERE hr_case_id = :case", case=row["hr_case_id"])
    more = besides(s, *about(row["number"], row, *ASKED, suggest_article, add_task))
    s.perturb("missing_entity", RENUMBER_CASE,
              number=row["number"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.covers("all notifications of the case with a wrong state")
    s.indirect("the state that the case is in")
    s.ask(
        """[Something went wrong with|There is a mistake in] the notifications about {number}: [some of them
        name|they name] a {what} that [is not right|cannot be right]. [Compare each with the case|Look each
        of them up], and [wherever it differs from|where it is not the same as] what the case itself [says
        now|says at present], [correct it|put it right]; [those that agree stay as they are|leave the rest
        as they are].""",
        """[A colleague in payroll noticed|We noticed] that what we sent about {number} [has the wrong
        {what}|carries a {what} that is wrong], [and the case knows better|while what counts is the case].
        Bring every notification of it [in line|into agreement] with the case, [as far as it is not
        yet|unless it agrees already], [so that the history can be trusted|because the history is read by
        auditors].""",
        """[The history of|What the history shows for] {number} [contradicts itself|does not fit together]:
        the case [says one thing|is one thing], its notifications another, [as far as the {what} is
        concerned|at least in the {what}]. [Correct all of those that deviate|All that deviate have to be
        corrected], and [send nothing new for it|no new message is needed], [since people were confused
        enough|as the employee has had enough mail from us].""",
        """[For|About] {number}, messages went out with [a wrong {what}|the wrong {what}], [by a fault of the
        system in December|which was a fault of the system]. [Set it right|Please set that right] in each
        [message concerned|of them], taking what [the case has now|stands in the case], [and do not touch what
        is right already|and leave the correct ones].""",
        """[Whoever reads|Somebody who reads] the messages about {number} gets [a wrong idea of it|the wrong
        impression], because the {what} [in them|that they give] is [not that of the case|another than the
        case's]. [Change that|That should be changed] in every one where [it is so|this is the case]; [the
        case itself is correct|what the case says is correct].""",
        """[During a test|In a test run before Christmas] the notifications of {number} were [mixed
        up|spoilt]: their {what} [is off|does not fit]. [I want|We need] each [wrong one|one that is wrong]
        [mended after the case|to agree with the case again], [without any new notification|and none sent
        again], before the employee [asks about it|comes back to us].""",
        number=row["number"], what=s.phrase("out_of_scope", "status", "type"),
    )  # fmt: skip
    more.say()
    s.refuse(
        "out_of_scope",
        "notifications that were sent are corrected only in their status, not in their type",
        names=("status", "only|type|nothing else|no other|not"),
    )
    require_manager(s)
    case = s.do("find_hr_case_by_number", "what the case says", number=row["number"])
    s.require_ok(case, f"there is no case {row['number']}", names=(row["number"], MISSING))
    sent = s.do("find_notifications_sent_for_incident", "what was sent", hr_case_id=case["hr_case_id"])
    more.look(case=case)
    s.do_each(sent.every(("status", "!=", case["status"])), "update_notification", "each that is wrong",
              notification_id=ROW["notification_id"], status=case["status"])  # fmt: skip
    more.write()


def _add_namesake(s: Scene, case: Row, who: Row) -> None:
    """Give another person the same name, whom the notification about the case has reached as well."""
    other = s.pick(PEOPLE + " AND u.user_id NOT IN (:who, :right)", me=my_email(s), who=who["user_id"],
                   right=case["opened_for"])  # fmt: skip
    s.perturb("two_namesakes", "UPDATE user SET first_name = :first, last_name = :last WHERE user_id = :id",
              first=who["first_name"], last=who["last_name"], id=other["user_id"])  # fmt: skip
    s.perturb("two_namesakes", """INSERT INTO notification (hr_case_id, email, type, status, created_at,
        org_id, updated_at) SELECT hr_case_id, :too, type, status, created_at, org_id, updated_at FROM
        notification WHERE hr_case_id = :case AND email = :wrong""", too=other["personal_email"],
        case=case["hr_case_id"], wrong=who["personal_email"])  # fmt: skip


@family("hr", ood=True, perturbations=("policy_forbids", "two_namesakes", "missing_entity", "no_right"))
def wrong_recipient(s: Scene) -> None:
    """A notification that reached a stranger to its case is removed, and sent to the right person."""
    s.pick_caller(MANAGERS)
    row = s.pick(_TOLD + " AND u.email <> :me", me=my_email(s))
    other = s.pick(
        PEOPLE + f" AND {UNIQUE_NAME} AND u.user_id <> :user AND NOT EXISTS (SELECT 1 FROM notification n "
        "WHERE n.hr_case_id = :case AND n.email = p.personal_email)",
        user=row["opened_for"],
        case=row["hr_case_id"],
        me=my_email(s),
    )
    s.arrange("UPDATE notification SET email = :wrong WHERE hr_case_id = :case AND email = :right",
              wrong=other["personal_email"], right=row["personal_email"], case=row["hr_case_id"])  # fmt: skip
    more = besides(s, *about(row["number"], row, *ASKED))
    s.perturb("policy_forbids", "UPDATE hr_case SET opened_for = :user WHERE number = :number",
              user=other["user_id"], number=row["number"])  # fmt: skip
    s.perturb("missing_entity", "DELETE FROM notification WHERE hr_case_id = :case AND email = :wrong",
              case=row["hr_case_id"], wrong=other["personal_email"])  # fmt: skip
    _add_namesake(s, row, other)
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.indirect("the private addresses of both", hidden=[row["personal_email"], other["personal_email"]])
    s.ask(
        """{who} [came to me with|showed me] a message about {number}, [a case that is somebody else's|which
        is not their case], [so it must have gone|and that obviously went] to the wrong private address.
        [Take that notification back|Remove that notification] and send the same, [of the same type|type
        unchanged], to the person [whom the case is for|it should have reached], [with the status as it is
        now|naming the present status].""",
        """[We have a small breach|There is a small breach] of data protection: a notification about
        {number} [reached|was sent to] {who} [at home|privately], who [has nothing to do with it|is not
        concerned]. That [entry|notification] [has to disappear|is to be removed], and whoever the case [was
        opened for|is about] [gets theirs|receives it] instead, the type [as before|being the same], the
        status the present one.""",
        """[The employee behind|The person who waits for] {number} [never heard from us|got no word from us];
        {who} did, [by mistake|through a mix-up]. [Undo that|Put that right]: the notification to {who} about
        this case [goes|is deleted], and one of the same type, [with the case's current status|saying how the
        case stands], [goes to the right private address|is sent to the right person's private address].""",
        """[Data protection insists that|According to data protection,] nothing about {number} [may be on
        record|stays on record] under the address of {who}, [to whom it does not belong|who is not the
        employee concerned]. [Delete the one notification|Remove the single notification] that went there
        and [notify the person|send word to the person] the case is for, [same type|in the same type],
        [status as of now|with its status of today].""",
        """[Two private addresses were swapped|Somebody swapped two private addresses], [which is how|so]
        {who} [learnt|came to learn] of {number}. [What they got|Their copy] has to go from our records, and
        [the employee of that case|the one it concerns] [should have it|has to get it]: the type [does not
        change|stays], [the status is what the case says|as status take that of the case].""",
        """"[This is not|That is not] my case", {who} [wrote back|answered] when our notification about
        {number} arrived, [and that is true|and rightly so]. [So remove it|Remove it, therefore], and
        [repeat it|send it again] with its type and [the status that the case has|its present status] to [the
        private address of the person it concerns|whom it concerns, at the private address].""",
        who=full_name(other), number=row["number"],
    )  # fmt: skip
    more.say()
    require_manager(s)
    case = s.do("find_hr_case_by_number", "whom the case is for", number=row["number"])
    stranger = find_person(s, other, "who got it")
    s.require(
        case["opened_for"]["user_id"],
        "!=",
        stranger["user_id"],
        f"{row['number']} was opened for {full_name(other)}, so that it went to the right person",
        names=("opened for|their own case|is for|right person|right address|correct|belongs to|concerns",),
    )
    theirs = find_profile(s, stranger, "where it went")
    received = s.do("find_notifications_for_email", "what they received", email=theirs["personal_email"])
    wrong = received.every(hr_case_id=case["hr_case_id"])
    s.require(count(wrong), "==", 1, f"there is no notification about {row['number']} to {full_name(other)}",
              names=("notif|message", f"{MISSING}|no notif|never|nothing|did not|none"))  # fmt: skip
    profile = find_profile(s, case["opened_for"], "where it belongs")
    more.look(case=case)
    notify(s, case, profile["personal_email"], wrong[0]["type"], case["status"], "the right person is told")
    s.do("delete_notifications", "it is taken back", notification_id=wrong[0]["notification_id"])
