"""Ends with status 77 and a line with what is missing, or with 0."""

from programs import missing, skip

lacking = missing()
if lacking:
    skip(f"no {', no '.join(lacking)}")
