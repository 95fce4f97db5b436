"""The web application: a few pages that only read, without a script and without another address."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import duckdb
from jinja2 import PackageLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qsquared.display import is_blank, shorten
from qsquared.errors import LimitError, Q2Error
from qsquared.report.page import why_unscored
from qsquared.report.templates import environment, part
from qsquared.serve.snapshot import ROWS_A_PAGE, Search, Snapshot, excerpt, number_of
from qsquared.serve.watched import Watched, as_sentence
from qsquared.storage.records.dated_logs import date_states
from qsquared.storage.records.indexes.store_index import StoreIndex, open_index
from qsquared.storage.records.runs import digests_of, mean_support_of, status_of_run
from qsquared.storage.store import Store

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_SECONDS_BETWEEN = 5
_RUNS_SHOWN = 10
_DATES_SHOWN = 14
_LAST_ROW = 10_000
"""A search shows no rows beyond; it should be narrowed."""


class _WithHeaders:
    """Adds the headers to every response, also of errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *more]
            await send(message)

        await self.app(scope, receive, with_headers)


class Pages:
    """The pages over one store."""

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self._templates = environment(PackageLoader("qsquared.serve", "parts"))
        self._templates.tests["blank"] = is_blank
        self._templates.filters["mean_support"] = mean_support_of
        self._templates.globals["excerpt"] = excerpt

    def _page(self, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        values = {"store": self.watched.store.root.name, "refresh": 0, "here": name} | values
        return HTMLResponse(self._templates.get_template(name).render(values), status)

    def _snapshot(self) -> Snapshot:
        """Return the latest snapshot.

        Raises:
            Q2Error: there is none, and the store cannot be read.
        """
        snapshot = self.watched.latest()
        if snapshot is None:
            raise self.watched.error or _WaitingError("The store is being read.")
        return snapshot

    def overview(self, _: Request) -> Response:
        """Show the report's figures of all turns."""
        figures = self._snapshot().figures
        newer = self.watched.began is not None
        words = why_unscored(figures["statuses"])
        return self._page(
            "overview.html", **figures, why_unscored=words, newer=newer, error=self.watched.error,
            searched=True,
        )  # fmt: skip

    def search(self, request: Request) -> Response:
        """Show replies that hold some words, the lowest score first."""
        search = Search.of(request.query_params)
        first = number_of(request.query_params.get("from", ""), _LAST_ROW)
        snapshot = self._snapshot()
        return self._page(
            "search.html", hits=snapshot.search(search, first), asked=search, first=first,
            fields=[field["name"] for field in snapshot.figures["fields"] if field["groups"]],
            rows=ROWS_A_PAGE, last_row=_LAST_ROW,
        )  # fmt: skip

    def reply(self, request: Request) -> Response:
        """Show the explanation of one reply."""
        pair = request.path_params["pair"]
        snapshot = self._snapshot()
        reply = snapshot.reply(pair)
        if reply is None:
            raise HTTPException(404, f"The store has no reply {shorten(pair, 64)}.")
        return self._page("reply.html", case=reply[0], turns=reply[1], scope=snapshot.scope)

    def run(self, request: Request) -> Response:
        """Show the last run, as it goes on if that is asked for, and the dates."""
        # A page that reads itself again unasked is taken from under its reader.
        refresh = _SECONDS_BETWEEN if "every" in request.query_params else 0
        return self._page("run.html", **runs_of(self.watched.store), refresh=refresh)

    def style(self, _: Request) -> Response:
        """Return the style of all pages."""
        style = files("qsquared.serve").joinpath("parts", "serve.css").read_text(encoding="utf-8")
        return Response(part("report.css") + style, media_type="text/css")

    async def problem(self, _: Request, error: Exception) -> Response:
        """Show an error as a sentence; the server also logs one that nobody foresaw."""
        if isinstance(error, _WaitingError):
            return self._page("waiting.html", refresh=2, began=self.watched.began)
        if isinstance(error, HTTPException):
            return self._page("problem.html", error.status_code, message=error.detail, hint="")
        shown = as_sentence(error)
        status = 503 if isinstance(shown, LimitError) else 500
        return self._page("problem.html", status, message=shown.message, hint=shown.hint)


class _WaitingError(Q2Error):
    """The store is being read for the first time."""


def make_app(store: Store, profile: str | None, hosts: Sequence[str]) -> ASGIApp:
    """Return the application.

    Args:
        store: the store to show.
        profile: whose scores; the one used last if None.
        hosts: names under which it may be asked, so that no foreign name leads to it.
    """
    watched = Watched(store, profile)
    watched.latest()
    pages = Pages(watched)
    app = Starlette(
        routes=[
            Route("/", pages.overview),
            Route("/search", pages.search),
            Route("/reply/{pair}", pages.reply),
            Route("/run", pages.run),
            Route("/style.css", pages.style),
            Route("/favicon.ico", lambda _: PlainTextResponse("", 404)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
        ],
        lifespan=watched.closing,
        exception_handlers=dict.fromkeys(
            (Q2Error, HTTPException, duckdb.Error, Exception), pages.problem
        ),
    )
    # Outermost, since Starlette answers an error that nobody foresaw outside its middleware.
    return _WithHeaders(app)


def runs_of(store: Store) -> dict[str, Any]:
    """Return the latest runs, the work done in the configuration of the last one, and the dates.

    Raises:
        DamagedFile: a small file is broken.
    """
    index = open_index(store, lenient=True)
    latest = sorted(index.runs, key=lambda run: run["started_at"], reverse=True)[:_RUNS_SHOWN]
    runs = [run | {"status": status_of_run(store, run)} for run in latest]
    today = datetime.now(UTC).date()
    return {
        "runs": runs,
        "last": runs[0] if runs else None,
        "stages": _stages(index, runs[0]) if runs else [],
        "dates": list(date_states(store, today))[-_DATES_SHOWN:][::-1],
        "now": datetime.now(UTC).strftime("%H:%M:%S UTC"),
    }


def _stages(index: StoreIndex, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each stage with the number of its shards that are done, and of all."""
    digests = set(digests_of(run).values())
    stages = {
        stage: {"stage": stage, "done": done, "shards": every}
        for configuration in index.all_configurations
        if configuration["digest"] in digests
        for stage, done, every in index.stages_done(configuration)
    }
    return list(stages.values())
