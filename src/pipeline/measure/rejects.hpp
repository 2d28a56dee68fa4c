// Rejects: the samples that are left out of a dataset, with the reason, for everything that can go wrong
// before they are dealt; and the limits on their texts: repack takes only texts that every command can read
// again, line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"
#include "model/audio_info.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/utterance.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

manifest::Reject reject_of(const shard::GroupedSample& sample, const Origin& origin,
                           manifest::RejectReason reason, std::string problem);
/// For a sample that has lost something.
manifest::Reject reject_of_damaged(const shard::GroupedSample& sample, const Origin& origin);
/// nullopt when nothing is lost.
std::optional<manifest::Reject> reject_of(const ShardFinding& finding, const Origin& origin);
manifest::Reject reject_of(const Damage& damage, const Origin& origin);
/// For what a reader lost. With the filter of the user as the reason, where it leaves the utterance out
/// anyway. The same below.
manifest::Reject reject_of(manifest::Reject&& lost, const Origin& origin, const KeyPatterns& keys);
manifest::Reject reject_of(const source::Unusable& unusable, const KeyPatterns& keys);
manifest::Reject reject_of(const Utterance& utterance, manifest::RejectReason reason, std::string problem);

/// The advice for two samples of the same key that the name of their dataset does not set apart.
inline constexpr const char* kPrefixIsNoHelp =
    "with the name of the dataset in front, both keys would still be the same";

/// The Error with which a reject ends a run.
Error as_error(const manifest::Reject& reject, Remedy remedy);

/// Why a transcript of this size is not taken; nullopt when it is.
std::optional<std::string> find_long_transcript(std::uint64_t bytes);

/// Why the manifest line of a sample would be too long, wherever the sample is placed; nullopt when it would
/// not be. The transcript counts even if manifests will have no texts, so that the dataset can be repacked
/// with texts.
std::optional<std::string> find_long_line(const manifest::SampleRecord& record, std::string_view transcript);

}  // namespace shardmill::pipeline
