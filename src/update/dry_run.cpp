#include "update/dry_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "check/split_siblings.hpp"
#include "pipeline/read_through.hpp"
#include "update/decision.hpp"
#include "update/facts.hpp"
#include "update/source_estimate.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

namespace {

std::uint64_t rounded(double value) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, value)));
}

/// Numbers of samples by dataset of the stock.
using Counts = std::vector<double>;

double sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

class Foretelling {
 public:
  Foretelling(const Request& request, pipeline::Workers& workers, base::Reporter& reporter)
      : request_(request),
        reporter_(reporter),
        facts_(read_facts(request.records, request.removed_keys(), request.options.remove_keys, workers,
                          reporter)),
        stock_(first_stock(request, facts_, std::nullopt)),
        decision_(decide(request, facts_, stock_)) {}

  UpdateSummary run() {
    update_.removed = stock_.removed().samples;
    update_.removed_seconds = shard::seconds(stock_.removed().duration);
    Counts waiting = waiting_before();
    const bool some_wait = sum(waiting) > 0;
    add_expected(waiting);
    count_shards(waiting, some_wait);
    return std::move(summary_);
  }

 private:
  /// Samples that find no place in the shards that are there.
  Counts waiting_before() const {
    Counts waiting(stock_.datasets().size(), 0);
    for (std::size_t i = 0; i < decision_.shard_of.size(); ++i) {
      const StockSample& sample = stock_.samples()[i];
      if (!sample.is_removed && decision_.shard_of[i] == deal::kNoShard) waiting[sample.held.dataset] += 1;
    }
    return waiting;
  }

  void add_expected(Counts& waiting) {
    if (!request_.plan) return;
    reporter_.phase("looking at the sources");
    const auto expected = expected_of(*request_.plan, stock_.datasets(), reporter_);
    double added = 0;
    for (std::size_t d = 0; d < expected.size(); ++d) {
      waiting[d] += expected[d].samples;
      added += expected[d].samples;
      update_.added_seconds += expected[d].seconds;
    }
    update_.added = rounded(added);
  }

  void count_shards(const Counts& waiting, bool some_wait) {
    const Rest rest_goes = request_.options.rest;
    const manifest::DatasetRecord& old = *request_.records.dataset;
    const Likeness like = likeness_of(facts_, stock_.datasets());
    const std::uint64_t more = rest_goes == Rest::waits ? shards_from(like, waiting) : 0;
    double rest = sum(waiting);
    for (const std::uint32_t count : like.counts) rest -= static_cast<double>(more) * count;
    std::uint64_t shards = decision_.shards + more;
    bool is_all_new = rest_goes == Rest::remix;
    if (rest_goes == Rest::remix) {
      shards = std::max<std::uint64_t>(
          1, rounded((movable_samples() + static_cast<double>(update_.added)) / samples_a_shard()));
    } else if (rest_goes == Rest::spread) {
      is_all_new = rest >= 1 || some_wait || decision_.shards != request_.old_shards();
    }
    const bool is_even = request_.recipe.even != deal::Even::off;
    if (rest_goes != Rest::waits) rest = is_even ? static_cast<double>(rounded(all_samples()) % shards) : 0;
    update_.rewritten_shards =
        is_all_new ? std::min<std::uint64_t>(shards, request_.old_shards()) : rewritten_shards();
    update_.new_shards = shards > request_.old_shards() ? shards - request_.old_shards() : 0;
    update_.pending = rounded(rest);
    if (shards < request_.old_shards()) summary_.removed_shards = request_.old_shards() - shards;
    summary_.dataset = old;
    summary_.dataset.shards = shards;
    const double placed = all_samples() - std::max(0.0, rest);
    summary_.dataset.samples = rounded(placed);
    // Samples that are dealt over all shards share the bytes of the new ones.
    const double written = is_all_new ? placed / samples_a_shard()
                                      : static_cast<double>(update_.rewritten_shards + update_.new_shards);
    const double shard_bytes = static_cast<double>(old.bytes) / static_cast<double>(old.shards);
    const double sample_bytes = static_cast<double>(old.tar_bytes) / static_cast<double>(old.samples);
    summary_.written_bytes = rounded(written * shard_bytes + std::max(0.0, rest) * sample_bytes);
  }

  double samples_a_shard() const {
    const manifest::DatasetRecord& old = *request_.records.dataset;
    return static_cast<double>(old.samples) / static_cast<double>(old.shards);
  }

  /// Of the dataset as it will be, with those that wait.
  double all_samples() const {
    const manifest::DatasetRecord& old = *request_.records.dataset;
    return static_cast<double>(old.samples) + (old.pending ? static_cast<double>(old.pending->samples) : 0) -
           static_cast<double>(update_.removed) + static_cast<double>(update_.added);
  }

  double movable_samples() const {
    return static_cast<double>(std::count_if(stock_.samples().begin(), stock_.samples().end(),
                                             [](const StockSample& sample) { return !sample.is_removed; }));
  }

  std::uint64_t rewritten_shards() const {
    const auto& changed = decision_.changed;
    const auto old = std::min<std::size_t>(changed.size(), request_.old_shards());
    return static_cast<std::uint64_t>(
        std::count(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(old), true));
  }

  const Request& request_;
  base::Reporter& reporter_;
  const Facts facts_;
  Stock stock_;
  const Decision decision_;
  UpdateSummary summary_{.outcome = UpdateSummary::Outcome::planned};
  manifest::DatasetRecord::Update& update_ = summary_.update;
};

/// Only a look at every sample tells whether one may not be added.
void check_siblings(const Request& request, pipeline::Workers& workers, base::Reporter& reporter) {
  const auto siblings = check::SplitSiblings::of(request.options.folder, reporter);
  if (!siblings) return;
  const repack::RepackPlan& plan = *request.plan;
  pipeline::ReadThrough how{.inputs = plan.inputs,
                            .intake = plan.recipe.intake,
                            .interleave = plan.recipe.interleave,
                            .seed = plan.recipe.seed};
  how.intake.form = {.hearing = {.quality = plan.recipe.intake.form.hearing.quality}};
  reporter.phase("comparing the sources with the other datasets of the split");
  reporter.progress().input_bytes_total = plan.inputs.bytes();
  pipeline::read_through(how, workers, reporter,
                         [&](const pipeline::Utterance& utterance) { siblings->check(utterance.record); });
  reporter.progress().input_bytes = 0;
  reporter.progress().input_bytes_total = 0;
}

}  // namespace

UpdateSummary dry_run(const Request& request, pipeline::Workers& workers, base::Reporter& reporter) {
  if (request.plan) check_siblings(request, workers, reporter);
  reporter.phase("reading manifests");
  return Foretelling(request, workers, reporter).run();
}

}  // namespace shardmill::update
