"""Reports what this process logs as errors to the operators' page."""

from __future__ import annotations

import logging

from redis.exceptions import RedisError

from referee.service.errors import RedisErrors
from referee.service.processes import Process
from server.logs.recent import LOGGED

log = logging.getLogger(__name__)


class ErrorReport:
    """Sends the errors of a process."""

    def __init__(self, errors: RedisErrors, process: Process) -> None:
        self._errors, self._process = errors, process

    def send(self) -> None:
        """Report the errors since the last report. While Redis is away they are kept for the next one."""
        try:
            LOGGED.send(lambda found: self._errors.add(self._process.name, found))
        except RedisError as error:
            log.debug("the errors did not reach Redis: %s", error)
