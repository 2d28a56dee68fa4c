// Switchboard, which cannot be read yet.
#include "source/corpora/list.hpp"

namespace shardmill::source {

constinit const Corpus kSwitchboard{.name = "Switchboard",
                                    .texts = "*/sw*-trans.text",
                                    .audio = "*/sw[0-9][0-9][0-9][0-9]*.sph",
                                    .needed = "its transcriptions"};

}  // namespace shardmill::source
