// Rejects: the samples that are left out of a dataset, with the reason, for everything that can go wrong
// before they are dealt.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "manifest/reject.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/utterance.hpp"
#include "source/unusable.hpp"

namespace shardmill::pipeline {

/// Why the user does not want samples with this key; nullopt when they are wanted.
std::optional<std::pair<manifest::RejectReason, std::string>> unwanted(const std::string& key,
                                                                       const KeyPatterns& patterns);

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

}  // namespace shardmill::pipeline
