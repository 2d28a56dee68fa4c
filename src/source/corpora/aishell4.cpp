// AISHELL-4: PART/wav/ID.flac and PART/TextGrid/ID.TextGrid.
#include <fmt/format.h>

#include "source/corpora/list.hpp"
#include "source/texts/tree_meetings.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

/// The speakers have numbers in their own recording only.
class Aishell4 final : public TreeMeetings {
 public:
  using TreeMeetings::TreeMeetings;

 private:
  Speaker speaker_of(const std::string& id, const std::string& tier) const override {
    return {.name = fmt::format("{}-{}", id, tier), .gender = {}};
  }
  std::string_view subset_of(std::string_view audio) const override {
    return folder_among(audio, {"train_L", "train_M", "train_S", "test"});
  }
};

}  // namespace

constinit const Corpus kAishell4{.prefix = "aishell4",
                                 .name = "AISHELL-4",
                                 .texts = "*.TextGrid",
                                 .beside_texts = "*/*_[SML]_R[0-9]*",
                                 .audio = "*/*_[SML]_R[0-9]*S[0-9]*",
                                 .needed = "TextGrid/*.TextGrid",
                                 .in_archive = "*/TextGrid/*.TextGrid|*/wav/*_[SML]_R[0-9]*S[0-9]*",
                                 .make = make_tree<Aishell4>};

}  // namespace shardmill::source
