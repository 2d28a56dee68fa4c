// measure: turns the bytes of a sample into an utterance that is ready to be dealt, or says why it cannot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manifest/reject.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::pipeline {

/// Where an item comes from.
struct Origin {
  std::uint32_t dataset = 0;
  std::string dataset_name;
  std::string source;         // path
  bool is_tar = true;         // places in it can be named
  std::uint32_t given = 0;    // number of the source, in the order in which sources were given
  bool is_published = false;  // a corpus as its publisher packs it, whose subsets are splits
  bool is_text_told_late = false;
  source::FactTeller teller{};  // see source::fact_teller()
  bool is_listed = false;       // all its samples are known by name, so lost ones are reported one by one
};

struct Measured {
  std::variant<Utterance, manifest::Reject> outcome;
  std::vector<std::string_view> warnings{};  // kinds, static: about audio that is taken nevertheless
  std::uint64_t clipped = 0;                 // how many values were clipped in conversion
  std::vector<std::string> left_members{};   // extensions of members that stay out of its shard, and are lost
  // Of a tar, in its plain bytes:
  std::uint64_t end_offset = 0;                           // where the sample ends; 0: not known
  std::optional<manifest::Reject::ByteRange> doubtful{};  // may be wrong before damage
};

/// Examines the members, probes the audio, converts it to the wanted form, and packs the sample; or says why
/// not, for example because the user's filters leave it out. The result is one sample, or, if
/// `options.splits_channels`, one for each channel. Thread-safe; depends only on its arguments.
std::vector<Measured> measure(shard::GroupedSample&& sample, const Origin& origin,
                              const IntakeOptions& options);
/// What any item means for the dataset; empty when nothing is lost by it.
std::vector<Measured> measure(SourceItem&& item, const Origin& origin, const IntakeOptions& options);

}  // namespace shardmill::pipeline
