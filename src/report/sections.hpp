// The sections of the report page. Each has a heading, one sentence with the conclusion, and the figures.
#pragma once

#include "page/markup_writer.hpp"
#include "report/facts.hpp"

namespace shardmill::report {

/// Audio per shard, before and after repacking.
void add_balance(page::MarkupWriter& html, const ReportFacts& facts);
/// What each training rank gets.
void add_ranks(page::MarkupWriter& html, const ReportFacts& facts);
/// The steps of each rank, the padding of batches, and buckets of like duration, where they were asked for.
void add_steps(page::MarkupWriter& html, const ReportFacts& facts);
/// The share of each dataset in the shards.
void add_mix(page::MarkupWriter& html, const ReportFacts& facts);
/// How long the samples are.
void add_durations(page::MarkupWriter& html, const ReportFacts& facts);
/// Kinds of audio.
void add_formats(page::MarkupWriter& html, const ReportFacts& facts);
/// Clipping, silence and the like, where they were measured.
void add_quality(page::MarkupWriter& html, const ReportFacts& facts);
/// What was left out, and why.
void add_rejects(page::MarkupWriter& html, const ReportFacts& facts);
/// How and where the dataset was made.
void add_run(page::MarkupWriter& html, const ReportFacts& facts);

}  // namespace shardmill::report
