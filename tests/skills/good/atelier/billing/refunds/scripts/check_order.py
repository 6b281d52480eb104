"""Reads one order as JSON from standard input and prints what the policy says."""

import csv
import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

LIMITS = Path(__file__).parent.parent / "references" / "LIMITS.csv"


def limits_for(category):
    with LIMITS.open(newline="", encoding="utf-8") as file:
        return next((row for row in csv.DictReader(file) if row["category"] == category), None)


def verdict(order):
    limits = limits_for(order["category"])
    if limits is None:
        return "ask", f"no limit is written down for {order['category']!r}"

    requested = Decimal(order["requested"])
    days = (date.fromisoformat(order["asked"]) - date.fromisoformat(order["delivered"])).days
    window = int(limits["window_days"])

    if requested <= 0 or days < 0:
        return "ask", "the amount or the dates do not make sense"
    if requested > Decimal(order["paid"]):
        return "ask", "more is asked for than was paid"
    if days > window:
        return "decline", f"asked after {days} days, and the window is {window}"
    if requested > Decimal(limits["desk_limit_eur"]):
        return "ask", f"above the desk's limit of {limits['desk_limit_eur']} EUR"
    return "approve", f"asked after {days} of {window} days, within the desk's limit"


def main():
    order = json.load(sys.stdin)
    decision, reason = verdict(order)
    print(json.dumps({"order": order["order"], "verdict": decision, "reason": reason}))


if __name__ == "__main__":
    main()
