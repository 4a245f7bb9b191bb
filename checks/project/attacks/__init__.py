"""Hostile submissions, by when they act and what they are after.

A source is put below a lesson whose `decode` is wrong (vocab) or whose `merge_heads` is (attention): the attack
wants the points of that function, or harm. `HOST_FILE` in a source stands for a file of the host that must stay
as it is, `HOST_ROOT` for the project's folder there.
"""

from dataclasses import dataclass, field

WHENS = ("at import", "in a call", "in a returned value", "at exit")
AIMS = ("verdict", "host", "secrets", "time")


@dataclass(frozen=True)
class Attack:
    """`files` are more files of the submission; `whole` says that the source stands alone, not below the lesson."""

    name: str
    when: str
    aim: str
    source: str
    lesson: str = "vocab"
    files: dict[str, str] = field(default_factory=dict)
    whole: bool = False


def attacks() -> list[Attack]:
    """All of them."""
    from checks.project.attacks import at_exit, at_import, in_call, in_torch, in_value

    modules = (at_import, in_call, in_value, at_exit, in_torch)
    return [attack for module in modules for attack in module.ATTACKS]
