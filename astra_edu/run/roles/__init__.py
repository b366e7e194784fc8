"""NPUs that must behave alike, found by refinement of a partition, and followed once."""

from astra_edu.run.roles.roles import Roles, may_fold, roles_of

__all__ = ["Roles", "may_fold", "roles_of"]
