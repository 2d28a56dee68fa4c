// The words that stand for the values of recipe fields which have a choice.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "audio/transform.hpp"
#include "base/error.hpp"
#include "deal/even.hpp"
#include "pipeline/intake_options.hpp"
#include "shard/keys.hpp"

namespace shardmill::dataset {

template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};

inline constexpr std::array kYesNo{Word<bool>{"no", false}, Word<bool>{"yes", true}};
inline constexpr std::array kChannels{Word<bool>{"keep", false}, Word<bool>{"mono", true}};
inline constexpr std::array kKeyRules{Word<shard::KeyRule>{"wenet", shard::KeyRule::wenet},
                                      Word<shard::KeyRule>{"webdataset", shard::KeyRule::webdataset}};
inline constexpr std::array kTextPlaces{Word<pipeline::TextPlace>{"both", pipeline::TextPlace::both},
                                        Word<pipeline::TextPlace>{"members", pipeline::TextPlace::members},
                                        Word<pipeline::TextPlace>{"manifest", pipeline::TextPlace::manifest}};
using Container = audio::WantedForm::Container;
inline constexpr std::array kContainers{Word<Container>{"keep", Container::keep},
                                        Word<Container>{"wav", Container::wav},
                                        Word<Container>{"flac", Container::flac}};
inline constexpr std::array kEven{Word<deal::Even>{"off", deal::Even::off},
                                  Word<deal::Even>{"leave-out", deal::Even::leave_out},
                                  Word<deal::Even>{"repeat", deal::Even::repeat}};
inline constexpr std::array kOnError{Word<pipeline::OnError>{"stop", pipeline::OnError::stop},
                                     Word<pipeline::OnError>{"skip", pipeline::OnError::skip}};
inline constexpr std::array kOnDuplicate{
    Word<pipeline::OnDuplicate>{"stop", pipeline::OnDuplicate::stop},
    Word<pipeline::OnDuplicate>{"first", pipeline::OnDuplicate::first},
    Word<pipeline::OnDuplicate>{"rename", pipeline::OnDuplicate::rename}};

inline constexpr std::array kOnDuplicateAudio{
    Word<pipeline::OnDuplicateAudio>{"off", pipeline::OnDuplicateAudio::off},
    Word<pipeline::OnDuplicateAudio>{"stop", pipeline::OnDuplicateAudio::stop},
    Word<pipeline::OnDuplicateAudio>{"first", pipeline::OnDuplicateAudio::first}};

template <typename Words, typename Value>
std::string word_for(const Words& words, const Value& value) {
  for (const auto& each : words) {
    if (each.value == value) return std::string(each.word);
  }
  throw Error("a value has no word");
}

/// Throws Error, with all words as advice, for a text that is none of them.
template <typename Words>
auto value_of(const Words& words, std::string_view text) {
  std::string known;
  for (const auto& each : words) {
    if (each.word == text) return each.value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.word);
  }
  throw Error("is unknown", {}, "give one of " + known);
}

}  // namespace shardmill::dataset
