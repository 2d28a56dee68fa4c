// SpeakerRules: how the speaker of a sample is found where no field `speaker` names it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::pipeline {

/// A POSIX extended regular expression. Any thread may use it.
class SpeakerPattern {
 public:
  /// Throws Error, whose problem continues a sentence about the pattern: "is not a regular expression: ...".
  explicit SpeakerPattern(const std::string& text);

  const std::string& text() const noexcept { return text_; }
  bool operator==(const SpeakerPattern& other) const noexcept { return text_ == other.text_; }
  /// The text of the first group of the first match, or of the whole match if there is no group. Empty if
  /// nothing matches.
  std::string find_in(const std::string& name) const;

 private:
  struct Compiled;

  std::string text_;
  std::shared_ptr<const Compiled> compiled_;
};

/// By dataset; the empty name means all datasets that are not named.
struct SpeakerRules {
  std::map<std::string, std::string, std::less<>> fields{};
  std::map<std::string, SpeakerPattern, std::less<>> patterns{};
};

/// What the rules find out about the speaker of a sample.
struct FoundSpeaker {
  std::string name{};       // empty: the facts stay as they are
  bool is_missing = false;  // there is a rule for the dataset, and it finds no speaker; others may
};

/// The field for the dataset decides. Where a sample has none, the field `speaker` stays as it is, or usual
/// names of other projects are looked for (`client_id`, `speaker_id`, `spk`), and then the pattern decides.
/// `facts`: members of a manifest line. `key`, `path`: where the pattern looks, in this order.
FoundSpeaker find_speaker(const SpeakerRules& rules, std::string_view dataset, const std::string& facts,
                          const std::string& key, const std::string& path);

/// The advice for Remedy::split_by_key: the dataset, and behind a tab an expression that takes a part of the
/// name of `key`, or else its folder, with what it finds. No expression for a key that has neither, or if
/// those find the same in nearly all `other_keys` of the dataset, or another one in each.
std::string speaker_advice(std::string_view dataset, const std::string& key,
                           const std::vector<std::string>& other_keys = {});

/// More than nine tenths. One speaker who has that much of a dataset is probably none.
constexpr bool is_nearly_all(std::uint64_t some, std::uint64_t all) {
  return some >= all - all / 10;
}

}  // namespace shardmill::pipeline
