"""All player sites: `SITES` is name -> site."""

from player_sites.site import PlayerSite
from player_sites.sites.cinebox import Cinebox
from player_sites.sites.clips import Clips
from player_sites.sites.hoerspiel import Hoerspiel
from player_sites.sites.kinoteka import Kinoteka
from player_sites.sites.onsen import Onsen
from player_sites.sites.radiola import Radiola
from player_sites.sites.tuberia import Tuberia
from player_sites.sites.tvoyo import Tvoyo

_ALL: tuple[type[PlayerSite], ...] = (Clips, Tuberia, Hoerspiel, Kinoteka, Onsen, Radiola, Tvoyo, Cinebox)

SITES = {kind.name: kind() for kind in _ALL}
