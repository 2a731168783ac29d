"""The inputs of ``mess.py``: three or more of each kind. `mess_web` says how they are written."""

# ruff: noqa: E501, Q003, RUF001, ISC004 - what servers send is written as they send it

from __future__ import annotations

from mess_web import Answer, Text, Web, atom, dumped, item, page, prose, rss

TITLES = (
    "Evening Tide", "Ночной поезд", "Der alte Leuchtturm", "夜の港", "La Route du sel", "Η θάλασσα", "Canción del río",
    "Vinterljus", "Gölün kenarında", "Księżyc nad Wisłą", "شارع البحر", "O vento norte", "Third Lantern", "Снежный сад",
    "Brot und Salz", "雨の駅", "L'heure bleue", "Το παλιό σπίτι", "Bajo la higuera", "Långt hemifrån",
)  # fmt: skip
WEB = Web(TITLES)
site, show = WEB.site, WEB.show
PODCAST = "application/rss+xml"


def names(feed: str, label: str = PODCAST) -> str:
    """Return the head of a page that names a feed."""
    return f'<link rel="alternate" type="{label}" title="Feed" href="{feed}">'


# -- 1. One decision what an answer is ---------------------------------------------------------------------------

for number, (label, linked, feed) in enumerate(
    [
        ("text/html", True, rss("Kay", item("One: The Quay", "http://{host}/a/1.mp3"), item("Two: Ropes", "/a/2.mp3"))),
        ("text/html; charset=UTF-8", False, rss("Морзе", item("Первый сигнал", "/snd/01.ogg", type_="audio/ogg"))),
        ("text/plain", False, rss("Lamp", item("Oil", "/oil.m4a", type_="audio/x-m4a"), item("Wick", "/wick.mp3"))),
        ("text/rss", True, rss("Heide", item("Am Moor", "/moor.mp3"), item("Torf", "/torf.wav", type_="audio/wav"))),
        ("application/rss", False, rss("Kites", item("Lift", "/x/lift.mp3"), item("Drag", "/x/drag.flac"))),
        ("application/x-rss+xml", True, rss("Pont", item("Le pont neuf", "/p/neuf.mp3"))),
        ("text/xml,charset=utf-8", False, rss("Brine", item("Salt", "/salt.mp3"), item("Cod", "/cod.mp3"))),
        ("text/html", True, atom("Vela", ("Primera vela", '<link rel="enclosure" href="<</v1.mp3|Primera vela>>"/>'))),
        ("text/xml,charset=utf-8", False, atom("Ost", ("Ostwind", '<link href="<</o.mp3|Ostwind>>" rel="enclosure"/>'))),
        ("", True, rss("Nameless", item("No label", "/none.mp3"))),
    ]
):  # fmt: skip
    path = ("/feed", "/podcast/", "/index.php?do=rss", "/rss.asp", "/news/feed.cgi")[number % 5]
    body = "Episodes." if linked else f'<a href="{path}">Subscribe</a>'
    home = page(f"Show {number}", body, names(path, "application/atom+xml" if "Vela" in feed else PODCAST) * linked)
    site("feed, wrong label", f"show{number}-harbour.example", {"/": home, path: Text(feed, label)})

for number, (label, head) in enumerate(
    [
        ("application/json", names("/feed.json", "application/feed+json")),
        ("application/json; charset=utf-8", '<link href="/feed.json" type="application/json" rel="alternate">'),
        ("text/html", names("/feed.json", "application/feed+json")),
    ]
):
    entry = {"id": f"{number}", "title": f"Nachtwache {number}", "attachments": [
        {"url": f"<<http://{{host}}/j{number}.mp3|Nachtwache {number}>>", "mime_type": "audio/mpeg"}]}  # fmt: skip
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [entry]}
    site(
        "JSON Feed, wrong label",
        f"json{number}-wacht.example",
        {"/": page("J", "", head), "/feed.json": Text(dumped(feed), label)},
    )

for number, (path, label) in enumerate(
    [("/subscriptions.opml", "text/html"), ("/blogroll", "text/plain"), ("/list.php?f=opml", "text/xml,charset=utf-8")]
):
    outline = (
        '<?xml version="1.0"?><opml version="2.0"><head><title>O</title></head><body><outline text="Shows">'
        '<outline type="rss" text="A" xmlUrl="http://{host}/shows/a"/></outline></body></opml>'
    )
    feed = Text(rss("A", item(f"Outlined {number}", f"/o/{number}.mp3")), PODCAST)
    home = page("Roll", f'<a href="{path}">All shows</a>')
    site("OPML, wrong label", f"opml{number}-roll.example", {"/": home, path: Text(outline, label), "/shows/a": feed})

for number, (path, label, text) in enumerate(
    [
        ("/radio/list", "text/html", "#EXTM3U\n#EXTINF:61,Harbour Song\n<<one.mp3|Harbour Song>>\n#EXTINF:9,Net\n<<two.ogg|Net>>\n"),
        ("/p.php?id=4", "text/html; charset=iso-8859-1", "#EXTM3U\n#EXTINF:5,Cuatro\n<<http://{host}/c4.mp3|Cuatro>>\n"),
        ("/get/77", "text/plain", "#EXTM3U\r\n#EXTINF:-1,Siebzig\r\n<<../s/70.wav|Siebzig>>\r\n"),
    ]
):  # fmt: skip
    home = page("Player", f'<a href="{path}">Listen to all</a>')
    site("M3U, wrong label", f"m3u{number}-player.example", {"/": home, path: Text(text, label)})

HLS = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n<<!seg0.ts>>\n#EXTINF:6,\n<<!seg1.ts>>\n#EXT-X-ENDLIST\n"
for number, (path, label) in enumerate(
    [("/hls/concert", "text/html"), ("/vod.php?v=9", "text/plain"), ("/films/9/master", "application/octet-stream")]
):
    declared = f"{path}|Concert {number}||mp4"
    feed = rss("Concerts", item(f"Concert {number}", declared, type_="application/vnd.apple.mpegurl"))
    answers = {"/": page("Hall", "", names("/feed.xml")), "/feed.xml": Text(feed, PODCAST), path: Text(HLS, label)}
    site("HLS, wrong label", f"hall{number}-hls.example", answers)

for number, (label, disposition, path) in enumerate(
    [
        ("application/force-download", "", "/download.php?id=17"),
        ("application/octetstream", "", "/get.php?track=3&hq=1"),
        ("application/mp3", "", "/stream/4411"),
        ("application/download", "", "/dl.asp?f=12"),
        ("unknown/unknown", "", "/files/9c1d"),
        ("-", "", "/media/raw/5"),
        ("text/html", "", "/play.php?song=8"),
        ("text/html; charset=utf-8", "", "/audio.cgi?n=2"),
        ("binary/octet-stream", "", "/fetch.aspx?guid=aa-17"),
    ]
):
    form = ("mp3", "m4a", "ogg", "flac", "mp3", "wav", "mp3", "mp4", "opus")[number]
    home = page("Downloads", f'<p>Song <a href="<<{path}||{""}|{form}|{label}|{disposition}>>">download</a></p>')
    site("download script", f"dl{number}-songs.example", {"/": home})

for number, (header, label, path) in enumerate(
    [
        ('Content-Disposition: attachment; filename="walzer.mp3"', "application/octet-stream", "/d/?id=7"),
        ("Content-Disposition: inline; filename=polka.mp3", "text/html", "/get?x=polka"),
        ("Content-Disposition: attachment; filename*=UTF-8''%D0%BF%D0%B5%D1%81%D0%BD%D1%8F.mp3", "-", "/f/81"),
        ('content-disposition: attachment; filename="Live Set.M4A"', "application/x-download", "/export?set=5"),
    ]
):
    form = "m4a" if "M4A" in header else "mp3"
    site(
        "Content-Disposition",
        f"cd{number}-dance.example",
        {"/": page("Dances", f'<a href="<<{path}|||{form}|{label}|{header}>>">file</a>')},
    )

for number, (path, type_, form) in enumerate(
    [("/ep/1.bin", "audio/mpeg", "mp3"), ("/ep/2.zip", "audio/mp4", "m4a"), ("/ep/show.php/3.jpg", "audio/ogg", "ogg"), ("/e.pdf", "audio/mpeg", "mp3")]
):  # fmt: skip
    feed = rss(
        "Odd", item(f"Odd ending {number}", f"{path}|Odd ending {number}||{form}|application/octet-stream", type_=type_)
    )
    site(
        "enclosure, odd ending",
        f"odd{number}-end.example",
        {"/": page("Odd", "", names("/rss")), "/rss": Text(feed, PODCAST)},
    )

MAP = (
    '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:video='
    '"http://www.google.com/schemas/sitemap-video/1.1"><url><loc>http://{host}/w/1</loc><video:video><video:title>{title} '
    "</video:title><video:content_loc><<http://{host}/w/film.mp4|{title}>></video:content_loc></video:video></url><url><loc>"
    "http://{host}/w/2</loc></url></urlset>"
)
for number, path in enumerate(
    ["/map.txt.gz", "/sitemaps/all.gz", "/sm.php.gz", "/sitemap.xml.gz?v=2", "/SITEMAP.XML.GZ"]
):
    lists = {"/robots.txt": Text(f"User-agent: *\nAllow: /\nSitemap: http://{{host}}{path}\n", "text/plain")}
    plain = "http://{host}/w/1\nhttp://{host}/w/2\n"
    maps = {
        path: Text(plain if ".txt" in path else MAP.replace("{title}", f"Film {number}"), "application/x-gzip", gz=True)
    }
    pages = {"/w/1": page("One", "A film."), "/w/2": page("Two", '<audio controls src="<</w/two.mp3>>"></audio>')}
    site(
        "sitemap, odd name",
        f"map{number}-film.example",
        {"/": page("Film", "Nothing is linked."), **lists, **maps, **pages},
    )
for number, path in enumerate(["/maps/part.php?no=1", "/parts/0001.GZ", "/a/list.dat"]):
    index = (
        '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"<sitemap><loc>http://{{host}}{path}</loc></sitemap></sitemapindex>"
    )
    answers = {
        "/": page("Index", "Nothing is linked."),
        "/robots.txt": Text("User-agent: *\nDisallow:\nSitemap: http://{host}/sitemap_index.xml\n", "text/plain"),
        "/sitemap_index.xml": Text(index, "text/xml"),
        path: Text(MAP.replace("{title}", f"Kurzfilm {number}"), "application/octet-stream", gz="GZ" in path),
        "/w/2": page("Two", '<audio src="<</w/zwei.mp3>>" controls></audio>'),
    }
    site("sitemap, odd name", f"mapindex{number}-film.example", answers)

for number, (codec, label, path) in enumerate(
    [("utf-16", "audio/x-mpegurl", "/a.m3u"), ("utf-16-le", "application/octet-stream", "/b.m3u"), ("utf-16-be", "audio/mpegurl", "/c.m3u8")]
):  # fmt: skip
    mark = "" if codec == "utf-16" else "\ufeff"
    text = f"{mark}#EXTM3U\r\n#EXTINF:3,Песня моря {number}\r\n<</море/{number}.mp3|Песня моря {number}>>\r\n"
    site(
        "M3U in UTF-16",
        f"wide{number}-more.example",
        {"/": page("M", f'<a href="{path}">list</a>'), path: Text(text, label, encoding=codec)},
    )

for number, (path, label, text) in enumerate(
    [
        (
            "/live.asx",
            "video/x-ms-asf",
            "[Reference]\r\nRef1=<<http://{host}/r/1.mp3>>\r\nRef2=<<http://{host}/r/2.mp3>>\r\n",
        ),
        ("/show.asx", "text/plain", "[Reference]\nRef1=<<http://{host}/s.wav>>?MSWMExt=.asf\n"),
        ("/x/go.asx", "video/x-ms-asf", "[reference]\r\nref1 = <<http://{host}/x/go.m4a>>\r\n"),
    ]
):
    site(
        "ASX [Reference]",
        f"asx{number}-tv.example",
        {
            "/": page("TV", f'<a href="{path}">watch</a>'),
            path: Text(text.replace(">>?MSWMExt=.asf", "?MSWMExt=.asf>>").replace(".wav?", ".wav?"), label),
        },
    )

for number, link in enumerate(
    ["feed://{host}/pod/rss", "feed:http://{host}/pod/rss", "itpc://{host}/pod/rss", "pcast://{host}/pod/rss", "podcast://{host}/pod/rss"]
):  # fmt: skip
    feed = rss("Scheme", item(f"Scheme {number}", f"/pod/{number}.mp3"))
    site(
        "feed: and kin",
        f"scheme{number}-pod.example",
        {"/": page("S", f'<a href="{link}">Subscribe</a>'), "/pod/rss": Text(feed, PODCAST)},
    )

for number, (element, there) in enumerate(
    [
        ("<itunes:new-feed-url>http://moved0-new.example/feed</itunes:new-feed-url>", "http://moved0-new.example/feed"),
        ("<itunes:new-feed-url>\n http://{host}/2/podcast \n</itunes:new-feed-url>", "/2/podcast"),
        ("<itunes:new-feed-url><![CDATA[http://moved2-new.example/rss?show=2&x=1]]></itunes:new-feed-url>", "http://moved2-new.example/rss?show=2&x=1"),
    ]
):  # fmt: skip
    feed = rss("New", item(f"Umgezogen {number}", f"/new/{number}.mp3"))
    answers = {
        "/": page("Old", "", names("/feed")),
        "/feed": Text(rss("Old", head=element), PODCAST),
        there: Text(feed, PODCAST),
    }
    site("new-feed-url", f"moved{number}-old.example", answers)

ICE = '<iceStats xmlns="http://i.example"/>'
for number, (path, label, text) in enumerate(
    [
        ("/status-json.xsl", "text/json", dumped({"icestats": {"host": "ice0-fm.example", "source": {
            "listenurl": "<<http://ice0-fm.example:8000/live|Radio Ufer||station>>", "server_name": "Radio Ufer",
            "server_type": "audio/mpeg", "bitrate": 48}}})),
        ("/status-json.xsl", "application/json", dumped({"icestats": {"source": [
            {"listenurl": f"<<http://ice1-fm.example:8000/{name}|Kanal {name}||station>>", "server_name": f"Kanal {name}",
             "server_type": "audio/mpeg"} for name in ("rock", "jazz")]}})),
        ("/yp.xml", "text/xml", '<?xml version="1.0"?><directory><entry><server_name>Волна</server_name><listen_url>'
            "<<http://ice2-fm.example:8000/volna.mp3|Волна||station>></listen_url><server_type>audio/mpeg</server_type>"
            "<bitrate>48</bitrate><genre>Jazz</genre></entry></directory>"),
    ]
):  # fmt: skip
    site(
        "Icecast status",
        f"ice{number}-fm.example",
        {"/": page("FM", f'<a href="{path}">Status</a>'), path: Text(text, label)},
    )

for number, (path, body) in enumerate(
    [("/;", "<p>Up.</p>"), ("/;stream.mp3", "<p>Server is up.</p>"), ("/;?type=http&nocache=7", "")]
):
    where = f"http://cast{number}-fm.example:8010"
    home = page(
        "Radio", f'<a href="{where}/">Server</a> <a href="<<{where}{path}|Welle {number}||station>>">Listen</a>'
    )
    site("SHOUTcast /;", f"cast{number}-fm.example", {"/": home, f"{where}/": page("SHOUTcast", body)})

LISTEN = page("Listen", '<audio controls src="<<song.mp3>>"></audio>')
for number, (value, there) in enumerate(
    [("0; url=/in/", "/in/"), ("3;URL='welcome/'", "/welcome/"), ("0;url=http://{host}/hall/x.html", "/hall/x.html")]
):
    site(
        "Refresh header",
        f"fresh{number}-in.example",
        {"/": Text(page("Wait", ""), headers=(f"Refresh: {value}",)), there: LISTEN},
    )
for number, (tag, there) in enumerate(
    [
        ('<meta http-equiv="refresh" content="0; /start.html">', "/start.html"),
        ("<META HTTP-EQUIV='Refresh' CONTENT='1;URL=\"radio/start\"'>", "/radio/start"),
        ('<meta content="0;url=/a%20b/" http-equiv=refresh>', "/a%20b/"),
    ]
):
    site("meta refresh", f"meta{number}-in.example", {"/": page("Wait", "", tag), there: LISTEN})

# -- 2. Podcasts as publishers publish them ------------------------------------------------------------------------

for number, (feed_title, *urls) in enumerate(
    [
        ("One hop", "http://track0.example/e/^cdn0-files.example/one/1.mp3", "http://op3.dev/e/^cdn0-files.example/one/2.mp3"),
        ("Two hops", "https://track0.example/track/^stats1.example/r/^cdn1-files.example/2/ep1.mp3",
         "http://dts.podtrac.com/redirect.mp3/^chrt.fm/track/AB12/^cdn1-files.example/2/ep2.m4a"),
        ("Three hops", "http://pdst.fm/e/^chrt.fm/track/9F/^stats1.example/x/^cdn2-files.example/show/3/a.mp3"),
        ("Four hops", "http://track0.example/e/^stats1.example/e/^pdst.fm/e/^count2.example/e/^cdn3-files.example/s4/e1.mp3",
         "http://www.podtrac.com/pts/redirect.mp3/^pdst.fm/e/^chrt.fm/track/77/^mgln.ai/e/12/^cdn3-files.example/s4/e2.mp3"),
        ("Five hops", "http://pdst.fm/e/^mgln.ai/e/5/^claritaspod.com/measure/^chrt.fm/track/5/^count2.example/p/^cdn4-files.example/5.mp3"),
        ("Six hops", "http://track0.example/a/^stats1.example/b/^count2.example/c/^op3.dev/e/^pdst.fm/e/"
         "^media.blubrry.com/six/^cdn5-files.example/2024/05/17/six.mp3?source=feed"),
        ("Scheme inside", "https://op3.dev/e/^https://cdn6-files.example/deep/7.mp3", "http://op3.dev/e,pg=12-ab/^cdn6-files.example/8.mp3"),
    ]
):  # fmt: skip
    feed = rss(
        feed_title,
        *(item(f"{feed_title}, part {place}", url, f"final_mix_{number}{place}") for place, url in enumerate(urls)),
    )
    show("tracking prefixes", f"tracked{number}-show.example", feed)

for number, url in enumerate(
    [
        "http://track0.example/e/^old0-cdn.example/gone/1.mp3=>http://new0-cdn.example/now/1.mp3",
        "http://stats1.example/r/^pdst.fm/e/^old1-cdn.example/2.mp3=>http://new1-cdn.example/store/two.mp3",
        "http://chrt.fm/track/X1/^old2-cdn.example/show/3.m4a=>http://new2-cdn.example/3.m4a",
    ]
):
    feed = rss("Moved", item(f"Moved behind {number}", url, f"export {number}"))
    show("prefix, inner file gone", f"behind{number}-show.example", feed)

for number, url in enumerate(
    ["/mirror/www.seaside.fm/ep1.mp3", "/backup/old.tides.net/audio/2.mp3", "/sites/gulls.org/2019/gull.ogg"]
):
    inner = url.split("/", 2)[2]
    text = rss("Mirror", item(f"Mirror {number}", f"http://{{host}}{url}", f"m{number}"))
    answers = {
        "/": page("Mirror", "", names("/feed")),
        "/feed": Text(text, PODCAST),
        f"http://{inner}": Text("<p>none</p>", status=404),
    }
    site("folder like a host", f"mirror{number}-show.example", answers)

for number in range(3):
    # One tracker of three shows, whose URLs do not say where the files are.
    urls = {
        f"http://count-redirect.example/go/{n * 7 + number * 1000}": f"http://run{number}-daily.example/b{n}.mp3"
        for n in range(16)
    }
    feed = rss(
        "Daily",
        *(item(f"Run {number}, day {n}", f"{url}=>{file}", f"b{n}") for n, (url, file) in enumerate(urls.items())),
    )
    moved = {url: Text("moved", status=302, headers=(f"Location: {file}",)) for url, file in urls.items()}
    show("redirector's budget", f"run{number}-daily.example", feed, moved)

for number, text in enumerate(
    [
        rss(
            "Begin",
            item("Episode 1: Begin", "/1.mp3", "AUDIO_001_master"),
            item("Episode 2: Again", "/2.m4a", "Untitled Project"),
        ),
        rss(
            "Folge",
            item(
                "Folge 12 – Über Äpfel",
                "/f12.mp3",
                "f12_final_v3",
                "<itunes:title>Folge 12 – Über Äpfel</itunes:title>",
            ),
        ),
        atom(
            "Тишина",
            (
                "Выпуск 3. Тишина",
                '<link rel="enclosure" type="audio/mpeg" href="<</t/3.mp3|Track 03|Выпуск 3. Тишина>>"/>',
            ),
        ),
    ]
):
    show("the feed's title", f"words{number}-cast.example", text)

for number, text in enumerate(
    [
        rss(
            "Link",
            "<item><title>Link is the file</title><link><<http://{host}/l.mp3|raw1|Link is the file>></link></item>",
        ),
        rss(
            "Guid",
            '<item><title>Guid is the file</title><guid isPermaLink="true"><<http://{host}/g.mp3|raw2|Guid is the file>></guid></item>',
        ),
        rss(
            "Both",
            "<item><title>Both are</title><guid><<http://{host}/b.m4a|raw3|Both are>></guid><link>http://{host}/b.m4a</link></item>",
        ),
        atom(
            "Alt", ("Alternate is", '<link rel="alternate" type="audio/mpeg" href="<</alt.mp3|raw4|Alternate is>>"/>')
        ),
    ]
):
    show("link or guid is the file", f"guid{number}-cast.example", text)

for number, text in enumerate(
    [
        rss("H", '<item><title>Inside one</title><description>&lt;p&gt;Hear &lt;a href="<<http://{host}/h1.mp3|x1|Inside one>>"&gt;it&lt;/a&gt;'
            "</description></item>"),
        rss("H", "<item><title>Inside two</title><content:encoded><![CDATA[<p>So:</p><audio controls><source src='<</h/2.ogg|x2|Inside two>>'>"
            "</audio>]]></content:encoded></item>"),
        atom("H", ("Inside three", '<content type="html">&lt;video src="<<http://{host}/h3.mp4|x3|Inside three>>" controls&gt;&lt;/video&gt;</content>')),
    ]
):  # fmt: skip
    show("media in an item's HTML", f"inside{number}-cast.example", text)

for number, (old, new) in enumerate(
    [
        ('length="9000" type', 'length="9000"type'),
        ('length="9000"', "length=9000"),
        ('type="audio/mpeg"', "type=\u201caudio/mpeg\u201d"),
        ('<rss version="2.0"', "<rss version=2.0"),
        ("<itunes:image/>", "<itunes:image title='it's' href='/i.png'/>"),
        ("<itunes:image/>", '<itunes:image href="/a.png" href="/b.png" alt/>'),
    ]
):
    whole = rss(
        "Fault",
        item(f"Before {number}", f"/f{number}.mp3", f"t{number}"),
        item(f"After {number}", "/after.mp3", "u"),
        head="<itunes:image/>",
    )
    broken = {"/": page("Fault", "", names("/feed")), "/feed": Text(whole.replace(old, new), PODCAST)}
    site("fault in a start tag", f"fault{number}-cast.example", broken)

# -- 3. Pages as they are today -----------------------------------------------------------------------------------

WORDS = "harbour the of a lantern wind old and ropes fish in salt evening with boat gulls over water stone"
for number, (size, headers) in enumerate([(300_000, ()), (600_000, ()), (900_000, ("Content-Encoding: gzip",))]):
    body = prose(WORDS, size, number) + '<p><a href="<</end/last.mp3>>">The recording</a></p>'
    site("long page", f"long{number}-read.example", {"/": Text(page("A long read", body), headers=headers)})

for number, (base, link, there, more) in enumerate(
    [
        ("/music/", '<a href="">Home</a>', "/music/", ""),
        ("http://{host}/de/", '<a href="./">Start</a> <a href="lied/">Lied</a>', "/de/", "/de/lied/"),
        ("  //{host}/x/y/../ ", '<a href=".">All</a>', "/x/", ""),
        ("HTTP://{host}\\songs\\", '<a href="list.html">List</a>', "/songs/list.html", ""),
    ]
):
    listen = page("Songs", '<audio controls src="<</base/a.mp3>>"></audio>')
    answers = {"/": page("Base", link, f'<base href="{base}">'), there: listen}
    if more:
        answers[more] = page("More", '<audio controls src="<</base/b.mp3>>"></audio>')
    site("base href", f"base{number}-home.example", answers)

for number, body in enumerate(
    [
        '<template><a href="<<!/t/row.html>>">x</a><audio src="<<!/t/none.mp3>>"></audio></template><a href="<</real.mp3>>">real</a>',
        '<a href="<<!/{{ url }}>>">{{ title }}</a><a href="<<!/item/{{slug}}/>>">x</a><audio src="<</real.ogg>>" controls></audio>',
        '<a href="<<![object Object]>>">a</a><a href="<<!/a/[object%20Object]>>">b</a><a href="<</music/real.m4a>>">c</a>',
    ]
):
    site("templates", f"templ{number}-app.example", {"/": page("App", body)})

PLAYS = '<audio controls src="<<{}>>"></audio>'
for number, paths in enumerate(
    [
        ["/articles/2110/05/news162.html", "/articles/2110/06/news171.html", "/articles/2109/30/news001.html"],
        ["/2020/6/14/21290902/night-market-sounds", "/2021/11/3/22761007/quiet-cars", "/2019/1/2/18164301/whale-song"],
        ["/2023/09/14/1f0b2c4e-5a1d-4c53-9d0e-0a4f3c2b1a77/", "/2022/01/30/7d9e1b52-0c1f-4f0a-8a3e-6b5d4c3e2f10/"],
        ["/news/2018-07-09/harbour-fire-77120.html", "/news/20190211/ferry-strike.shtml"],
    ]
):
    links = "".join(f'<p><a href="{path}">News {place}</a></p>' for place, path in enumerate(paths))
    stories = {
        path: page(f"Story {place}", prose(WORDS, 900, place) + PLAYS.format(f"/clips/{place}.mp3"))
        for place, path in enumerate(paths)
    }
    site("news with dates", f"news{number}-daily.example", {"/": page("News", links), **stories})

for number, path in enumerate(
    ["/review/greator.com", "/docker.run", "/details/BurnC.c", "/talk/about-zope.py", "/music/on.rb", "/wiki/moon.lua", "/files/kernel32.dll", "/tv/show.run"]
):  # fmt: skip
    answers = {
        "/": page("Names", f'<a href="{path}">Read about it</a>'),
        path: page("About", PLAYS.format("/heard.mp3")),
    }
    site("page that ends in a name", f"named{number}-wiki.example", answers)

ABOUT = (
    "<p>Our station has been on the air since the winter of 1987, when four students carried a transmitter up the stairs of an "
    "old grain store. Today some sixty volunteers make programmes about music, gardens, ships and the town. Every show can be "
    "heard again for a year; older ones are kept by the museum, which opens on Thursdays. If you would like to join, write to "
    "the office or come by on the first Monday of a month. We are paid for by our listeners, and by nobody else. The studio has "
    "step-free access, a kitchen, two dogs, and a window from which the harbour can be seen when there is no fog.</p>"
)
for number, (pattern, shows, tile) in enumerate(
    [
        ("/list?page={}", "/show/{}", '<a href="{}"><img src="/i/play.png" alt=""></a>'),
        ("/archive/{}/", "/sendung-{}.html", '<li><a class="tile" href="{}">Listen</a></li>'),
        ("/p{}.html", "/watch?v=aa{}", '<div><a href="{}" style="background:url(/i/x.jpg)"></a></div>'),
    ]
):
    lists, single = {}, {}
    for n in range(5):
        paths = [shows.format(n * 2 + k) for k in range(2)]
        lists[pattern.format(n)] = page("All shows", ABOUT + "".join(tile.format(path) for path in paths))
        for path in paths:
            single[path] = page(
                f"Show {path}", prose(WORDS, 300, len(single)) + PLAYS.format(f"/mp3/{len(single)}.mp3")
            )
    links = "".join(f'<a href="{path}">{place}</a> ' for place, path in enumerate(lists))
    site("lists with equal text", f"lists{number}-tiles.example", {"/": page("Shows", links), **lists, **single})

APACHE = "<html><head><title>Index of {0}</title></head><body><h1>Index of {0}</h1><pre>{1}</pre></body></html>"
for number, (path, listing) in enumerate(
    [
        ("/pub/live%202019/", APACHE.format("/pub/live 2019", '<a href="?C=N;O=D">Name</a> <a href="?C=M;O=A">Last modified</a><hr><a href="/pub/">Parent '
            'Directory</a>\n<a href="<<01%20-%20opening.mp3>>">01 - opening.mp3</a> 5K\n<a href="http://listed0-mirror.example/pub/">mirror</a>')),
        ("/pub/a/b/", APACHE.format("/pub/a/b/", '<a href="../">../</a>\n<a href="<<rec%231.flac>>">rec#1.flac</a>  9K\n'
            '<a href="//listed1-mirror.example/pub/">other host</a>  -')),
        ("/pub/Music/", '<html><head><title>host - /pub/Music/</title></head><body><H1>host - /pub/Music/</H1><hr><pre><A HREF="/pub/">[To Parent '
            'Directory]</A><br> 1/2/2019 10:01 AM 9000 <A HREF="<</pub/Music/Take%20Five.wav>>">Take Five.wav</A><br><A HREF='
            '"http://listed2-mirror.example/pub/">Mirror</A></pre></body></html>'),
    ]
):  # fmt: skip
    mirror = APACHE.format("/pub", '<a href="/">Parent Directory</a>\n<a href="<<mirrored.ogg>>">mirrored.ogg</a>')
    answers = {
        "/": page("Files", f'<a href="{path}">Files</a>'),
        path: listing,
        f"http://listed{number}-mirror.example/pub/": mirror,
    }
    site("directory listing", f"listed{number}-files.example", answers)

# -- Media that only scripts name ------------------------------------------------------------------------------------

PLAY = '<button onclick="new Audio({}).play()">Play</button>'
SCRIPTS = {
    "script: variable": [
        '<script>var audioUrl="<</v/one.mp3>>";</script>' + PLAY.format("audioUrl"),
        "<script>\nlet sound = '<<http://{host}/v/two.ogg>>', volume = 1; if (!/mp3$/.test(sound)) sound += '<<!.mp3>>';\n</script>" + PLAY.format("sound"),
        "<script>const cfg = {}; cfg.file = `<</v/three.m4a>>`; var tpl = `<<!/v/${id}.mp3>>`;</script>" + PLAY.format("cfg.file"),
    ],
    "script: list of tracks": [
        '<script>var tracks=[{url:"<</t/1.mp3>>"},{url:"<</t/2.mp3>>"}];</script>' + PLAY.format("tracks[0].url"),
        "<script>playlist.add([{ 'name': 'x', 'mp3': '<<http://{host}/t/a.mp3>>' , 'n': 1}]);</script>",
        '<script>$(function(){ init({list: ["<</t/x.wav>>", "<</t/y.wav>>"], ext: "<<!.wav>>", all: "<<!*.wav>>"}) })</script>',
    ],
    "script: escaped JSON": [
        '<script>window.DATA = "{\\"src\\":\\"<<\\http://{host}/e/1.mp3>>\\"}";</script>',
        '<div data-state="{&quot;audio&quot;:&quot;<<\\http://{host}/e/2.mp3>>&quot;}"></div>',
        "<script>var j = JSON.parse('{\"u\":\"http:\\u002F\\u002F{host}\\u002Fe\\u002F3.m4a\"}')</script><<~/e/3.m4a>>",
    ],
    "script: onclick": [
        "<a href='#' onclick=\"play('<</on/x.mp3>>')\">Play</a>",
        '<span onclick=\'loadTrack(3, "<<http://{host}/on/y.ogg>>", true); return false\'>♪</span>',
        '<button onmousedown="snd(&quot;<</on/z.mp3>>&quot;)">z</button>',
    ],
    "script: javascript:": [
        "<a href=\"javascript:play('<</js/1.mp3>>')\">1</a>",
        "<a href='javascript:void(openPlayer(\"<<http://{host}/js/2.mp3>>\",300,200))'>2</a>",
        "<a href=\"javascript:popup(%27<</js/3.m4a>>%27);\">3</a>",
    ],
    "script: flashvars": [
        '<embed src="/player.swf" flashvars="file=<<%http://{host}/fl/1.mp3>>&amp;autostart=false">',
        '<object data="/p.swf"><param name="FlashVars" value="mp3=<</fl/2.mp3>>&amp;width=200"></object>',
        '<embed type="application/x-shockwave-flash" src="/dew.swf?mp3=<</fl/3.mp3>>">',
    ],
    "script: param": [
        '<object><param name="src" value="<</pa/1.mp3>>"></object>',
        '<object type="video/x-ms-wmv"><PARAM NAME="FileName" VALUE="<<http://{host}/pa/2.mp4>>"></object>',
        '<applet code="P.class"><param value="<</pa/3.wav>>" name="sound"></applet>',
    ],
    "script: option": [
        '<select onchange="go(this.value)"><option value="<</op/1.mp3>>">1</option><option value="<</op/2.mp3>>">2</option></select>',
        "<select id=s><option value='<<http://{host}/op/live.ogg>>' selected>Live</select>",
        '<datalist id="d"><option value="<</op/f.flac>>"></datalist>',
    ],
    "script: hidden input": [
        '<form><input type="hidden" name="audio" value="<</hi/1.mp3>>"><input type="file" accept="<<!.mp3>>,<<!.ogg>>"></form>',
        "<input value='<<http://{host}/hi/2.m4a>>' id=src type=hidden>",
        '<INPUT TYPE="HIDDEN" NAME="f" VALUE="<</hi/3.mp4>>">',
    ],
    "script: data attribute": [
        '<div class="p" data-config="{&quot;title&quot;:&quot;x&quot;,&quot;s&quot;:&quot;<</da/1.mp3>>&quot;}"></div>',
        "<li data-x='<<http://{host}/da/2.ogg>>' data-id=4>x</li>",
        '<a href="#" data-args="[3, \'<</da/3.mp3>>\', true]" data-x="<<!/da/{{id}}.mp3>>">x</a>',
    ],
    "script: srcdoc": [
        '<iframe srcdoc="&lt;audio src=&quot;<</sd/1.mp3>>&quot; controls&gt;&lt;/audio&gt;"></iframe>',
        "<iframe srcdoc='<a href=\"<</sd/2.mp3>>\">file</a>'></iframe>",
        '<iframe srcdoc="<video controls><source src=\'<<http://{host}/sd/3.mp4>>\'></video>"></iframe>',
    ],
    "script: amp-audio": [
        '<amp-audio width="auto" height="50" src="<</amp/1.mp3>>"></amp-audio>',
        "<amp-audio><source type='audio/ogg' src='<</amp/2.ogg>>'></amp-audio>",
        '<amp-video src="<<http://{host}/amp/3.mp4>>" layout="responsive"></amp-video>',
    ],
    "script: link rel": [
        '<link rel="enclosure" type="audio/mpeg" href="<</lr/1.mp3>>">',
        '<link rel="alternate" type="audio/mp4" href="<</lr/2.m4a>>" title="Listen">',
        "<link href='<</lr/stream3||||audio/ogg>>' type='audio/ogg' rel='alternate'>".replace("stream3||||", "stream3|||ogg|"),
    ],
    "script: plain text": [
        "<p>Copy this into your player: <<http://{host}/pt/1.mp3>></p>",
        "<pre>wget <<http://{host}/pt/2.flac>>\nplay 2.flac</pre>",
        "<textarea readonly>[audio]<<http://{host}/pt/3.mp3>>[/audio]</textarea>",
    ],
}  # fmt: skip
for kind, texts in SCRIPTS.items():
    for number, text in enumerate(texts):
        site(kind, f"{kind[8:].replace(' ', '').replace(':', '')}{number}-player.example", {"/": page("Player", text)})

# -- Servers ---------------------------------------------------------------------------------------------------------

SONG = page("Song", '<a href="<</songs/one.mp3>>">one</a>')
RULES = "User-agent: *\nDisallow: /private/\n"
SECRET = page("Song", '<a href="<</songs/one.mp3>>">one</a> <a href="<<!/private/two.mp3>>">two</a>')
for number, (framing, text) in enumerate(
    [("open", RULES), ("half", RULES + "Crawl-delay: 0\n"), ("open", "# none\nUser-Agent: *\nDisallow: /private\n")]
):
    answers = {"/": SECRET, "/robots.txt": Text(text, "text/plain", framing=framing)}
    site("robots.txt without its end", f"chunk{number}-srv.example", answers)

for number, text in enumerate(
    [
        Text(RULES, "text/plain", encoding="utf-16"),
        Text("\ufeff" + RULES.replace("\n", "\r\n"), "text/plain; charset=utf-8", encoding="utf-16-be"),
        Text(RULES, "text/plain", encoding="utf-16-le"),
        Text("{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Courier;}}\n\\f0\\fs20 User-agent: *\\par\nDisallow: /private/\\par\n}", "application/rtf"),
        Text("{\\rtf1\\mac\\cocoartf1671\n{\\fonttbl\\f0\\fswiss Helvetica;}\n\\pard\\tx720\\pardirnatural\n\\f0\\fs24 \\cf0 User-agent: *\\\nDisallow: /private/\\\n}", "text/plain"),
        Text("{\\rtf1\\ansi{\\*\\generator Riched20;}\\viewkind4\\pard User-agent: mediacrawl\\line Disallow: /private/\\par }", "text/plain"),
        Text("<html><head></head><body><pre>User-agent: *\nDisallow: /private/\n</pre></body></html>", "text/html"),
        Text("<!DOCTYPE html><html><body><p>User-agent: *<br>\nDisallow: /private/</p></body></html>", "text/html"),
        Text("<HTML><BODY>\nUser-agent: *<BR>Disallow: /private/<BR>Allow: /songs/<BR></BODY></HTML>", "text/plain"),
    ]
):  # fmt: skip
    kind = ("UTF-16", "RTF", "HTML")[number // 3]
    site(f"robots.txt in {kind}", f"robots{number}-srv.example", {"/": SECRET, "/robots.txt": text})

AGAIN = {"status": 302, "headers": ("Set-Cookie: seen=1; path=/", "Location: http://{host}/")}
for number, answers in enumerate(
    [
        {"/": Text(SONG, needs=("cookie", "seen=1"), otherwise=Text("", **AGAIN))},
        {"/": Text(SONG, needs=("cookie", "ok=yes"), otherwise=Text("", status=307, headers=("Location: /check?back=%2F",))),
         "/check?back=%2F": Text("", status=302, headers=("Set-Cookie: ok=yes; HttpOnly; Path=/", "Location: /"))},
        {"/": page("Menu", '<a href="/songs/">Songs</a>'),
         "/songs/": Text(SONG, needs=("cookie", "lang=en"), otherwise=Text("", status=302, headers=("Set-Cookie: lang=en", "Location: /songs/")))},
    ]
):  # fmt: skip
    site("redirect for a cookie", f"cookie{number}-srv.example", answers)

NOT = Text("<p>Not acceptable</p>", status=406)
PACKED = {"needs": ("accept-encoding", r"^((?!gzip|deflate|br).)*$"), "otherwise": NOT}
site("406 to Accept-Encoding", "accept0-srv.example", {"/": Text(SONG, **PACKED)})
STRICT = {
    "needs": ("accept-encoding", "^(gzip, deflate.*|)$"),
    "otherwise": Answer(b"Not acceptable", "text/plain", 406),
}
site("406 to Accept-Encoding", "accept1-srv.example", {"/": SONG}, {"/songs/one.mp3": STRICT})
NO_DEFLATE = {"needs": ("accept-encoding", r"^((?!deflate).)*$"), "otherwise": NOT}
FEED = Text(rss("A", item("Angenommen", "/a.m4a")), PODCAST, **NO_DEFLATE)
site("406 to Accept-Encoding", "accept2-srv.example", {"/": page("M", "", names("/feed")), "/feed": FEED})

for number, (link, pattern) in enumerate(
    [
        ("/files/one.mp3", r"^https?://referer0-srv\.example/$"),
        ("http://files1-store.example/two.mp3", r"^https?://referer1-srv\.example/"),
        ("http://files2-store.example/a/three.ogg", r"referer2-srv\.example"),
    ]
):
    home = page("Files", f'<a href="<<{link}>>">file</a>')
    site("Referer wanted", f"referer{number}-srv.example", {"/": home}, {link: {"needs": ("referer", pattern)}})

for number, (pattern, status) in enumerate([(r"\w", 406), (r"(?i)\ben\b|\*", 403), (r"^[\w*]", 400)]):
    asked = Text(SONG, needs=("accept-language", pattern), otherwise=Text("<p>?</p>", status=status))
    site("Accept-Language wanted", f"tongue{number}-srv.example", {"/": asked})
