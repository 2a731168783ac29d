"""The words by which the learner tells what something is: names of fields, parameters and headers."""

from __future__ import annotations

_TABLE = """
title: title name headline videotitle episodetitle tracktitle songtitle fulltitle displayname label titel titre titulo
    titolo tytul nome nom nombre
duration: duration length durationseconds durationinseconds durationsec lengthseconds lengthinseconds seconds secs sec
    durationms durationmillis durationmilliseconds lengthms runtime runtimems runtimeseconds durationminutes minutes
    playtime playtimeseconds dur len time millis milliseconds dauer duree duracion durata duracao minutos minuten
    segundos sekunden secondes czastrwania speelduur sekunder sure czas trvani doba hossz varighet langd kesto ms
date: datepublished published publishedat publishdate publisheddate publicationdate pubdate uploaddate uploadedat
    uploaded releasedate released releasedat airdate airedat onair aired broadcastdate date created createdat
    creationdate added addedat day publishedon firstpublished issued timestamp broadcast premiere datum fecha data
thumbnail: thumbnail thumbnailurl thumb thumburl poster posterurl image imageurl cover coverurl artwork artworkurl
    picture pictureurl preview previewurl still img thumbnails images pictures covers art screenshot pic bild vignette
description: description summary synopsis excerpt abstract longdescription shortdescription
artist: artist artistname author authorname creator performer uploader channel artists owner
album: album albumtitle albumname
around: meta metadata info details detail snippet attributes about data content facts art images pictures media item
    video audio episode clip track
inner: name displayname title url src href text value rendered ms sec seconds
ids: id key guid uuid slug code number pid vid permalink hash ref
item_ids: id key guid uuid slug videoid mediaid permalink
titles: title name headline label caption
measures: height width bitrate bandwidth quality res resolution fps codec codecs rate kbps container profile
    definition size filesize format ext
qualities: label type mimetype mime kind protocol delivery contenttype default
signatures: sig sign signature token hash hmac policy keypairid md5 sha1 sha256 checksum mac hdnts hdnea hdntl verify
    authhash securetoken hashkey urlsig lsig wmsauthsign
short_signs: s h k st sn a auth secure key chk sg
expiries: expires expire expiry expiration exp validuntil validto until deadline ttl endtime expiretime expiresat
    xamzexpires xamzdate xgoogexpires xgoogdate validfrom
made_up: _ __ cb rnd rand random nocache nc cache cachebust cachebuster bust ord t ts time timestamp now sid session
    sess sessionid sessid visitor visit visitid visitorid uuid guid clientid deviceid playerid playerinstance instance
    req reqid requestid trace traceid nonce pv pageview pageviewid correlator
by_browser: accept accept-encoding accept-language user-agent referer origin host connection cache-control pragma
    range dnt te priority purpose cookie cookie2 save-data upgrade-insecure-requests content-type content-length
    x-requested-with device-memory dpr viewport-width width rtt downlink ect alt-used keep-alive x-client-data
tracing: traceparent tracestate baggage sentry-trace newrelic request-id request-context x-request-id x-correlation-id
    x-trace-id x-amzn-trace-id x-cloud-trace-context uber-trace-id elastic-apm-traceparent x-client-trace-id
    x-requestid x-transaction-id
common: en de fr us audio video mp3 mp4
flags: true false null none yes no
whole/authorization: auth basicauth httpauth
whole/signature: hdnea hdntl hdnts
whole/password: pass pw
whole/session: sess session
whole/csrf: wpnonce
parameter/authorization: code state
parameter/signature: policy keypairid
parameter/account: email mail emailaddress useremail username userid login phone phonenumber msisdn customerid memberid
    iban cardnumber
long_value: code state policy login
last/csrf: csrf xsrf
last/signature: hmac sig
last/jwt: jwt
last/password: otp pwd
last/session: sid
ending/api_key: accesskey accesskeyid apikey privatekey secretkey subscriptionkey
ending/authorization: authcode authhash authkey authorization credential credentials
ending/csrf: authenticitytoken csrfhash csrfmiddlewaretoken csrftoken csrfvalue requestverificationtoken xsrftoken
ending/password: passcode passphrase passwd password passwordconfirm passwordconfirmation passwordhash passwort secret
ending/session: sessid sessionhash sessionid sessionkey
ending/signature: signature
ending/token: token tokenvalue
no_secret: pagetoken continuationtoken cursortoken synctoken offsettoken
header/cookie: cookie cookie2 set-cookie set-cookie2
header/authorization: authorization proxy-authorization authentication-info x-auth api-auth
header/session: x-session
"""

WORDS: dict[str, tuple[str, ...]] = {}
"""Name of a list -> its words, in lower case, the best first."""
for _word in _TABLE.split():
    if _word.endswith(":"):
        _list = _word[:-1]
        WORDS[_list] = ()
    else:
        WORDS[_list] += (_word,)
