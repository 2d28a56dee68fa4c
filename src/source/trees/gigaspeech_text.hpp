// The texts of GigaSpeech, which hold words for punctuation and for what is no speech.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardmill::source {

/// What recipes make of a text_tn: without the words for punctuation, unless `keeps_tags`. nullopt where it
/// stands for music, noise or silence.
std::optional<std::string> gigaspeech_text(std::string_view text_tn, bool keeps_tags);

/// Those that hold a part of this name as well: "XL L M S" of "s". The smaller ones are in the larger ones.
std::string_view gigaspeech_subsets(std::string_view part);

}  // namespace shardmill::source
