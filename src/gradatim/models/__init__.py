"""Architectures, one file each, built by name."""

from gradatim.models.alexnet import AlexNet
from gradatim.models.appnp import APPNP
from gradatim.models.bag_of_embeddings import BagOfEmbeddings
from gradatim.models.bert import BERT
from gradatim.models.bert_heads import (
    BERTClassifier,
    BERTSpanReader,
    BERTTagger,
    Spans,
    best_spans,
)
from gradatim.models.bert_pretraining import BERTPretraining
from gradatim.models.cheb_net import ChebNet
from gradatim.models.ctc import CTC
from gradatim.models.dcgan import DCGANDiscriminator, DCGANGenerator
from gradatim.models.decoder_inputs import shift_right
from gradatim.models.deep_sets import DeepSets, EquivariantDeepSets
from gradatim.models.densely_connected_mlp import DenselyConnectedMLP
from gradatim.models.densenet import DenseNet
from gradatim.models.fast_cnn import FastCNN, whitening_filters
from gradatim.models.feature_tagger import FeatureTagger
from gradatim.models.forecaster import Forecast, Forecaster
from gradatim.models.gat import GAT
from gradatim.models.gatv2 import GATv2
from gradatim.models.gcn import GCN
from gradatim.models.gin import GIN
from gradatim.models.gpt import GPT
from gradatim.models.graph_classifier import GraphClassifier
from gradatim.models.graph_sage import GraphSAGE
from gradatim.models.highway_mlp import HighwayMLP
from gradatim.models.hybrid_vit import HybridViT
from gradatim.models.image_coding import ImageDecoder, ImageEncoder
from gradatim.models.lenet import LeNet
from gradatim.models.link_predictor import LinkPredictor
from gradatim.models.lru import LRUStack
from gradatim.models.mlp import MLP
from gradatim.models.mlp_mixer import MLPMixer
from gradatim.models.mobilenet import MobileNetV2
from gradatim.models.ntk_mlp import NTKMLP
from gradatim.models.pair_net import PairNet
from gradatim.models.pointnet import PointNet, PointNetSegmenter, orthogonality_penalty
from gradatim.models.published import PublishedNetwork, published_resnet
from gradatim.models.published_bert import load_bert, published_minilm
from gradatim.models.published_images import load_image_network, published_mobilenet
from gradatim.models.recurrent_language_model import RecurrentLanguageModel
from gradatim.models.registry import MODELS, build, describe, rebuild
from gradatim.models.residual_mlp import ResidualMLP
from gradatim.models.resnet import CifarResNet, ResNet
from gradatim.models.reward_model import RewardModel
from gradatim.models.sentence_encoder import SentenceEncoder, mean_vector
from gradatim.models.seq2seq import Seq2Seq
from gradatim.models.sequence_autoencoder import SequenceAutoencoder
from gradatim.models.sequence_classifier import SequenceClassifier
from gradatim.models.sequence_encoder import Encoded, SequenceEncoder
from gradatim.models.sequence_generator import SequenceGenerator
from gradatim.models.sequence_tagger import SequenceTagger
from gradatim.models.sgc import SGC
from gradatim.models.skip_gram import SkipGram
from gradatim.models.tab_mlp import TabMLP
from gradatim.models.tcn import TCN
from gradatim.models.text_and_columns import TextAndColumns
from gradatim.models.time_mlp import TimeMLP
from gradatim.models.time_unet import TimeUNet
from gradatim.models.transformer import (
    DecodingState,
    Transformer,
    TransformerDecoder,
    TransformerEncoder,
)
from gradatim.models.unet import UNet
from gradatim.models.vgg import VGG
from gradatim.models.vit import ClassTokenEncoder, ViT
from gradatim.models.weights import check_weights, load_weights
from gradatim.models.word_vectors import Neighbour, WordVectors, published_glove

__all__ = [
    "Neighbour",
    "WordVectors",
    "published_glove",
    "APPNP",
    "BERT",
    "CTC",
    "GAT",
    "GCN",
    "GIN",
    "GPT",
    "MLP",
    "MODELS",
    "SGC",
    "TCN",
    "VGG",
    "AlexNet",
    "BERTClassifier",
    "BERTPretraining",
    "BERTSpanReader",
    "BERTTagger",
    "BagOfEmbeddings",
    "ChebNet",
    "CifarResNet",
    "ClassTokenEncoder",
    "DecodingState",
    "DCGANDiscriminator",
    "DCGANGenerator",
    "DeepSets",
    "DenseNet",
    "DenselyConnectedMLP",
    "Encoded",
    "EquivariantDeepSets",
    "FastCNN",
    "FeatureTagger",
    "Forecast",
    "Forecaster",
    "GATv2",
    "GraphClassifier",
    "GraphSAGE",
    "HighwayMLP",
    "HybridViT",
    "LRUStack",
    "ImageDecoder",
    "ImageEncoder",
    "LeNet",
    "LinkPredictor",
    "MLPMixer",
    "MobileNetV2",
    "NTKMLP",
    "PairNet",
    "PointNet",
    "PointNetSegmenter",
    "PublishedNetwork",
    "RecurrentLanguageModel",
    "ResNet",
    "ResidualMLP",
    "RewardModel",
    "SentenceEncoder",
    "Seq2Seq",
    "SequenceAutoencoder",
    "SequenceClassifier",
    "SequenceEncoder",
    "SequenceGenerator",
    "SequenceTagger",
    "SkipGram",
    "Spans",
    "TabMLP",
    "TextAndColumns",
    "TimeMLP",
    "TimeUNet",
    "Transformer",
    "TransformerDecoder",
    "TransformerEncoder",
    "UNet",
    "ViT",
    "best_spans",
    "build",
    "check_weights",
    "describe",
    "load_bert",
    "load_image_network",
    "load_weights",
    "mean_vector",
    "orthogonality_penalty",
    "published_minilm",
    "published_mobilenet",
    "published_resnet",
    "rebuild",
    "shift_right",
    "whitening_filters",
]
