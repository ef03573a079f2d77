"""The rules of sharing: items, grantees and terms, and the checks that refuse what may not be shared."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from eops_traj.gym.api_styles.google import GoogleRefusal, error, forbidden, parse_time
from eops_traj.gym.servers.drive import access
from eops_traj.gym.servers.drive.access import RANKS
from eops_traj.gym.tools.call import Call, Row

_LONGEST: Final = timedelta(days=365)
_DRIVE_ROLES: Final = ("organizer", "fileOrganizer")


@dataclass(frozen=True)
class SharedItem:
    """An item to share: a file, with its shared drive if it has one, or a shared drive as a whole."""

    file: Row | None
    drive: Row | None

    @property
    def rank(self) -> int:
        """The caller's rank on it."""
        rank: int = (self.file or self.drive or {})["rank"]
        return rank

    @property
    def may_share(self) -> bool:
        """True if the caller may let others in."""
        return access.may_share(self.file) if self.file else self.rank >= RANKS["organizer"]

    def denied(self) -> GoogleRefusal:
        """Return the refusal of a caller who may not."""
        return access.denied("file" if self.file else "shared drive")


@dataclass(frozen=True)
class Grantee:
    """The receiver of a permission: a person, a group, a domain or everyone."""

    type: str
    user_id: str | None = None
    group_id: str | None = None
    email: str | None = None
    domain: str | None = None

    @property
    def home(self) -> str | None:
        """The domain that the grantee belongs to."""
        return self.email.rpartition("@")[2] if self.email else self.domain


@dataclass(frozen=True)
class Terms:
    """The role and the conditions of a permission."""

    role: str
    view: str | None = None
    discoverable: bool = False
    expires: str | None = None
    pending_owner: bool = False
    transfer: bool = False


def check_grant(call: Call, item: SharedItem, grantee: Grantee, terms: Terms) -> None:
    """Refuse a permission that may not be given so."""
    if not item.may_share:
        raise item.denied()
    if terms.role == "owner":
        _check_owner(item, grantee, terms)
    if terms.role in _DRIVE_ROLES and not item.drive:
        raise forbidden(
            f"{terms.role}OnNonTeamDriveNotSupported", f"The role {terms.role} is for shared drives."
        )
    if terms.role == "organizer" and item.file:
        raise forbidden(
            "organizerOnNonTeamDriveItemNotSupported", "Only whole shared drives have organizers."
        )
    if RANKS[terms.role] > item.rank:
        raise item.denied()
    if grantee.type in ("anyone", "domain") and not item.file:
        reason = "cannotShareTeamDriveTopFolderWithAnyoneOrDomains"
        raise forbidden(reason, "A shared drive cannot be shared with everyone or with a domain.")
    if item.drive:
        _check_restrictions(call, item, item.drive, grantee)


def _check_owner(item: SharedItem, grantee: Grantee, terms: Terms) -> None:
    if item.drive:
        raise forbidden("ownerOnTeamDriveItemNotSupported", "Files of shared drives belong to the drive.")
    if not grantee.user_id:
        raise error("INVALID_ARGUMENT", "Only a user of the domain can own a file.", "invalidSharingRequest")
    if not terms.transfer:
        message = "The transferOwnership parameter must be enabled when the permission role is 'owner'."
        raise forbidden("forbidden", message, "transferOwnership")


def _check_restrictions(call: Call, item: SharedItem, drive: Row, grantee: Grantee) -> None:
    if drive["domain_users_only"] and (grantee.home or "").lower() != str(call.caller.get("domain")).lower():
        raise forbidden("teamDriveDomainUsersOnlyRestriction", "This shared drive is for its domain only.")
    member = """SELECT 1 FROM grants WHERE drive_id = :drive AND type = :type
        AND user_id IS :user_id AND group_id IS :group_id AND domain IS :domain"""
    if item.file and drive["drive_members_only"] and not call.row(member, drive=drive["id"], **vars(grantee)):
        raise forbidden("teamDriveTeamMembersOnlyRestriction", "This shared drive is for its members only.")


def expiry(call: Call, type: str, role: str, text: str | None) -> str | None:
    """Return the time at which a permission ends, if one is given that it may have."""
    if text is None:
        return None
    ends, now = parse_time(text, "expirationTime"), call.database.now()
    latest = (now + _LONGEST).strftime(call.server.time_format)
    if type not in ("user", "group") or role in ("owner", *_DRIVE_ROLES) or not call.now < ends <= latest:
        message = "Only users and groups below an organizer can have an end, within a year from now."
        raise forbidden("cannotSetExpiration", message, "expirationTime")
    return ends


def check_stays_in_charge(call: Call, item: SharedItem, permission: Row, role: str | None) -> None:
    """Refuse to lower or take (role None) the permission of an owner or a drive's last organizer."""
    if permission["role"] == "owner" and role != "owner":
        raise forbidden("cannotRemoveOwner", "A file keeps its owner until another one takes it over.")
    if permission["role"] == "organizer" and role != "organizer" and item.drive:
        others = "SELECT 1 FROM grants WHERE drive_id = :drive AND role = 'organizer' AND id <> :held"
        if not call.row(others, drive=item.drive["id"], held=permission["id"]):
            raise forbidden("cannotRemoveLastOrganizer", "A shared drive keeps one organizer at least.")
