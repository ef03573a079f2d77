"""What is shared, with whom and on which terms; and what may not be."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from eops_traj.gym.api_styles.google import GoogleRefusal, error, forbidden, moment
from eops_traj.gym.servers.drive import access
from eops_traj.gym.servers.drive.access import RANKS
from eops_traj.gym.tools.call import Call, Row

_LONGEST: Final = timedelta(days=365)
_DRIVE_ROLES: Final = ("organizer", "fileOrganizer")


@dataclass(frozen=True)
class Item:
    """What is shared: a file, with its shared drive if it has one, or a shared drive as a whole."""

    file: Row | None
    drive: Row | None

    @property
    def rank(self) -> int:
        """The caller's rank on it."""
        found: int = (self.file or self.drive or {})["rank"]
        return found

    @property
    def may_share(self) -> bool:
        """Whether the caller may let others in."""
        return access.may_share(self.file) if self.file else self.rank >= RANKS["organizer"]

    def denied(self) -> GoogleRefusal:
        """The refusal of a caller who may not."""
        return access.denied("file" if self.file else "shared drive")


@dataclass(frozen=True)
class Grantee:
    """Whom a permission is for: a person, a group, a domain or everyone."""

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
    """What a permission says beside whom it is for."""

    role: str
    view: str | None = None
    discoverable: bool = False
    expires: str | None = None
    pending_owner: bool = False
    transfer: bool = False


def check(call: Call, item: Item, who: Grantee, terms: Terms) -> None:
    """Refuse what may not be shared so."""
    if not item.may_share:
        raise item.denied()
    if terms.role == "owner":
        _check_owner(item, who, terms)
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
    if who.type in ("anyone", "domain") and not item.file:
        reason = "cannotShareTeamDriveTopFolderWithAnyoneOrDomains"
        raise forbidden(reason, "A shared drive cannot be shared with everyone or with a domain.")
    if item.drive:
        _check_restrictions(call, item, item.drive, who)


def _check_owner(item: Item, who: Grantee, terms: Terms) -> None:
    if item.drive:
        raise forbidden("ownerOnTeamDriveItemNotSupported", "Files of shared drives belong to the drive.")
    if not who.user_id:
        raise error("INVALID_ARGUMENT", "Only a user of the domain can own a file.", "invalidSharingRequest")
    if not terms.transfer:
        message = "The transferOwnership parameter must be enabled when the permission role is 'owner'."
        raise forbidden("forbidden", message, "transferOwnership")


def _check_restrictions(call: Call, item: Item, drive: Row, who: Grantee) -> None:
    if drive["domain_users_only"] and (who.home or "").lower() != str(call.caller.get("domain")).lower():
        raise forbidden("teamDriveDomainUsersOnlyRestriction", "This shared drive is for its domain only.")
    member = """SELECT 1 FROM grants WHERE drive_id = :drive AND type = :type
        AND user_id IS :user_id AND group_id IS :group_id AND domain IS :domain"""
    if item.file and drive["drive_members_only"] and not call.row(member, drive=drive["id"], **vars(who)):
        raise forbidden("teamDriveTeamMembersOnlyRestriction", "This shared drive is for its members only.")


def expiry(call: Call, type: str, role: str, given: str | None) -> str | None:
    """The time at which a permission ends, if one is given that it may have."""
    if given is None:
        return None
    ends, now = moment(given, "expirationTime"), call.database.now()
    latest = (now + _LONGEST).strftime(call.server.time_format)
    if type not in ("user", "group") or role in ("owner", *_DRIVE_ROLES) or not call.now < ends <= latest:
        message = "Only users and groups below an organizer can have an end, within a year from now."
        raise forbidden("cannotSetExpiration", message, "expirationTime")
    return ends


def keep_in_charge(call: Call, item: Item, held: Row, role: str | None) -> None:
    """Refuse to lower or take (role None) the permission of an owner or of a drive's last organizer."""
    if held["role"] == "owner" and role != "owner":
        raise forbidden("cannotRemoveOwner", "A file keeps its owner until another one takes it over.")
    if held["role"] == "organizer" and role != "organizer" and item.drive:
        others = "SELECT 1 FROM grants WHERE drive_id = :drive AND role = 'organizer' AND id <> :held"
        if not call.row(others, drive=item.drive["id"], held=held["id"]):
            raise forbidden("cannotRemoveLastOrganizer", "A shared drive keeps one organizer at least.")
