// Corpora that are recognised, and cannot be read yet.
#include "source/corpora/list.hpp"

namespace shardmill::source {

constinit const Corpus kSwitchboard{.name = "Switchboard",
                                    .texts = "*/sw*-trans.text",
                                    .audio = "*/sw[0-9][0-9][0-9][0-9]*.sph",
                                    .needed = "its transcriptions"};

constinit const Corpus kMTedX{
    .name = "Multilingual TEDx",
    .texts = "*/data/*/vtt/*.vtt|*/data/train/txt/train.yaml|*/data/valid/txt/valid.yaml",
    .needed = "its transcripts"};

constinit const Corpus kReazonSpeech{
    .name = "ReazonSpeech",
    .texts = "*/tsv/tiny.tsv|*/tsv/small.tsv|*/tsv/medium.tsv|*/tsv/large.tsv|*/tsv/all.tsv",
    .needed = "its tsv/"};

}  // namespace shardmill::source
