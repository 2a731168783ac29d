"""The words of the synthetic web in eight languages: what pages, paths and hosts say of media, and of the rest.

Nobody who orders URLs may read this file: a word list is what the learner has to do without.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

FILLERS = 32
"""Words of titles in each language; a power of two, so that five bits name one."""
MARKS = 8
"""Words for media in each language."""


@dataclass(frozen=True, slots=True)
class Words:
    """One language.

    Attributes:
        code: of the language.
        marks: what sections, paths, titles and classes call media.
        calls: anchors of links to a file.
        hosts: what hosts with media are called, in ASCII.
        sections: what sections without media are called.
        roles: what lists, tags, users, comments, prints, downloads, links, plain pages and calendars are called.
        plain: anchors that say nothing.
        fillers: words of titles and texts.
    """

    code: str
    marks: tuple[str, ...]
    calls: tuple[str, ...]
    hosts: tuple[str, ...]
    sections: tuple[str, ...]
    roles: tuple[str, ...]
    plain: tuple[str, ...]
    fillers: tuple[str, ...]


def in_path(word: str) -> str:
    """A word as it is in a canonical URL."""
    return quote(word.lower())


def _words(code: str, *lines: str) -> Words:
    marks, calls, hosts, sections, roles, plain, fillers = (tuple(line.split()) for line in lines)
    return Words(code, marks, calls, hosts, sections, roles, plain, fillers)


# The order of roles: list tag user comments print download links about more calendar
LANGUAGES = (
    _words(
        "en",
        "podcast episode audio music song sermon recording lecture",
        "listen download mp3 play stream hear",
        "podcast radio sound music sermon audio tunes",
        "news letters blog products team reports stories travel garden history reviews projects",
        "posts tag author comments print get links about more calendar",
        "more here next back continue read",
        "water stone morning house river letter winter window paper bridge silver forest garden market road evening "
        "summer harbour kitchen family story island clouds teacher station bread mountain village doctor engine "
        "harvest lantern",
    ),
    _words(
        "de",
        "podcast folge hörbuch musik lied predigt aufnahme vorlesung",
        "anhören herunterladen mp3 abspielen hören mitschnitt",
        "podcast funk klang musik predigt hoer lied",
        "aktuelles verein berichte produkte team reisen garten geschichte projekte themen termin service",
        "beitraege schlagwort autor kommentare drucken laden verweise impressum weiteres kalender",
        "mehr weiter hier zurück lesen details",
        "wasser stein morgen haus fluss brief winter fenster papier brücke silber wald garten markt strasse abend "
        "sommer hafen küche familie erzählung insel wolken lehrer bahnhof brot berg dorf arzt motor ernte laterne",
    ),
    _words(
        "fr",
        "podcast épisode musique chanson émission conférence enregistrement écoute",
        "écouter télécharger mp3 lire réécouter diffuser",
        "musique onde chanson radio ecoute podcast son",
        "actualites association produits equipe voyages jardin histoire projets dossiers recettes presse services",
        "articles etiquette auteur commentaires imprimer obtenir liens apropos suite calendrier",
        "suite ici suivant retour lire détails",
        "eau pierre matin maison fleuve lettre hiver fenêtre papier pont argent forêt jardin marché route soir été "
        "port cuisine famille conte île nuages maître gare pain montagne village médecin moteur récolte lanterne",
    ),
    _words(
        "es",
        "podcast episodio música canción programa sermón grabación charla",
        "escuchar descargar mp3 reproducir oír emitir",
        "musica radio cancion podcast sonido audio voz",
        "noticias empresa productos equipo viajes jardin historia proyectos temas recetas prensa servicios",
        "entradas etiqueta autor comentarios imprimir bajar enlaces acerca otros calendario",
        "más aquí siguiente volver leer detalles",
        "agua piedra mañana casa río carta invierno ventana papel puente plata bosque jardín mercado camino tarde "
        "verano puerto cocina familia cuento isla nubes maestro estación pan montaña pueblo médico motor cosecha "
        "linterna",
    ),
    _words(
        "it",
        "podcast puntata musica canzone trasmissione omelia registrazione lezione",
        "ascolta scarica mp3 riproduci senti diretta",
        "musica radio canzone podcast suono ascolto voce",
        "notizie azienda prodotti squadra viaggi giardino storia progetti temi ricette giornali servizi",
        "articoli etichetta autore commenti stampa scaricare collegamenti chisiamo altro calendario",
        "altro qui avanti indietro leggi dettagli",
        "acqua pietra mattina casa fiume lettera inverno finestra carta ponte argento bosco giardino mercato strada "
        "sera estate porto cucina famiglia racconto isola nuvole maestro stazione pane montagna paese medico motore "
        "raccolto lanterna",
    ),
    _words(
        "pt",
        "podcast episódio música canção programa sermão gravação palestra",
        "ouvir baixar mp3 tocar escutar transmitir",
        "musica radio cancao podcast som ouvir voz",
        "noticias empresa produtos equipe viagens jardim historia projetos temas receitas imprensa servicos",
        "artigos marcador autor comentarios imprimir obter ligacoes sobre outros calendario",
        "mais aqui seguinte voltar ler detalhes",
        "água pedra manhã casa rio carta inverno janela papel ponte prata floresta jardim mercado caminho tarde "
        "verão porto cozinha família conto ilha nuvens mestre estação pão montanha aldeia médico motor colheita "
        "lanterna",
    ),
    _words(
        "ru",
        "подкаст выпуск музыка песня передача проповедь запись лекция",
        "слушать скачать mp3 играть прослушать эфир",
        "muzyka radio pesni podkast zvuk slushat golos",
        "новости компания товары команда поездки сад история проекты темы рецепты пресса услуги",
        "статьи метка автор отзывы печать взять ссылки инфо прочее календарь",
        "ещё сюда далее назад читать подробно",
        "вода камень утро дом река письмо зима окно бумага мост золото лес огород рынок дорога вечер лето гавань "
        "кухня семья рассказ остров облака учитель вокзал хлеб скала деревня врач мотор урожай фонарь",
    ),
    _words(
        "ja",
        "ポッドキャスト 放送回 音楽 歌 番組 説教 録音 講義",
        "聴く ダウンロード mp3 再生 視聴 配信",
        "ongaku oto uta hoso podcast koe rokuon",
        "お知らせ 会社 商品 仲間 旅行 庭 歴史 企画 話題 料理 報道 案内",
        "記事 札 著者 感想 印刷 取得 リンク 概要 その他 暦",
        "続き こちら 次へ 戻る 読む 詳細",
        "水 石 朝 家 川 手紙 冬 窓 紙 橋 銀 森 花壇 市場 道 夕方 夏 港 台所 家族 物語 島 雲 先生 駅 パン 山 村 "
        "医者 機関 収穫 提灯",
    ),
)

_STEMS = (
    "alba birke cedar delta eiche falke garn holm inda jura kranich linde mora nord orme pfad quelle rosen sand tal "
    "ufer vela wiese yara zeder anker blau corda drift eifel fjord gold heide iris jade kiefer luna mistral nebel "
    "ocker perle quarz regen sol terra ulme vento wolke arbol brisa campo dorf elster fenn grat hafen insel"
)
STEMS = tuple(_STEMS.split())
"""What hosts are called that say nothing."""
_ENDINGS = "hof werk land punkt netz shop info web blog park haus line group art lab press point zone box team"
ENDINGS = tuple(_ENDINGS.split())
"""How such names end."""

TELLING = ("episodes", "tracks", "audio-list", "playlist", "podcasts", "songs", "recordings", "downloads")
"""Classes of lists of media, where a page names them so."""
VAGUE = ("items", "list", "view-content", "posts", "entries", "rows", "results", "teasers", "boxes", "cards", "feature")
"""Classes of any list."""
