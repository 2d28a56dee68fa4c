// measure: what is in a sample; from bytes to an utterance ready to be dealt, or the reason why it cannot be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "shardmill/manifest/reject.hpp"
#include "shardmill/pipeline/intake_options.hpp"
#include "shardmill/pipeline/source_parser.hpp"
#include "shardmill/pipeline/utterance.hpp"

namespace shardmill::pipeline {

/// Where an item comes from.
struct Origin {
  std::uint32_t dataset = 0;
  std::string dataset_name;
  std::string source;  // the file
};

struct Measured {
  std::variant<Utterance, manifest::Reject> outcome;
  std::string warning{};  // about audio that is taken nevertheless; empty: none
};

/// Takes the sample apart, probes and hashes its audio, packs it. Thread-safe, depends on its arguments
/// alone.
Measured measure(shard::GroupedSample&& sample, const Origin& origin, const IntakeOptions& options);

/// A transcript without the white space around it, nor a byte order mark: as manifests hold it.
std::string_view trimmed_transcript(std::string_view text);

/// Why the user's own filters leave the sample out; nullopt when they do not.
std::optional<manifest::Reject> filtered(const Utterance& utterance, const IntakeOptions& options);

manifest::Reject reject_of(const Utterance& utterance, manifest::RejectReason reason, std::string problem);
/// What a finding of the tar means for the dataset: a reject, or nothing where nothing is lost by it.
std::optional<manifest::Reject> reject_of(const ShardFinding& finding, const Origin& origin);
manifest::Reject reject_of(const Error& damage, const Origin& origin);

/// False for what the user's own filters and policies leave out.
bool is_error(manifest::RejectReason reason);

}  // namespace shardmill::pipeline
