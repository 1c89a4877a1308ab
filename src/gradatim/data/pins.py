"""SHA-256, bytes and name of every file that a download must deliver, after unpacking.

Compressed files are pinned by what they hold, so that two archives which packed the same bytes in
different ways both serve; a PNG is pinned by its pixels.
"""

from gradatim.data.entry import Member


def _pinned(table: str) -> tuple[Member, ...]:
    rows = [line.split() for line in table.strip().splitlines()]
    return tuple(Member(name, int(size), sha256) for sha256, size, name in rows)


MNIST = _pinned("""
ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db 47040016 train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5    60008 train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  7840016 t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2    10008 t10k-labels-idx1-ubyte
""")

FASHION_MNIST = _pinned("""
c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888 47040016 train-images-idx3-ubyte
bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9    60008 train-labels-idx1-ubyte
5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b  7840016 t10k-images-idx3-ubyte
0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34    10008 t10k-labels-idx1-ubyte
""")

CIFAR10 = _pinned("""
fc115a3de050d667b88cbd5b0b9612ebf996c54230fe7758f3a14bb5af9a1c27 30720000 data_batch_1
89e609b642f687bc796fa3bfa4211005582a0e8131d463d996d11ddb297d312e 30720000 data_batch_2
93a365823e61729490a8801d80864ccd0ab1e8c98f19d71af65644d1c5f1486e 30720000 data_batch_3
809eb95ecd057a36516318f5023ea619009dd70dd38193db9da43125a928e6fa 30720000 data_batch_4
d05b7d66d216d6df882cc760cdc0ff2f1f0437abf699ed16005c021ef0add9cb 30720000 data_batch_5
f9b1e2130bab680db56eb06d886f7f1ad0f1183907ceff4659d1735c890f5b04 30720000 test_batch
a3a0d804911c71de4b73015af980e237de5f82da7b1482a8efaf7adcc1722f45   100001 train_lables.json
a5df9ed6f395827dd69906fe5ac740be70395ca9d841974d4351818628b48bb6    20001 test_lables.json
""")

CIFAR10_RESNETS = _pinned("""
12fca82f0bebc4135bf1f32f6e3710e61d5108578464b84fd6d7f5c1b04036c8 1099231 resnet20.th
d509ac1820d7f25398913559d7e81a13229b1e7adc5648e3bfa5e22dc137f850 1890043 resnet32.th
014dd6541728a1c700b1642ab640e211dc6eb8ed507d70697458dc8f8a0ae2e4 2680855 resnet44.th
4bfd97631478d6b638d2764fd2baff3edb1d7d82252d54439343b6596b9b5367 3471733 resnet56.th
1d1ed7c27571399c1fef66969bc4df68d6a92c8e6c41170f444e120e5354e3bc 7031437 resnet110.th
""")

ZIP_CODE = _pinned("""
8b64477ea569a35743db90de01950e54cc69d8cf372adbeafc30b2e51337fa0d  6005677 USPS_train.txt
8f3a9b85fed740026c07290418f1009ef19b4913652f1d314faca49c382dfef4  1656119 USPS_test.txt
""")

SPAM = _pinned("""
80e4be086c075a0dfdce051598726e98755fa3554da95e1157daec0dda55d820  1168154 spambase.csv
""")

TINY_SHAKESPEARE = _pinned("""
86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed  1115394 input.txt
""")

IMDB = _pinned("""
325ab424eb6899870dd9294c6fe5be9265f66f8a2f63bcd941c6277cc1c17ea8 66365517 reviews.json
""")

SPOKEN_DIGITS = _pinned("""
27a701a4462e2b0b19bfed87d51a937b24f9f1413c8cdcdb99160e23d26349fa  2623137 digits.npz
""")

JAPANESE_VOWELS = _pinned("""
68a430eabd919cc77f40b1f5f3bc0dcafacc1486bca9260785aeb7d262cc78cd   487971 JapaneseVowels_TRAIN.ts
b3d41d6a0ca3bcad3afb9ca7d4365382aa51341e2e58bae2a574babdda5b9462   649132 JapaneseVowels_TEST.ts
""")

TATOEBA_SPA = _pinned("""
39cf9a51fed201f44c13dca0d2ace806e51624640242b160c20114916549407b 20931650 spa.tsv
""")

AIRLINE = _pinned("""
28af0eb869db6d9fbd31d5af03993a0cbf36c0857c3eb046a068c094b60da851     1744 Airline.csv
""")

SUNSPOTS = _pinned("""
f67889b1d9002cd5227f0e0ef54e35b419cdd85a31279adef6f73fb41e5c0a9b     2944 sunspots.csv
""")

CO2 = _pinned("""
16695fa2786e53414e5a6b54767a3fdf5de99cfbc68617f69d1362d92776a92f    33974 co2.csv
""")

NILE = _pinned("""
88e97bea7249e5832a85e41aec6ce4b8f7b1b14aae930c8363da7f193286b598      942 nile.csv
""")

ISLP = _pinned("""
387b35512e265608328881d7299f768f8010e21d27acd53e5a07456ea9ee3ff7    19004 Auto.csv
ac6950ae6f11efcc69c29d6bb13e8881c001e27d36434660d59444a1414f712c   567588 Bikeshare.csv
c9c9ac3fb3574db6ff1e7e11a03117d0ce8a5e2e817c3755fa5045fc66d9d94b    31378 Boston.csv
e83a297f26697726866d2ac99d3b6809c1d741190d1c586766ef15d8480f4d90     5216 BrainCancer.csv
e89d49b6fb8fe02d76bb5bb80d8e0dab473bf9f6a72515e30c259f6d7da42269  1013001 Caravan.csv
8ba4a46c31388d1149ac621ca55463302a6bc4fb64eed067ffae0d1ff71cfab8    16628 Carseats.csv
a6eb032988592d82af5dbe5025dc20ef8471ab18a8fe64b0edc29348ea7f648a    57053 College.csv
ebf2021c34aacdbb6b4a96cdaadea89991a944eb1cedb15ce519e7220c51a74d    23417 Credit.csv
d113590204485565bdd692b2d8430e7c2fcc72ec323df92314a745c99a0eefe9   404710 Default.csv
738f986f29389a7a5e640d81d3e56435efa1028e802c91f8e80d643a95217548  1781887 Fund.csv
ebf7b9dff89366b0544fea09c0ac2df9abdbf5b4ce8d96651316c2c12793d952    21003 Hitters.csv
f620e7c092bebd62697c48d0eb586a94533aea9cc98b2ecb65a8c8c2bfe2d05d   619501 Khan_xtest.csv
12148ef490588eb8ac9de3edc89551962a0499bfe78f39726ad58d8d72fd8e90  1512553 Khan_xtrain.csv
92fe0d43b0bb8351873102ca3651a39766c3708da37cf30042fa0fdc58ba01eb       44 Khan_ytest.csv
ac58f9c840e9e7c47bd17494cf0fe23e7fc9b5371e0d54c1a2a6038f45f637ab      130 Khan_ytrain.csv
c31dc79edc9560ae047a156644ad5abcd0001bb121ad8149ca4b9bd372b38073  3497088 NCI60data.npy
b1495c6b937d7f724de4e3065d4bd491e12c41da772a0665b596ae7b01ece16d      601 NCI60labs.csv
4bb3e2e9872b2f7e6e8701afb8873cd9f4b7e66ee0b1ba62c116ff2b3a2eec60   371105 NYSE.csv
9c42d598b2222ba93bc431778d5165019eb71ae93ee6277b264e2da305fba6f7    82975 OJ.csv
c561769e7c35dc9d2352d11868acecd53556b9586d430c95deaad9533fe8d7e2     3782 Portfolio.csv
d4074a6ab649cb534da6ba34bea8671316792cf87c45d0a11e6361cee535fc28    10746 Publication.csv
f685ddf13bb6fa07391fe752f5a2725f189ec92cce6ca01479f28a78c4da004e    94850 Smarket.csv
9c89796d7f2b9c77ffa76a2d2a2aa68ecccb4b36684fc2776f4c9e18c5fd4991   396242 Wage.csv
9acc713fd1da9b6cff9e826a4e2c617d6d03e9957069ce2e409f88abbc218f23    84560 Weekly.csv
""")

MINILM = _pinned("""
53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db 90868376 model.safetensors
953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41      612 config.json
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3   231508 vocab.txt
""")

VOCABULARIES = _pinned("""
196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783  1042301 gpt2-vocab.json
1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5   456318 gpt2-merges.txt
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3   231508 bert-base-uncased-vocab.txt
""")
