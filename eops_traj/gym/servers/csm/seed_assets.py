"""Assets of customers in the seed: products, installed products, contracts, entitlements and SLAs."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from eops_traj.gym.servers.csm import seed_catalogue
from eops_traj.gym.servers.csm.seed_draws import TODAY, chance, day, pick, portions, stamps

Row = dict[str, Any]
INSTALLED, CONTRACTS, ENTITLEMENTS = 300, 153, 431
_PRICES = {"software": (900, 24_000), "hardware": (250, 48_000), "service": (1_200, 60_000)}
_HOURS = {"standard": "h8x5", "premium": "h12x6", "enterprise": "h24x7"}
_CASES = {"standard": (5, 10), "premium": (15, 25, 40), "enterprise": (60, 0, 0)}

_SLA_DEFINITIONS = (  # name, metric, minutes, pauses, priority, active; those of earlier years stay
    ("First Reply - Critical", "response", 15, 0, "critical", 1),
    ("First Reply - High", "response", 45, 0, "high", 1),
    ("First Reply - Moderate", "response", 180, 1, "moderate", 1),
    ("First Reply - Low", "response", 480, 1, "low", 1),
    ("Solution - Critical", "resolution", 240, 0, "critical", 1),
    ("Solution - High", "resolution", 720, 1, "high", 1),
    ("Solution - Moderate", "resolution", 2_880, 1, "moderate", 1),
    ("Solution - Low", "resolution", 7_200, 1, "low", 1),
    ("First Reply - Critical (2023)", "response", 30, 1, "critical", 0),
    ("Solution - Critical (2023)", "resolution", 480, 1, "critical", 0),
    ("Solution - High (2023)", "resolution", 1_440, 1, "high", 0),
    ("Warranty Replacement", "resolution", 14_400, 1, None, 1),
)


def products(rng: Random) -> list[Row]:
    """Return the catalogue in random order, its oldest variants mostly retired."""
    variants = list(seed_catalogue.product_variants())
    rng.shuffle(variants)
    return [_product(rng, number, *variant) for number, variant in enumerate(variants, 1)]


def _product(rng: Random, number: int, name: str, category: str, position: int) -> Row:
    least, most = _PRICES[category]
    retired = chance(rng, (75, 35, 8, 4, 2, 2)[position])
    return {
        "product_id": number, "name": name, "category": category,
        "product_price": rng.randrange(least, most, 10) if chance(rng, 96) else None,
        "lifecycle_state": "retired" if retired else "active",
    } | stamps(rng)  # fmt: skip


def sla_definitions(rng: Random) -> list[Row]:
    """Return the definitions for each priority, retired ones included."""
    names = ("name", "metric", "target_mins", "pause_on_pending", "applies_to_priority", "active")
    return [
        {"sla_def_id": number} | dict(zip(names, values, strict=True)) | stamps(rng)
        for number, values in enumerate(_SLA_DEFINITIONS, 1)
    ]


def installed_products(
    rng: Random, accounts: Sequence[Row], products: Sequence[Row], locations: dict[int, list[Row]]
) -> list[Row]:
    """Return the installed products of customers, at their locations."""
    customers = [o for o in accounts if o["account_type"] == "customer"]
    installable = [g for g in products if g["category"] != "service"]
    installed: list[Row] = []
    for account, count in zip(customers, portions(rng, INSTALLED, len(customers)), strict=True):
        owner = account["account_id"]
        for _ in range(count):
            number, product = len(installed) + 1, rng.choice(installable)
            installed.append(_installed_product(rng, number, owner, product, locations[owner]))
    return installed


def _installed_product(rng: Random, number: int, account_id: int, product: Row, locations: list[Row]) -> Row:
    letters = "".join(word[0] for word in product["name"].split())[:3].upper()
    return {
        "installed_product_id": number, "account_id": account_id, "product_id": product["product_id"],
        "location_id": rng.choice(locations)["location_id"] if chance(rng, 92) else None,
        "serial_number": f"{letters}-{product['product_id']:03d}-{100_000 + 2_963 * number % 900_000}",
        "status": pick(rng, {"in_use": 72, "in_stock": 10, "repair": 9, "retired": 9}),
        "warranty_end": str(day(rng, date(2023, 7, 1), date(2028, 6, 30))) if chance(rng, 93) else None,
    } | stamps(rng)  # fmt: skip


def contracts(rng: Random, accounts: Sequence[Row]) -> list[Row]:
    """Return contracts of one to three years. A handful have run out and are not marked so yet."""
    customers = [o["account_id"] for o in accounts if o["account_type"] != "internal"]
    counts = portions(rng, CONTRACTS, len(customers), spread=3)
    account_ids = [
        account_id for account_id, count in zip(customers, counts, strict=True) for _ in range(count)
    ]
    return [_contract(rng, number, account_id) for number, account_id in enumerate(account_ids, 1)]


def _contract(rng: Random, number: int, account_id: int) -> Row:
    start = day(rng, date(2022, 9, 1), date(2026, 3, 1))
    end = start + timedelta(days=365 * rng.choice((1, 1, 2, 3)) - 1)
    if chance(rng, 4):
        end, status = TODAY - timedelta(days=rng.randint(2, 20)), "active"
        start = end - timedelta(days=364)
    elif start > TODAY:
        status = "draft"
    else:
        status = "expired" if end < TODAY else pick(rng, {"active": 90, "suspended": 10})
    signed = datetime.combine(min(start, TODAY), time(8, 30)) - timedelta(hours=rng.randint(20, 900))
    return {
        "contract_id": number, "account_id": account_id,
        "contract_type": pick(rng, {"support": 50, "warranty": 25, "subscription": 25}), "status": status,
        "contract_price": rng.randrange(1_500, 120_000, 50) if chance(rng, 92) else None,
        "start_date": str(start), "end_date": str(end),
    } | stamps(rng, signed)  # fmt: skip


def entitlements(
    rng: Random, contracts: Sequence[Row], products: Sequence[Row], installed: Sequence[Row]
) -> list[Row]:
    """Return the entitlements of each contract: support for a product, or now and then for all."""
    owned: dict[int, list[int]] = {}
    for product in installed:
        owned.setdefault(product["account_id"], []).append(product["product_id"])
    all_products = [g["product_id"] for g in products]
    counts = portions(rng, ENTITLEMENTS, len(contracts), spread=2.5)
    covered = [contract for contract, count in zip(contracts, counts, strict=True) for _ in range(count)]
    return [
        _entitlement(rng, number, contract, owned.get(contract["account_id"], all_products), all_products)
        for number, contract in enumerate(covered, 1)
    ]


def _entitlement(rng: Random, number: int, contract: Row, owned: list[int], all_products: list[int]) -> Row:
    level = pick(rng, {"standard": 48, "premium": 34, "enterprise": 18})
    product = None if chance(rng, 9) else rng.choice(owned if chance(rng, 70) else all_products)
    in_force = contract["status"] == "active" and contract["end_date"] >= str(TODAY)
    return {
        "entitlement_id": number, "account_id": contract["account_id"], "product_id": product,
        "contract_id": contract["contract_id"] if chance(rng, 94) else None, "support_level": level,
        "coverage_hours": _HOURS[level] if chance(rng, 90) else None,
        "max_cases_per_month": rng.choice(_CASES[level]), "active": int(chance(rng, 94 if in_force else 14)),
    } | stamps(rng, datetime.fromisoformat(contract["sys_created_on"]))  # fmt: skip
