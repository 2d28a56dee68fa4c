// Writes values of recipe fields as text, and reads them. The functions that read throw Error; its problem
// continues the sentence that "--NAME VALUE" begins: "is not a number".
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "audio/transform.hpp"
#include "base/error.hpp"
#include "deal/even.hpp"
#include "deal/loader_rule.hpp"
#include "pipeline/intake_options.hpp"
#include "shard/keys.hpp"

namespace shardmill::dataset {

inline constexpr std::string_view kNone = "none";
inline constexpr std::string_view kNoFile = "(none)";  // a file may well be called none

std::uint64_t number_of(std::string_view text);
/// A number from 1.
std::uint64_t positive_of(std::string_view text);
/// A plain number of seconds as it is recorded, or with units as people write it.
double seconds_of(std::string_view text);
double decimal_of(std::string_view text, std::string_view problem);

/// "1%", or "none".
std::string percent_text(const std::optional<double>& percent);
std::optional<double> percent_of(std::string_view text);

/// "none" for 0.
std::string limit_text(std::uint64_t limit);

/// "a=2,b=0.5", or "none".
std::string numbers_text(const std::map<std::string, double>& numbers);
/// Calls `take` with each name and value of "a=2,b=0.5"; a value without a name has an empty one.
void for_each_value(std::string_view text, const std::function<void(std::string, std::string_view)>& take);
void read_weights(std::map<std::string, double>& weights, std::string_view text);

/// The hashes of the tables and whose they are, then their paths, each on a line.
std::string tables_text(const std::vector<pipeline::TableFile>& tables);
/// Adds what tables_text() made, or one [NAME=]FILE as a user writes it.
void read_tables(std::vector<pipeline::TableFile>& tables, std::string_view text);

/// "field" for all datasets, and "NAME=field" for one of them, each on a line; `none` if there is nothing.
std::string named_texts_text(const std::map<std::string, std::string>& texts, std::string_view none);
/// Calls `take` with the name and the text of each line that named_texts_text() made or a user
/// wrote.
void for_each_named_text(std::string_view text, const std::function<void(std::string, std::string)>& take);

/// The hash of the keys, as far as it is known, and the path of their file.
std::string key_file_text(const pipeline::KeyFile& file);
void read_key_file(pipeline::KeyFile& file, std::string_view text);

/// "wenet,static=16,ranks=8,workers=4", or "none".
std::string plan_for_text(const std::optional<deal::PlanFor>& plan);
std::optional<deal::PlanFor> plan_for_of(std::string_view text);

// The words of values that have a choice.

template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};

inline constexpr std::array kYesNo{Word<bool>{"no", false}, Word<bool>{"yes", true}};
enum class ChannelChoice { keep, mono, left, right, split };
inline constexpr std::array kChannels{
    Word<ChannelChoice>{"keep", ChannelChoice::keep}, Word<ChannelChoice>{"mono", ChannelChoice::mono},
    Word<ChannelChoice>{"left", ChannelChoice::left}, Word<ChannelChoice>{"right", ChannelChoice::right},
    Word<ChannelChoice>{"split", ChannelChoice::split}};
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

/// Throws Error, with all words as advice, for any other text.
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
