"""``http://…`` and ``https://…``: each result is a POST, at least once.

The query of such a URL is the server's, so that settings stand behind ``#``.  What was sent is sent again where the
server does not answer, or as one that is busy; the header ``Idempotency-Key`` has the id of the result.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from urllib.parse import quote

import httpx

from spaseq.errors import Location, StreamError
from spaseq.sinks.sink import Outgoing, Sink
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.http import PASSING, SETTINGS, authorization, client_of, is_tls, told
from spaseq.sources.transports.receiving import Outages

_LINE = 200  # characters of an answer that are shown


class Webhook(Sink):
    """A server that takes results, one after the other."""

    def __init__(self, url: str) -> None:
        self.address = Address.of(url, SETTINGS, common=("retry",), of_server=True)
        super().__init__(self.address.shown)
        self._outages = Outages(self.address, "write")
        self._client = client_of(self.address)
        self._headers = authorization(self.address)

    def send(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``."""
        for one in results:
            while reason := self._refused(one):
                time.sleep(self._outages.failed(reason))
            self._outages.mended()

    def flush(self) -> None:
        """See ``Sink``: the server has answered."""

    def close(self) -> None:
        """See ``Sink``."""
        self._client.close()

    def _refused(self, one: Outgoing) -> str:
        """Why the server takes a result at another time.  StreamError: it never does."""
        kind = "application/json" if one.data.startswith(b"{") else "application/n-quads"
        if one.headers:
            kind = "application/octet-stream"
        more = {f"X-SPAseq-{name.capitalize()}": quote(value, safe=" :/#[]@") for name, value in one.headers}
        headers = {**self._headers, **more, "Content-Type": kind, "Idempotency-Key": one.id}
        try:
            response = self._client.post(self.address.asked, content=one.data, headers=headers)
        except httpx.HTTPError as error:
            if is_tls(error):
                raise StreamError(self.address.told(f"cannot write: {told(error)}"), Location(self.url)) from None
            return told(error)
        status = f"the server answers {response.status_code} {response.reason_phrase}"
        if response.is_success or response.status_code in PASSING:
            self._outages.answered()
            return "" if response.is_success else status
        line = response.text.strip().partition("\n")[0][:_LINE]
        raise StreamError(self.address.told(f"{status}: {line}" if line else status), Location(self.url))
