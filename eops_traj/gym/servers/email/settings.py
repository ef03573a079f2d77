"""Settings that take more than one statement: aliases, certificates, vacations, watches; and the history."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import re2

from eops_traj.gym.api_styles.google import error, invalid, page, parse_time
from eops_traj.gym.servers.email import mime, store
from eops_traj.gym.servers.email.errors import not_found
from eops_traj.gym.servers.email.resources import Resource, alias, certificate, history_record, plain
from eops_traj.gym.servers.email.search import milliseconds
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_WATCH_TIME: Final = timedelta(days=7)
_FIELDS: Final = {
    "displayName": "display_name", "replyToAddress": "reply_to_address", "signature": "signature",
    "isDefault": "is_default", "treatAsAlias": "treat_as_alias",
}  # fmt: skip
_RELAY: Final = ("host", "port", "username", "password", "securityMode")
_UNSAFE = re2.compile(
    "|".join(rf"(?is)<{name}\b.*?(?:</{name}\s*>|$)" for name in ("script", "style", "iframe", "object"))
    + r"""|(?i)\son\w+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)|javascript:"""
)


# send-as aliases


@tool
def create_send_as_alias(call: Call) -> Resource:
    """(userId, sendAsEmail! = send_as_email, displayName = display_name,
      replyToAddress = reply_to_address, signature, isDefault = is_default, treatAsAlias = treat_as_alias,
      smtpMsa) -> row of send_as_aliases

    Let a mailbox send as another address. One of the company is accepted at once, any other pends until its
    owner agrees.
      replyToAddress: {pattern: '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$'}
    @allow admin
    @outward
    """
    address = call.arguments["sendAsEmail"].strip().lower()
    if not mime.is_address(address):
        raise invalid("sendAsEmail", "Invalid send-as address")
    inside = """SELECT 1 FROM users WHERE lower(substr(email, instr(email, '@') + 1)) = :domain"""
    status = "accepted" if call.row(inside, domain=address.rpartition("@")[2]) else "pending"
    sql = """INSERT INTO send_as_aliases (user_id, send_as_email, verification_status)
        VALUES (:userId, :address, :status)"""
    call.rows(sql, address=address, status=status)
    return _update_alias(call, address)


@tool
def patch_send_as_alias(call: Call) -> Resource:
    """(userId!, sendAsEmail! = send_as_email, displayName = display_name,
      replyToAddress = reply_to_address, signature, isDefault = is_default, treatAsAlias = treat_as_alias,
      smtpMsa, verificationStatus = verification_status) -> row of send_as_aliases

    Change what is given of an alias, and nothing else.
      userId: {pattern: null}
      verificationStatus: Only its owner's answer changes it; ignored.
    """
    return _update_alias(call, call.arguments["sendAsEmail"].lower())


@tool
def update_send_as_alias(call: Call) -> Resource:
    """(userId!, sendAsEmail! = send_as_email, displayName! = display_name,
      replyToAddress! = reply_to_address, signature!, isDefault! = is_default, treatAsAlias! = treat_as_alias,
      smtpMsa!, verificationStatus! = verification_status) -> row of send_as_aliases

    Set everything of an alias.
      userId: {pattern: null}
      verificationStatus: Only its owner's answer changes it; ignored.
    """
    return _update_alias(call, call.arguments["sendAsEmail"].lower())


def _update_alias(call: Call, address: str) -> Resource:
    """Change what the call gives of an alias; a new default replaces the old one."""
    row = _alias_row(call, address)
    default = call.arguments.get("isDefault")
    if default is False and row["is_default"]:
        raise invalid("isDefault", "Make another address the default instead")
    if default and not row["is_primary"] and row["verification_status"] != "accepted":
        raise error("FAILED_PRECONDITION", "An alias that is not verified cannot be the default")
    if default:
        call.rows("UPDATE send_as_aliases SET is_default = 0 WHERE user_id = :userId")
    for column, value in _alias_columns(call.arguments).items():
        sql = f"""UPDATE send_as_aliases SET {column} = :value
            WHERE user_id = :userId AND send_as_email = :address"""  # noqa: S608 - names of columns
        call.rows(sql, value=value, address=address)
    return alias(_alias_row(call, address))


def _alias_row(call: Call, address: str) -> Row:
    sql = "SELECT * FROM send_as_aliases WHERE user_id = :userId AND send_as_email = :address"
    row = call.row(sql, address=address)
    if row is None:
        raise not_found()
    return row


def _alias_columns(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns and values; scripts in a signature are taken out."""
    values = {column: arguments[name] for name, column in _FIELDS.items() if name in arguments}
    if "signature" in values:
        values["signature"] = _UNSAFE.sub("", values["signature"])
    for name in _RELAY if "smtpMsa" in arguments else ():
        column = "smtp_security_mode" if name == "securityMode" else f"smtp_{name}"
        values[column] = arguments["smtpMsa"].get(name)
    return values


# S/MIME


@tool
def insert_smime_config(call: Call) -> Resource:
    """(userId!, sendAsEmail! = send_as_email, issuerCn! = issuer_cn, isDefault = is_default,
      expiration!, encryptedKeyPassword = encrypted_key_password, pem, pkcs12) -> row of smime_info

    Give an alias a certificate to sign with; its first one is the default.
      userId: {pattern: null}
      encryptedKeyPassword: Password of its key, if that is encrypted. {minLength: 1}
    @allow admin
    """
    address, expiration = call.arguments["sendAsEmail"].lower(), call.arguments["expiration"]
    _alias_row(call, address)
    if not re.fullmatch(r"\d{1,15}", expiration, re.ASCII):
        raise invalid("expiration")
    if call.arguments.get("pem") is None and call.arguments.get("pkcs12") is None:
        raise error("INVALID_ARGUMENT", "A certificate is needed, as pkcs12 or as pem", "required", "pkcs12")
    others = "SELECT 1 FROM smime_info WHERE user_id = :userId AND send_as_email = :address"
    chosen = call.arguments.get("isDefault") or not call.row(others, address=address)
    if chosen:
        sql = "UPDATE smime_info SET is_default = 0 WHERE user_id = :userId AND send_as_email = :address"
        call.rows(sql, address=address)
    sql = """INSERT INTO smime_info (id, user_id, send_as_email, issuer_cn, is_default, expiration,
            encrypted_key_password, pem, pkcs12)
        VALUES (new_hex(), :userId, :address, :issuerCn, :chosen, :expiration, :encryptedKeyPassword, :pem,
            :pkcs12)
        RETURNING *"""
    return certificate(call.rows(sql, address=address, chosen=chosen)[0])


# vacation


@tool
def update_vacation_settings(call: Call) -> Resource:
    """(userId!, enableAutoReply! = enable_auto_reply, responseSubject! = response_subject,
      responseBodyPlainText! = response_body_plain_text, responseBodyHtml! = response_body_html,
      restrictToContacts! = restrict_to_contacts, restrictToDomain! = restrict_to_domain,
      startTime! = start_time, endTime! = end_time) -> row of vacation_settings

    Set whether incoming mail is answered while someone is away, how, for whom and when. An empty time is no
    limit.
    """
    arguments = call.arguments
    start, end = (
        parse_time(arguments[name], name) if arguments[name] else None for name in ("startTime", "endTime")
    )
    if start and end and start >= end:
        raise invalid("endTime", "endTime must be after startTime")
    texts = [arguments[name] for name in ("responseSubject", "responseBodyPlainText", "responseBodyHtml")]
    if arguments["enableAutoReply"] and not any(text.strip() for text in texts):
        raise error(
            "INVALID_ARGUMENT", "An automatic reply needs a subject or a body", "required", "responseSubject"
        )
    sql = """UPDATE vacation_settings SET enable_auto_reply = :enableAutoReply,
        response_subject = :responseSubject, response_body_plain_text = :responseBodyPlainText,
        response_body_html = :html,
        restrict_to_contacts = :restrictToContacts, restrict_to_domain = :restrictToDomain,
        start_time = :start, end_time = :end WHERE user_id = :userId RETURNING *"""
    return plain(call.rows(sql, start=start, end=end, html=_UNSAFE.sub("", arguments["responseBodyHtml"]))[0])


# watches and history


@tool
def watch_user_mailbox(call: Call) -> Resource:
    """(userId!, topicName! = topic_name, labelIds!,
      labelFilterBehavior = label_filter_behavior) -> row of watches

    Have a topic told of changes in a mailbox, for seven days. A new watch takes the place of the one before.
      topicName: {examples: [projects/mail/topics/changes],
        pattern: '^projects\\/[a-z0-9\\-]+\\/topics\\/[a-zA-Z0-9\\-_]+$'}
    @outward
    """
    store.check_labels(call, call.arguments["labelIds"])
    expiration = milliseconds(call.database.now() + _WATCH_TIME)
    sql = """INSERT INTO watches (user_id, topic_name, label_ids, label_filter_behavior, expiration,
            history_id)
        SELECT id, :topicName, :labelIds, coalesce(:labelFilterBehavior, 'include'), :expiration, history_id
        FROM users WHERE id = :userId RETURNING history_id"""
    call.rows("DELETE FROM watches WHERE user_id = :userId")
    watch = call.rows(sql, expiration=expiration)[0]
    return {"historyId": str(watch["history_id"]), "expiration": str(expiration)}


@tool
def stop_user_watch(call: Call) -> bool:
    """(userId!) -> done of watches

    Have nobody told of changes in a mailbox any more.
    """
    call.rows("DELETE FROM watches WHERE user_id = :userId")
    return True


@tool
def list_history(call: Call) -> Resource:
    """(userId!, startHistoryId!, maxResults, pageToken, labelId, historyTypes[] = history_type)
      -> row of history

    What happened in a mailbox after a record of its history, oldest first. Empty starts at the beginning.
      startHistoryId: Number of the last record that is known already. {type: string, examples: ['1003']}
      labelId: Only what happened to messages with this label, or to the label itself. {type: string}
      historyTypes: Only changes of these kinds.
    """
    start = call.arguments["startHistoryId"] or "0"
    if not re.fullmatch(r"\d{1,18}", start, re.ASCII):
        raise invalid("startHistoryId", "Invalid startHistoryId")
    sql = """SELECT * FROM history h WHERE user_id = :userId AND id > CAST(:start AS INTEGER)
        AND (:historyTypes IS NULL OR history_type IN (SELECT value FROM json_each(:historyTypes)))
        AND (:labelId IS NULL OR EXISTS (SELECT 1 FROM message_labels l
            WHERE l.message_id = h.message_id AND l.label_id = :labelId)
            OR EXISTS (SELECT 1 FROM json_each(h.label_ids) WHERE value = :labelId)) ORDER BY id"""
    rows = call.rows(sql, start=start)
    part, following = page(rows, call.arguments["maxResults"], call.arguments.get("pageToken"))
    current = call.rows("SELECT history_id FROM users WHERE id = :userId")[0]["history_id"]
    more = {"nextPageToken": following} if following else {}
    return {"history": [history_record(call, row) for row in part]} | more | {"historyId": str(current)}
