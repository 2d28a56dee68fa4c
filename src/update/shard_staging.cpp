#include "update/shard_staging.hpp"

#include <algorithm>

#include "archive/tar_header.hpp"
#include "base/io/file.hpp"
#include "pipeline/give_back.hpp"
#include "pipeline/part_state.hpp"
#include "pipeline/survey.hpp"
#include "pipeline/text_check.hpp"

namespace shardmill::update {

namespace {

// With fewer shards, writing samples twice costs no more than is allowed.
constexpr double kFewestShards = 4;
// The estimate may be wrong by some per cent.
constexpr double kSureShare = 0.97;
// Of what a shard holds: the rest of it is chosen when all samples are known.
constexpr double kDealtShare = 0.92;

/// The estimated samples of each dataset; nullopt where that cannot be told.
std::optional<std::vector<double>> estimate(const pipeline::Inputs& inputs,
                                            const pipeline::IntakeOptions& intake, base::Reporter& reporter) {
  for (const pipeline::InputStream& stream : inputs.streams) {
    if (stream.datasets.size() != 1) return std::nullopt;
  }
  pipeline::IntakeOptions as_it_is = intake;
  as_it_is.form = {};
  reporter.phase("looking at the sources");
  const auto estimates = pipeline::survey(inputs, as_it_is, reporter).estimates;
  reporter.phase("");
  std::vector<double> samples(inputs.datasets.size(), 0);
  for (std::size_t i = 0; i < inputs.streams.size(); ++i)
    samples[inputs.streams[i].datasets.front()] += static_cast<double>(estimates[i].samples);
  return samples;
}

class ShardStaging {
 public:
  ShardStaging(const pipeline::MillPlan& how, const NewShards& wanted, pipeline::Workers& workers,
               base::Reporter& reporter)
      : how_(how), wanted_(wanted), workers_(workers), reporter_(reporter) {}

  std::optional<Staged> run(const codec::EncoderOptions& format) {
    read();
    const auto dealt = deal();
    if (!dealt) return std::nullopt;
    pipeline::HeldShare share{.path = pipeline::held_path(how_.work_folder), .placements = {}};
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < dealt->shard_of.size(); ++i) {
      if (dealt->shard_of[i] == deal::kNoShard) {
        rest.push_back(i);
      } else {
        share.placements.push_back({.entry = state_->mill.held.at(i), .shard = dealt->shard_of[i]});
      }
    }
    Staged staged = complete(share, dealt->shards, format);
    write_rest(rest, staged.others.front());
    return staged;
  }

 private:
  struct Dealt {
    std::uint32_t shards = 0;             // that are filled, the first ones of all
    std::vector<std::uint32_t> shard_of;  // of each sample that was held back; kNoShard: it stays
  };

  std::string path(const char* name) const { return how_.work_folder + "/" + name; }

  void read() {
    pipeline::Mill mill(how_, workers_, reporter_);
    mill.resume();
    mill.run();
    pipeline::check_texts(how_.inputs, mill.counts(), how_.intake, reporter_);
  }

  /// Written down before it is carried out.
  std::optional<Dealt> deal() {
    reporter_.phase("dealing the rest");
    state_ = pipeline::read_part_state(how_.work_folder);
    if (auto dealt = pipeline::read_held_shards(path("dealt"), how_.fingerprint))
      return Dealt{.shards = dealt->at(1).at(0), .shard_of = dealt->at(0)};
    constexpr std::uint64_t kFirst = 16;  // samples of each shard that it gives back; then ever more
    constexpr std::uint64_t kTimes = 4;
    for (std::uint64_t samples = pipeline::read_given_back(path("given_back"), how_.fingerprint);;
         samples = std::max(kFirst, kTimes * samples)) {
      if (samples > 0) give_back(samples);
      if (auto dealt = fill_most()) {
        pipeline::write_held_shards(path("dealt"), how_.fingerprint, {dealt->shard_of, {dealt->shards}});
        return dealt;
      }
      if (!is_any_too_full()) return std::nullopt;
    }
  }

  void give_back(std::uint64_t samples) {
    std::vector<std::string> names;
    for (const pipeline::DatasetInput& dataset : how_.inputs.datasets) names.push_back(dataset.name);
    pipeline::write_given_back(path("given_back"), how_.fingerprint, samples);
    pipeline::give_back(how_.work_folder, names, samples);
    state_ = pipeline::read_part_state(how_.work_folder);
  }

  /// More came than the estimate said.
  bool is_any_too_full() const {
    return std::any_of(state_->mill.tallies.begin(), state_->mill.tallies.end(),
                       [this](const shard::ShardTally& tally) { return is_too_full(tally); });
  }

  bool is_too_full(const shard::ShardTally& tally) const {
    for (std::size_t d = 0; d < wanted_.like.counts.size(); ++d) {
      if (tally.datasets[d].samples > wanted_.like.counts[d]) return true;
    }
    return false;
  }

  /// Fills all shards, or, where fewer samples came than the estimate said, all but a few.
  std::optional<Dealt> fill_most() const {
    for (std::uint32_t shards = how_.shards; shards > how_.shards / 2; --shards) {
      if (auto dealt = fill(shards)) return dealt;
    }
    return std::nullopt;
  }

  std::optional<Dealt> fill(std::uint32_t shards) const {
    const Likeness& like = wanted_.like;
    deal::Order order{.counts = {}, .time = like.least + (like.most - like.least) / 2};
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
      const shard::ShardTally& tally = state_->mill.tallies[shard];
      if (is_too_full(tally)) return std::nullopt;
      auto& counts = order.counts.emplace_back();
      for (std::size_t d = 0; d < like.counts.size(); ++d)
        counts.push_back(like.counts[d] - static_cast<std::uint32_t>(tally.datasets[d].samples));
      order.before.push_back(tally.duration());
    }
    std::vector<deal::HeldSample> held;
    for (const auto& entry : state_->mill.held) held.push_back(entry.sample);
    auto filling = deal::fill_shards(order, held, std::vector<std::uint32_t>(held.size(), deal::kNoShard));
    if (!filling) return std::nullopt;
    for (const Duration time : filling->totals) {
      if (time < like.least || time > like.most) return std::nullopt;
    }
    return Dealt{.shards = shards, .shard_of = std::move(filling->shard_of)};
  }

  Staged complete(const pipeline::HeldShare& share, std::uint32_t shards,
                  const codec::EncoderOptions& format) {
    pipeline::Mill mill(how_, workers_, reporter_);
    mill.resume();
    mill.complete({share});
    const auto packed = pipeline::pack_shards(mill.spools(), format, workers_, reporter_);
    const auto states = mill.spools().states();
    Staged staged{.shards = {},
                  .others = {{.tar = path("rest.tar"), .manifest = path("rest.json")}},
                  .reject_log = pipeline::reject_log_path(how_.work_folder),
                  .counts = mill.counts()};
    for (std::uint32_t i = 0; i < packed.size(); ++i) {
      if (i >= shards) {
        staged.others.push_back({.tar = packed[i].path, .manifest = mill.spools().manifest_path(i)});
        continue;
      }
      staged.shards.push_back({.packed = packed[i],
                               .tar_bytes = states[i].tar_bytes,
                               .manifest = mill.spools().manifest_path(i),
                               .with_text = mill.tallies()[i].with_text});
    }
    return staged;
  }

  void write_rest(const std::vector<std::size_t>& rest, const Staged::Tar& to) {
    const auto store = pipeline::HeldStore::open_read(pipeline::held_path(how_.work_folder));
    base::AtomicFile tar(to.tar);
    base::AtomicFile manifest(to.manifest);
    for (const std::size_t number : rest) {
      reporter_.check_stop();
      pipeline::Utterance utterance = store.read(state_->mill.held.at(number));
      utterance.record.tar_offset = tar.size() + utterance.packed.audio_offset;
      tar.write(utterance.packed.bytes);
      std::string line;
      append_line(line, utterance.record);
      manifest.write(std::string_view(line));
    }
    Bytes end;
    archive::append_end(end);
    tar.write(end);
    tar.commit();
    manifest.commit();
  }

  const pipeline::MillPlan& how_;
  const NewShards& wanted_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  std::optional<pipeline::PartState> state_;
};

}  // namespace

std::optional<Allotment> allot(const pipeline::Inputs& inputs, const pipeline::IntakeOptions& intake,
                               const NewShards& wanted, base::Reporter& reporter) {
  const auto samples = estimate(inputs, intake, reporter);
  if (!samples) return std::nullopt;
  double shards = 1e6;
  for (std::size_t d = 0; d < samples->size(); ++d) {
    if (wanted.like.counts[d] != 0)
      shards = std::min(shards, kSureShare * (*samples)[d] / wanted.like.counts[d]);
  }
  const bool is_any_filled = std::any_of(wanted.like.counts.begin(), wanted.like.counts.end(),
                                         [](std::uint32_t count) { return count != 0; });
  if (!is_any_filled || shards < kFewestShards) return std::nullopt;
  Allotment allotment{.shards = static_cast<std::uint32_t>(shards), .allowances = {}};
  for (std::size_t d = 0; d < samples->size(); ++d) {
    // Below zero: nothing may be dealt.
    allotment.allowances.push_back(wanted.like.counts[d] == 0 ? -1
                                                              : kDealtShare * allotment.shards *
                                                                    wanted.like.counts[d] / (*samples)[d]);
  }
  return allotment;
}

std::optional<Staged> stage_shards(const pipeline::MillPlan& how, const NewShards& wanted,
                                   const codec::EncoderOptions& format, pipeline::Workers& workers,
                                   base::Reporter& reporter) {
  return ShardStaging(how, wanted, workers, reporter).run(format);
}

}  // namespace shardmill::update
