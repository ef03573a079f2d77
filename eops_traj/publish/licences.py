"""Licences by their SPDX names, and as the Hub's card wants them."""

from eops_traj.errors import InputError


def spdx(licence: str) -> str:
    """The licence as SPDX spells it; ``LicenseRef-NAME`` names one of somebody's own.

    Raises InputError for what is no SPDX expression.
    """
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        return str(canonicalize_license_expression(licence))
    except InvalidLicenseExpression as error:
        raise InputError(
            f"{licence!r} is no SPDX licence; choose one such as Apache-2.0, CC-BY-4.0, CC0-1.0 or MIT, or"
            " LicenseRef-NAME for terms of your own"
        ) from error


def on_card(licence: str) -> dict[str, str]:
    """The keys of a card's front matter: the Hub has a lower-case list, and ``other`` for the rest."""
    if " " in licence or licence.startswith("LicenseRef-"):
        return {
            "license": "other",
            "license_name": licence.removeprefix("LicenseRef-").lower().replace(" ", "-"),
        }
    return {"license": licence.lower()}
