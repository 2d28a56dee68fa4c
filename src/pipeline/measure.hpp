// measure: what is in a sample; from bytes to an utterance ready to be dealt, or the reason why it cannot be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "manifest/reject.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/utterance.hpp"
#include "source/unusable.hpp"

namespace shardmill::pipeline {

/// Where an item comes from.
struct Origin {
  std::uint32_t dataset = 0;
  std::string dataset_name;
  std::string source;       // the file
  bool is_tar = true;       // so that places in it can be named
  std::uint32_t given = 0;  // number of the source among those that were given
  bool is_listed = false;   // all its samples are known by name, so those that are lost are told one by one
};

struct Measured {
  std::variant<Utterance, manifest::Reject> outcome;
  std::string warning{};      // about audio that is taken nevertheless; empty: none
  std::uint64_t clipped = 0;  // values of it, when it was brought to another form
};

/// Takes the sample apart, probes its audio and brings it to the form wanted, packs it; or says why not, be
/// it that the user's own filters leave it out. Thread-safe, depends on its arguments alone.
Measured measure(shard::GroupedSample&& sample, const Origin& origin, const IntakeOptions& options);
/// What any item means for the dataset; nullopt where nothing is lost by it.
std::optional<Measured> measure(SourceItem&& item, const Origin& origin, const IntakeOptions& options);

manifest::Reject reject_of(const Utterance& utterance, manifest::RejectReason reason, std::string problem);

manifest::Reject reject_of(const source::Unusable& unusable, const KeyPatterns& keys);

/// False for what the user's own filters and policies leave out.
bool is_error(manifest::RejectReason reason);

}  // namespace shardmill::pipeline
