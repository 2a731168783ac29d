"""Writes the report as one HTML page: no file, script or font from elsewhere, and no request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files

from mediacrawl.observe.format import count, elapsed, plural, share, size
from mediacrawl.report.adapters import adapters_section
from mediacrawl.report.facts import CrawlReport, Host, Named
from mediacrawl.report.log_digest import LAST_PART, PARTS
from mediacrawl.report.plots import Axis, Numbers, Series, plot, ranking, text

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The Content-Security-Policy: the page can load nothing, whatever a title in it says."""
_SETTINGS = 60
_COLUMNS = (
    *("site", "requests", "records", "response", "delay", "received", "failures", "waiting", "state", "last failure"),
)
_KINDS = {
    "drop": "URLs that were dropped",
    "trouble": "Troubles with sites",
    "limit": "Answers beyond a limit",
    "failure": "Failures: requests without an answer, and answers that are no success",
}


def page(report: CrawlReport) -> str:
    """Return the page; it has at most 300 KB, whatever the size of the crawl."""
    sections = [
        ("progress", "Progress", _progress(report)),
        ("found", "What was found", _found(report)),
        ("harvest", "Harvest against chance", _harvest(report)),
        ("drops", "Drops and troubles", _drops(report)),
        ("adapters", "Site adapters", adapters_section(report.adapters)),
        ("hosts", "Hosts", _hosts(report)),
        ("politeness", "Politeness", _politeness(report)),
        ("sites", "Sites to look at", _sites(report)),
        ("settings", "Settings", _settings(report)),
    ]
    shown = [(name, title, body) for name, title, body in sections if body]
    links = "".join(f'<a href="#{name}">{text(title)}</a>' for name, title, _ in shown)
    body = "".join(f'<section id="{name}"><h2>{text(title)}</h2>{body}</section>' for name, title, body in shown)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{text(_title(report))}</title><style>{_resource('page.css')}</style></head><body>"
        f"<header>{_summary(report)}<nav aria-label='Sections'>{links}</nav></header><main>{body}</main>"
        f"<script>{_resource('page.js')}</script></body></html>\n"
    )


def _resource(name: str) -> str:
    return files("mediacrawl.report").joinpath(name).read_bytes().decode()


def _title(report: CrawlReport) -> str:
    # Without a catalogue the sites are not known.
    where = f" on {plural(report.media_sites, 'site')}" if report.found.records or not report.records else ""
    return f"mediacrawl: {plural(report.records, 'media file')}{where}"


# -- parts of the page ----------------------------------------------------------------------------------------


def _summary(report: CrawlReport) -> str:
    spent = max(report.last - report.began, 0.0) if report.began else 0.0
    state = {
        "running": ("good", "running"),
        "ended": ("good" if report.reason == "finished" else "bad", f"ended: {report.reason}"),
        "killed": ("bad", "killed, or the machine was switched off"),
        "not responding": ("bad", f"not responding since {_when(report.last)}: its process lives and stands still"),
    }.get(report.state, ("soft", "state unknown"))
    rate = report.requests / spent if spent else 0.0
    found = report.found
    facts = [
        ("media files", count(report.records), f"{size(report.media_bytes_total)}, {_hours(found.seconds)}"),
        ("pages read", count(report.pages), f"{_each(report.records, report.pages)} media files for each"),
        ("requests", count(report.requests), f"to {plural(report.sites_asked, 'site')}, {rate:.2g} a second"),
        (
            "received",
            size(report.bytes),
            f"{share(report.media_bytes_read, report.media_bytes_total)} of the media",
        ),
        ("URLs done", count(report.done), f"of {count(report.known)} known"),
        ("URLs waiting", count(report.waiting), f"{count(report.shelved)} on paused or retired sites"),
        ("time left", *_left(report)),
        ("failures", count(report.failed), share(report.failed, report.requests)),
    ]
    rows = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(value)}<small>{text(more)}</small></dd></div>"
        for name, value, more in facts
    )
    when = f"{_when(report.began)} to {_when(report.last)}, {elapsed(spent)}" if report.began else "no state was found"
    processes = f", {plural(report.processes, 'process')}" if report.processes > 1 else ""
    notes = "".join(f'<p class="bad">{text(note)}.</p>' for note in report.notes)
    return (
        f'<h1>{text(_title(report))}</h1><p class="soft"><span class="state {state[0]}">{text(state[1])}</span> '
        f"{text(when)}{text(processes)}. Report of {text(_when(report.made))}.</p>{notes}<dl class='facts'>{rows}</dl>"
    )


def _left(report: CrawlReport) -> tuple[str, str]:
    left = report.estimate
    if report.waiting and report.state not in {"running", "unknown"}:
        return "?", "the crawl does not run"
    if left.seconds is None or report.state == "unknown":
        return "?", left.sentence or "no samples"
    if not left.seconds:
        return "none", left.sentence
    return f"{'over ' if left.at_least else ''}{elapsed(left.seconds)}", left.sentence


def _progress(report: CrawlReport) -> str:
    parts = []
    if report.curve:
        times = [time for time, _, _ in report.curve]
        most = max(max(done or 0, waiting or 0) for _, done, waiting in report.curve)
        parts.append(
            plot(
                "URLs done and waiting",
                f"From {_when(times[0])} to {_when(times[-1])} the URLs done rose to {_maybe(report.curve[-1][1])}; "
                f"{_maybe(report.curve[-1][2])} waited at the end.",
                _time_axis(times),
                [
                    Series("done", "one", [done for _, done, _ in report.curve]),
                    Series("waiting", "two", [waiting for _, _, waiting in report.curve]),
                ],
                Numbers(count(most), [(_maybe(done), _maybe(waiting)) for _, done, waiting in report.curve]),
            )
        )
    if len(report.minutes) > 1:
        parts.append(f'<div class="half">{"".join(_rates(report))}</div>')
    if report.finds:
        parts.append(_last_finds(report))
    return "".join(parts)


def _rates(report: CrawlReport) -> Iterable[str]:
    axis = _time_axis([row[0] for row in report.minutes], [row[1] for row in report.minutes])
    for place, (name, style) in enumerate(
        [("requests", "three"), ("pages", "one"), ("records", "two"), ("bytes", "three")], 2
    ):
        values = [row[place] / (row[1] / 60.0) for row in report.minutes]
        shown = [size(int(value)) if name == "bytes" else _number(value) for value in values]
        top = shown[values.index(max(values))]
        sentence = f"The most is {top} a minute."
        title = f"{name.capitalize()} a minute"
        yield plot(
            title, sentence, axis, [Series(name, style, values, bars=True)], Numbers(top, [(one,) for one in shown])
        )


def _last_finds(report: CrawlReport) -> str:
    rows = "".join(
        f"<tr><td>{text(_clock(time))}</td><td class='long'>{text(title) or '<i>no title</i>'}</td>"
        f"<td>{text(site)}</td></tr>"
        for time, title, _, site in report.finds
    )
    return (
        "<details><summary>The last media files</summary><div class='wide'><table><thead><tr><th>time, UTC</th>"
        f"<th>title</th><th>site</th></tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _found(report: CrawlReport) -> str:
    found = report.found
    if not found.counted:
        return "<p>No record is stored yet.</p>"
    part = f" The newest {count(found.counted)} are counted here." if found.counted < found.records else ""
    mended = sum(found.mended.values())
    about = (
        f"<p>{text(share(found.titled, found.counted))} have a title. Of {plural(mended, 'record')} a text was decoded "
        f"with another encoding than the file declares.{part}</p>"
    )
    tables = [
        ranking("Formats", found.formats, name="format"),
        ranking("Languages", found.languages, name="language"),
        ranking("Encodings mended", found.mended, name="encoding"),
        ranking("Durations", found.durations, name="duration"),
        ranking("Years", _years(found.years), 16, name="year"),
        _examples(found.examples),
    ]
    return f'{about}<div class="pair">{"".join(tables)}</div>'


def _years(years: Mapping[str, int]) -> dict[str, int]:
    """Years, or decades if there are many."""
    if len(years) <= 16:
        return dict(years)
    decades: dict[str, int] = {}
    for year, number in years.items():
        decades[f"{year[:3]}0s"] = decades.get(f"{year[:3]}0s", 0) + number
    return decades


def _examples(examples: Sequence[tuple[str, str, str]]) -> str:
    if not examples:
        return ""
    rows = "".join(
        f"<tr><td>{text(declared[:60])}</td><td>{text(shown[:60])}</td></tr>" for _, declared, shown in examples[:8]
    )
    return (
        "<figure><figcaption><b>Mended titles</b></figcaption><table><thead><tr><th>as declared</th><th>as stored</th>"
        f"</tr></thead><tbody>{rows}</tbody></table></figure>"
    )


def _harvest(report: CrawlReport) -> str:
    if not report.harvest:
        return ""
    rows = report.harvest
    if report.ratio is not None:
        verdict = f"A URL gives {report.ratio:.3g} times as many finds as one that is picked at random."
    elif report.ratio_at_least is not None and report.ratio_at_least >= 1:
        verdict = f"A URL gives at least {report.ratio_at_least:.3g} times as many finds as one picked at random."
    else:
        verdict = "Too few URLs were picked at random to compare with chance."
    what = "A find is a record that NUGGET_FUNCTION counts as one: by default each one that is new."
    about = f"<p>{text(verdict)} {what} Random picks come from the same queue (FRONTIER_EXPLORE).</p>"
    if len(rows) < 2:
        return f"{about}<p>{rows[0][1]:.0f} new finds per 1,000 URLs, over {count(rows[0][0])}.</p>"
    rates = [rate for _, rate, _ in rows]
    chance = [even for _, _, even in rows]
    axis = Axis(
        [float(pages) for pages, _, _ in rows],
        [count(pages) for pages, _, _ in rows],
        [f"{count(rows[0][0])} URLs", f"{count(rows[-1][0])} URLs"],
        "URLs",
    )
    shown = [(f"{rate:.1f}", "" if even is None else f"{even:.1f}") for _, rate, even in rows]
    sentence = f"The rate is {rates[-1]:.1f} at the end."
    series = [Series("by the learned order", "one", rates), Series("random picks", "two", chance)]
    most = max([*rates, *(even for even in chance if even is not None)])
    return about + plot("New finds per 1,000 URLs", sentence, axis, series, Numbers(f"{most:.0f}", shown))


def _drops(report: CrawlReport) -> str:
    parts = []
    for kind, title in _KINDS.items():
        rows = [each for each in report.named if each.kind == kind][:50]
        if rows:
            parts.append(f"<h3>{text(title)}</h3>{_named(rows)}")
    return "".join(parts)


def _named(rows: Sequence[Named]) -> str:
    lines = "".join(
        f'<tr><th scope="row"><code>{text(each.name)}</code></th><td class="n">{count(each.count)}</td>'
        f'<td class="long">{text(each.meaning)}</td><td class="long soft">{text(each.example)}</td></tr>'
        for each in rows
    )
    head = "<th>name</th><th class='n'>count</th><th>meaning</th><th>example</th>"
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _hosts(report: CrawlReport) -> str:
    if not report.hosts:
        return ""
    head = "".join(
        f"<th{' class=n' if 0 < place < 8 else ''}{' aria-sort=descending' if place == 1 else ''}>"
        f'<button type="button">{text(name)}</button></th>'
        for place, name in enumerate(_COLUMNS)
    )
    rows = "".join(map(_host, report.hosts))
    rest = report.sites_asked - len(report.hosts)
    more = f" The {count(len(report.hosts))} with most requests; {count(rest)} more are in the log." if rest > 0 else ""
    return (
        f"<p>A click on a heading sorts.{text(more)}</p>"
        "<p><label>Show only <input id='filter' type='search'></label></p>"
        f'<div class="wide"><table class="sorted"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _host(host: Host) -> str:
    numbers = [
        (host.requests, count(host.requests)),
        (host.records, count(host.records)),
        (host.seconds, _response(host.seconds)),
        (host.delay, elapsed(host.delay)),
        (host.bytes, size(host.bytes)),
        (host.failures, count(host.failures)),
        (-1 if host.waiting is None else host.waiting, "" if host.waiting is None else count(host.waiting)),
    ]
    cells = "".join(f'<td class="n" data-v="{value}">{text(shown)}</td>' for value, shown in numbers)
    return f"<tr><td>{text(host.site)}</td>{cells}<td>{text(host.state)}</td><td>{text(host.error)}</td></tr>"


def _politeness(report: CrawlReport) -> str:
    proof = report.politeness
    if not proof.judged:
        return "<p>No site got a second request yet.</p>"
    if proof.too_soon:
        verdict = f'<p class="bad">{plural(proof.too_soon, "request", "was")} sent too soon. {text(proof.worst)}</p>'
    else:
        verdict = (
            f'<p class="good">Each of {plural(proof.judged, "request")} waited as long as it had to: nothing is left of'
            " 1.</p>"
        )
    found = dict(proof.bars)
    places = [place / PARTS for place in range(LAST_PART + 1)]
    values = [float(found.get(place, 0)) for place in places]
    axis = Axis(
        [*places[:-1], LAST_PART / PARTS + 1 / PARTS],
        [f"{place:g} to {place + 1 / PARTS:g}" for place in places[:-1]] + [f"{LAST_PART // PARTS} and more"],
        [*map(str, range(LAST_PART // PARTS)), f"{LAST_PART // PARTS}+"],
        "quotient",
        [1 / PARTS] * len(places),
        mark=1.0,
    )
    picture = plot(
        "Time since the last response, divided by the delay that was owed",
        f"Requests by that quotient. {count(proof.too_soon)} are left of 1.",
        axis,
        [Series("requests", "one", values, bars=True)],
        Numbers(count(int(max(values))), [(count(int(value)),) for value in values]),
    )
    return (
        f"{verdict}{picture}<p class='soft'>From the request log: the end of each response, and the next request.</p>"
    )


def _sites(report: CrawlReport) -> str:
    parts = [
        _site_table("Slowest", [(each.site, _response(each.seconds)) for each in report.slowest]),
        _site_table("Biggest", [(each.site, size(each.bytes)) for each in report.biggest]),
        _site_list("Resting: broken, or they asked to be left alone", report.resting, report.sites.get("resting", 0)),
        _site_list("Retired: their budget of requests is used up", report.retired, report.sites.get("retired", 0)),
        _site_list("Paused by the operator", report.paused, report.sites.get("paused", 0)),
    ]
    return f'<div class="pair">{"".join(parts)}</div>' if any(parts) else ""


def _site_table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(
        f"<tr><th scope='row'>{text(site)}</th><td class='n'>{text(value)}</td></tr>" for site, value in rows
    )
    return f"<figure><figcaption><b>{text(title)}</b></figcaption><table>{lines}</table></figure>" if rows else ""


def _site_list(title: str, sites: Sequence[str], number: int) -> str:
    if not sites and not number:
        return ""
    more = number - len(sites)
    names = ", ".join(map(text, sites)) + (f" and {count(more)} more" if more > 0 else "")
    heading = f"{text(title)} ({count(max(number, len(sites)))})"
    return f"<figure><figcaption><b>{heading}</b></figcaption><p>{names}</p></figure>"


def _settings(report: CrawlReport) -> str:
    rows = "".join(
        f'<tr><th scope="row"><code>{text(name)}</code></th><td class="long">{text(value)}</td></tr>'
        for name, value in list(report.settings.items())[:_SETTINGS]
    )
    places = "".join(
        f'<tr><th scope="row">{text(name)}</th><td class="long">{text(place)}</td></tr>'
        for name, place in report.places.items()
    )
    changed = (
        f"<p>These differ from their defaults.</p><table>{rows}</table>" if rows else "<p>All have their defaults.</p>"
    )
    version = (
        f"<p class='soft'>mediacrawl {text(report.version)}, spider {text(report.spider)}.</p>"
        if report.version
        else ""
    )
    return f"{changed}<h3>Files</h3><table>{places}</table>{version}" if places else changed


# -- words ----------------------------------------------------------------------------------------------------


def _time_axis(times: Sequence[float], spans: Sequence[float] = ()) -> Axis:
    end = times[-1] + (spans[-1] if spans else 0.0)
    length = end - times[0]
    middle = times[0] + length / 2
    labels = [_short(time, length) for time in ((times[0], middle, end) if length else times[:1])]
    return Axis(times, [_when(time) for time in times], labels, "time, UTC", spans)


def _maybe(number: int | None) -> str:
    return "" if number is None else count(number)


def _short(time: float, length: float) -> str:
    form = "%H:%M:%S" if length < 600 else "%H:%M" if length < 86_400 else "%d %b"
    return datetime.fromtimestamp(time, UTC).strftime(form)


def _when(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _clock(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%m-%d %H:%M:%S")


def _response(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else elapsed(seconds)


def _number(value: float) -> str:
    return f"{value:.1f}" if value < 10 else count(round(value))


def _hours(seconds: float) -> str:
    return f"{elapsed(seconds)} of playing time" if seconds else "no playing time"


def _each(part: float, whole: float) -> str:
    return f"{part / whole:.2g}" if whole else "0"
