"""Player sites that were made after the learner of site adapters, by someone who had not read it.

The learner was developed on those of `player_sites.sites`; these tell whether it fits others. `UNSEEN` is name -> site;
their recordings are in ``recordings`` beside this file. ``PlayerWeb(UNSEEN.values())`` serves them, and
``PYTHONPATH=.:tests python -m player_sites.unseen.record [NAME ...]`` records them.
"""

from pathlib import Path

from player_sites.site import PlayerSite
from player_sites.unseen.addresses import Eiga, Helvetia, Kinosaal, Rundfunk, Samtykke, Teleport
from player_sites.unseen.broadcasters import Abendschau, Beeb, Gramofon, Kinescope, Razgovori, Vlna
from player_sites.unseen.frameworks import Biblioteka, NextFilm, Peerish, Stadtarchiv, WpCast, WpNonce
from player_sites.unseen.hosters import Brightly, Fernrohr, Jwish, Klangwolke, Podkast
from player_sites.unseen.refused import (
    Bandowo,
    Cadenas,
    Doorway,
    Episoder,
    Klubben,
    Krotki,
    Postkino,
    Sigma,
    Szyfr,
)
from player_sites.unseen.streams import Canale, Pikseli

FOLDER = Path(__file__).parent / "recordings"
_ALL: tuple[type[PlayerSite], ...] = (
    NextFilm,
    WpCast,
    WpNonce,
    Stadtarchiv,
    Biblioteka,
    Peerish,
    Podkast,
    Brightly,
    Jwish,
    Klangwolke,
    Fernrohr,
    Beeb,
    Abendschau,
    Kinescope,
    Gramofon,
    Razgovori,
    Vlna,
    Rundfunk,
    Teleport,
    Helvetia,
    Samtykke,
    Eiga,
    Kinosaal,
    Pikseli,
    Canale,
    Krotki,
    Episoder,
    Postkino,
    Sigma,
    Klubben,
    Doorway,
    Szyfr,
    Cadenas,
    Bandowo,
)

UNSEEN = {kind.name: kind() for kind in _ALL}
