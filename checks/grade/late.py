"""What lateness costs."""

import math
from datetime import datetime

from checks.grade.course import Course


def percent_off(course: Course, lesson: str, submitted: datetime | None) -> float:
    """Percent of the lesson's points that are taken away; 0 without a deadline or a known time.

    The latest deadline that names the lesson counts. A day begun counts whole.
    """
    dues = [deadline.due for deadline in course.deadlines if lesson in deadline.lessons]
    if not dues or submitted is None:
        return 0.0
    rule = course.late
    seconds = (submitted - max(dues)).total_seconds() - 60 * rule.grace_minutes
    if seconds <= 0:
        return 0.0
    days = math.ceil(seconds / 86_400)
    if rule.zero_after_days is not None and seconds > 86_400 * rule.zero_after_days:
        return 100.0
    return min(rule.percent_per_day * days, rule.at_most_percent)
