"""Language tags: what files, feeds and pages write for a language, as BCP 47 (RFC 5646) writes it."""

from __future__ import annotations

import re

_NAMES = """
    aa/aar/afar ab/abk/abkhazian ae/ave/avestan af/afr/afrikaans ak/aka/akan am/amh/amharic an/arg/aragonese
    ar/ara/arabic as/asm/assamese av/ava/avaric ay/aym/aymara az/aze/azerbaijani ba/bak/bashkir be/bel/belarusian
    bg/bul/bulgarian bi/bis/bislama bm/bam/bambara bn/ben/bengali bo/bod/tib/tibetan br/bre/breton bs/bos/bosnian
    ca/cat/catalan ce/che/chechen ch/cha/chamorro co/cos/corsican cr/cre/cree cs/ces/cze/czech cu/chu/church_slavic
    cv/chv/chuvash cy/cym/wel/welsh da/dan/danish de/deu/ger/german dv/div/divehi dz/dzo/dzongkha ee/ewe/ewe
    el/ell/gre/modern_greek en/eng/english eo/epo/esperanto es/spa/spanish et/est/estonian eu/eus/baq/basque
    fa/fas/per/persian ff/ful/fulah fi/fin/finnish fj/fij/fijian fo/fao/faroese fr/fra/fre/french
    fy/fry/western_frisian ga/gle/irish gd/gla/scottish_gaelic gl/glg/galician gn/grn/guarani gu/guj/gujarati
    gv/glv/manx ha/hau/hausa he/heb/hebrew hi/hin/hindi ho/hmo/hiri_motu hr/hrv/croatian ht/hat/haitian
    hu/hun/hungarian hy/hye/arm/armenian hz/her/herero ia/ina/interlingua id/ind/indonesian ie/ile/interlingue
    ig/ibo/igbo ii/iii/sichuan_yi ik/ipk/inupiaq io/ido/ido is/isl/ice/icelandic it/ita/italian iu/iku/inuktitut
    ja/jpn/japanese jv/jav/javanese ka/kat/geo/georgian kg/kon/kongo ki/kik/kikuyu kj/kua/kuanyama kk/kaz/kazakh
    kl/kal/kalaallisut km/khm/khmer kn/kan/kannada ko/kor/korean kr/kau/kanuri ks/kas/kashmiri ku/kur/kurdish
    kv/kom/komi kw/cor/cornish ky/kir/kirghiz la/lat/latin lb/ltz/luxembourgish lg/lug/ganda li/lim/limburgan
    ln/lin/lingala lo/lao/lao lt/lit/lithuanian lu/lub/luba-katanga lv/lav/latvian mg/mlg/malagasy
    mh/mah/marshallese mi/mri/mao/maori mk/mkd/mac/macedonian ml/mal/malayalam mn/mon/mongolian mr/mar/marathi
    ms/msa/may/malay mt/mlt/maltese my/mya/bur/burmese na/nau/nauru nb/nob/norwegian_bokmål nd/nde/north_ndebele
    ne/nep/nepali ng/ndo/ndonga nl/nld/dut/dutch nn/nno/norwegian_nynorsk no/nor/norwegian nr/nbl/south_ndebele
    nv/nav/navajo ny/nya/chichewa oc/oci/occitan oj/oji/ojibwa om/orm/oromo or/ori/oriya os/oss/ossetian
    pa/pan/panjabi pi/pli/pali pl/pol/polish ps/pus/pushto pt/por/portuguese qu/que/quechua rm/roh/romansh
    rn/run/rundi ro/ron/rum/romanian ru/rus/russian rw/kin/kinyarwanda sa/san/sanskrit sc/srd/sardinian
    sd/snd/sindhi se/sme/northern_sami sg/sag/sango sh/hbs/serbo-croatian si/sin/sinhala sk/slk/slo/slovak
    sl/slv/slovenian sm/smo/samoan sn/sna/shona so/som/somali sq/sqi/alb/albanian sr/srp/serbian ss/ssw/swati
    st/sot/southern_sotho su/sun/sundanese sv/swe/swedish sw/swa/swahili ta/tam/tamil te/tel/telugu tg/tgk/tajik
    th/tha/thai ti/tir/tigrinya tk/tuk/turkmen tl/tgl/tagalog tn/tsn/tswana to/ton/tonga tr/tur/turkish
    ts/tso/tsonga tt/tat/tatar tw/twi/twi ty/tah/tahitian ug/uig/uighur uk/ukr/ukrainian ur/urd/urdu uz/uzb/uzbek
    ve/ven/venda vi/vie/vietnamese vo/vol/volapük wa/wln/walloon wo/wol/wolof xh/xho/xhosa yi/yid/yiddish
    yo/yor/yoruba za/zha/zhuang zh/zho/chi/chinese zu/zul/zulu
    nb/nob/norwegian_bokmal el/greek zh/cmn ms/zsm bh/bih/bihari
    he/iw id/in yi/ji jv/jw ro/mo/mol/moldavian sr/scc hr/scr
"""
"""Codes of ISO 639-1 with those of ISO 639-2, terminological first, and the English name. The last line has codes that
were withdrawn, with those in their place (IANA's registry of language subtags; ISO 639-2)."""

_SHORTEST = {name.replace("_", " "): codes.split("/")[0] for codes in _NAMES.split() for name in codes.split("/")}
_NONE = frozenset({"und", "mul", "zxx", "mis", "xxx", "unk"})
"""Codes for no language, several or an unknown one; taggers write ``XXX`` (ID3v2.4, 4.2.1) for unknown."""
_is_private = re.compile(r"q[a-t][a-z]", re.ASCII).fullmatch
"""Codes for private use (RFC 5646, 2.2.1); broadcasters write ``qaa`` for the original sound."""
_REGIONS = {"uk": "gb"}
"""Regions that are written otherwise in the registry."""
_END = "(?![a-z0-9])"
_TAG = re.compile(
    rf"([a-z]{{2,3}}{_END})(?:-([a-z]{{4}}){_END})?(?:-([a-z]{{2}}|[0-9]{{3}}){_END})?"
    rf"((?:-(?:[a-z0-9]{{5,8}}|[0-9][a-z0-9]{{3}}){_END})*)(?:[-.@].*)?",
    re.ASCII | re.DOTALL,
)
"""Behind a tag there may be extensions, or what POSIX writes: ``en_US.UTF-8``, ``sr_RS@latin``. Other words are a text
that happens to begin like one: ``no language``."""
_LONGEST = 60


def bcp47(text: str | None) -> str | None:
    """Return the language tag of what somebody wrote: ``ger``, ``de_AT``, ``German`` are ``de``, ``de-AT``, ``de``.

    The shortest code of a language is used (RFC 5646, 2.2.1), scripts have a capital, regions have capitals
    (2.1.1). Extensions and private parts are left out. Of several languages, separated by a slash, a comma or a
    semicolon, the first counts. None for no language (``und``, ``zxx``, ``XXX``) and for what is none. Of three
    letters any are taken, since ISO 639-3 has some 8,000 codes.
    """
    first = re.split(r"[/,;\0]", (text or "").strip().lower()[:_LONGEST])[0].strip()
    if first in _SHORTEST:
        return _SHORTEST[first]
    match = _TAG.fullmatch(first.replace("_", "-"))
    if not match:
        return None
    language, script, region, variants = match.groups()
    language = _SHORTEST.get(language, language)
    if language in _NONE or _is_private(language) or (len(language) == 2 and language not in _SHORTEST):
        return None
    region = _REGIONS.get(region, region)
    parts = (language, (script or "").title(), (region or "").upper(), variants.removeprefix("-"))
    return "-".join(filter(None, parts))
