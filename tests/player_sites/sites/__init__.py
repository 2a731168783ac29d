"""All player sites: `SITES` is name -> site, those that hide their media most simply first."""

from player_sites.site import PlayerSite
from player_sites.sites.adverts import Adverts
from player_sites.sites.arkhiv import Arkhiv
from player_sites.sites.canalsur import CanalSur
from player_sites.sites.cinebox import Cinebox
from player_sites.sites.clips import Clips
from player_sites.sites.deska import Deska
from player_sites.sites.efimera import Efimera
from player_sites.sites.firma import Firma
from player_sites.sites.fjord import Fjord
from player_sites.sites.futago import Futago
from player_sites.sites.hoerspiel import Hoerspiel
from player_sites.sites.kanal import Kanal
from player_sites.sites.kinoteka import Kinoteka
from player_sites.sites.leden import Leden
from player_sites.sites.licznik import Licznik
from player_sites.sites.lugnet import Lugnet
from player_sites.sites.luister import Luister
from player_sites.sites.norae import Norae
from player_sites.sites.onsen import Onsen
from player_sites.sites.pochta import Pochta
from player_sites.sites.prosty import Prosty
from player_sites.sites.radiola import Radiola
from player_sites.sites.singular import Singular
from player_sites.sites.sinyal import Sinyal
from player_sites.sites.skarbiec import Skarbiec
from player_sites.sites.stories import Stories
from player_sites.sites.szalon import Szalon
from player_sites.sites.tuberia import Tuberia
from player_sites.sites.tvoyo import Tvoyo
from player_sites.sites.verboten import Verboten
from player_sites.sites.xiangsheng import Xiangsheng
from player_sites.sites.zamek import Zamek
from player_sites.sites.zive import Zive

_ALL: tuple[type[PlayerSite], ...] = (
    Clips,
    Tuberia,
    Hoerspiel,
    Kinoteka,
    Onsen,
    Radiola,
    Tvoyo,
    Cinebox,
    Pochta,
    Firma,
    Skarbiec,
    Deska,
    Luister,
    Fjord,
    Sinyal,
    Efimera,
    Arkhiv,
    Szalon,
    Adverts,
    Lugnet,
    Leden,
    Zamek,
    Verboten,
    Norae,
    Stories,
    Zive,
    Licznik,
    Prosty,
    Kanal,
    Xiangsheng,
    CanalSur,
    Futago,
    Singular,
)

SITES = {kind.name: kind() for kind in _ALL}
