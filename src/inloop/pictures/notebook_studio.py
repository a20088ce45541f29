"""The studio in a notebook cell: `il.show(plant)`."""

from __future__ import annotations

import html
import json
from itertools import count
from typing import Any

from inloop import realtime
from inloop.plant import BarePlant
from inloop.realtime.closing import Closing
from inloop.realtime.report import Report
from inloop.studio.studio_process import StudioProcess

HIGH = 620  # height of the frame [pixels]
_numbers = count(1)
# browsers bind the token's cookie to one host, so the frame uses that of the notebook
SCRIPT = """<script>(() => {{
  const address = new URL({address});
  if (["localhost", "127.0.0.1"].includes(location.hostname)) address.hostname = location.hostname;
  document.getElementById({frame}).src = address;
}})();</script>"""


class NotebookStudio(Closing):
    """A running plant with a studio that shows it, until `stop`.

    Args:
        plant: the compiled mechanism.
        options: those of `inloop.start`.

    Attributes:
        loop: the running plant.
        address: address of the page, with its token.
    """

    def __init__(self, plant: BarePlant, **options: Any) -> None:
        self.loop = realtime.start(plant, **options)
        try:
            self._studio = StudioProcess(
                self.loop.name, plant.mechanism, browser=False, framed=True
            )
        except BaseException:
            self.loop.close()
            raise
        self.address = self._studio.address
        self._report: Report | None = None

    def stop(self) -> Report:
        """Stop the plant and the studio; return the timing report."""
        if self._report is None:
            try:
                self._studio.close()
            finally:
                self._report = self.loop.close()
        return self._report

    def close(self) -> None:
        """Stop the plant and the studio."""
        self.stop()

    def __repr__(self) -> str:
        state = "stopped" if self._report is not None else f"at {self.address}"
        return f"<Studio of '{self.loop.name}' {state}>"

    def _repr_html_(self) -> str:
        if self._report is not None:
            return self._report._repr_html_()
        frame = f"inloop-studio-{next(_numbers)}"
        style = f"width:100%;height:{HIGH}px;border:0;border-radius:6px"
        page = html.escape(self.address)
        # inside a script, only what would end it is escaped
        given = json.dumps(self.address).replace("<", "\\u003c")
        script = SCRIPT.format(address=given, frame=json.dumps(frame))
        return (
            f'<iframe id="{frame}" style="{style}" title="studio"></iframe>'
            f'<div><a href="{page}" target="_blank">open the studio in a tab</a>; '
            f"<code>stop()</code> ends it</div>{script}"
        )
