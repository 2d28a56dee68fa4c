// Corpora that are recognised, and cannot be read yet.
#include "source/corpora/list.hpp"

namespace shardmill::source {

constinit const Corpus kSwitchboard{.name = "Switchboard",
                                    .texts = "*/sw*-trans.text",
                                    .audio = "*/sw[0-9][0-9][0-9][0-9]*.sph",
                                    .needed = "its transcriptions"};

constinit const Corpus kCsj{.name = "CSJ, the Corpus of Spontaneous Japanese",
                            .texts = "*/SDB/*.sdb|*/SDB/*/*.sdb|*/TRN/Form1/*.trn|*/TRN/Form1/*/*.trn",
                            .needed = "its transcripts",
                            .in_archive = "*/SDB/*.sdb|*/TRN/Form1/*.trn|*/SDB/*/*.sdb|*/TRN/Form1/*/*.trn"};

}  // namespace shardmill::source
