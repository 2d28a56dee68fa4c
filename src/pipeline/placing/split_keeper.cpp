#include "pipeline/placing/split_keeper.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/error.hpp"
#include "pipeline/measure/speakers.hpp"
#include "shard/sample_text.hpp"
#include "source/split.hpp"

namespace shardmill::pipeline {

std::string split_path(const std::string& work_folder) {
  return work_folder + "/candidates";
}

SplitKeeper::SplitKeeper(const deal::SplitWish& wish, std::uint64_t seed, const std::string& work_folder)
    : wish_(wish), seed_(seed), chooser_(wish), store_(split_path(work_folder)) {}

base::Xxh128 SplitKeeper::group_of(const std::string& dataset, const std::string& name) const {
  const std::string text = fmt::format("{}\n{}\n{}", seed_, dataset, name);
  return base::xxh3_128(base::as_bytes(text));
}

std::optional<base::Xxh128> SplitKeeper::group_to_keep(const Utterance& utterance) {
  const manifest::SampleRecord& record = utterance.record;
  if (wish_.by == deal::SplitBy::subset) return group_by_subset(utterance);
  std::string name = record.source_key;
  if (wish_.by == deal::SplitBy::speaker) {
    name = shard::speaker_in(record.facts);
    if (name.empty())
      throw UnknownSpeaker(fmt::format("the speaker of '{}' of {} {}, so speakers cannot be kept apart",
                                       printable(record.source_key), printable(record.dataset),
                                       shard::why_no_speaker(record.facts)),
                           {.path = record.source, .member = record.source_key},
                           speaker_advice(record.dataset, record.source_key));
  }
  const base::Xxh128 group = group_of(record.dataset, name);
  if (!chooser_.add(record.dataset, group, duration_of(record.audio))) return std::nullopt;
  return group;
}

std::optional<base::Xxh128> SplitKeeper::group_by_subset(const Utterance& utterance) {
  const manifest::SampleRecord& record = utterance.record;
  const std::string_view subset = source::subset_in(record.facts);
  const source::Split split = source::split_of(subset);
  if (split == source::Split::train) return std::nullopt;
  if (split != source::Split::other) return base::xxh3_128(base::as_bytes(source::name(split)));
  throw UnknownSubset(
      subset.empty()
          ? fmt::format(
                "'{}' of dataset '{}' is in no split of its publisher: the dataset has none, or does not "
                "say which samples are in them, so there is no published split to keep",
                printable(record.source_key), printable(record.dataset))
          : fmt::format("'{}' of {} is in the subset {}, which is not known to be for "
                        "training, dev or test",
                        printable(record.source_key), printable(record.dataset), printable(subset)),
      {.path = record.source, .member = record.source_key});
}

HeldStore::Entry SplitKeeper::reserve(const base::Xxh128& group, const deal::HeldSample& sample,
                                      std::uint64_t bytes) {
  groups_.push_back(group);
  return store_.entries()[store_.reserve(sample, bytes)];
}

void SplitKeeper::settle() {
  std::map<base::Xxh128, std::uint32_t> split_of;
  shares_.clear();
  rest_.clear();
  if (wish_.by == deal::SplitBy::subset) {
    for (const source::Split split : {source::Split::dev, source::Split::test}) {
      split_of[base::xxh3_128(base::as_bytes(source::name(split)))] =
          static_cast<std::uint32_t>(shares_.size());
      shares_.push_back({.name = std::string(source::name(split)), .entries = {}});
    }
  } else {
    split_of = chooser_.choose().split_of;
    for (const auto& [name, amount] : wish_.amounts) shares_.push_back({.name = name, .entries = {}});
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const HeldStore::Entry& entry = store_.entries()[i];
    const auto split = split_of.find(groups_[i]);
    if (split == split_of.end()) {
      rest_.push_back(entry);
      continue;
    }
    shares_[split->second].entries.push_back(entry);
    shares_[split->second].duration += entry.sample.duration;
  }
  for (const auto& [group, split] : split_of) ++shares_[split].groups;
  std::erase_if(shares_, [](const Share& share) { return share.entries.empty(); });
  if (shares_.empty())
    throw UnknownSubset(
        "there is no published split to keep: all samples of the sources are for training, as far as their "
        "corpora say");
}

SplitState SplitKeeper::state() const {
  SplitState state{.candidates = {}, .chooser = chooser_.state()};
  for (std::size_t i = 0; i < groups_.size(); ++i)
    state.candidates.push_back({.entry = store_.entries()[i], .group = groups_[i]});
  return state;
}

void SplitKeeper::restore(SplitState state) {
  std::vector<HeldStore::Entry> entries;
  groups_.clear();
  for (const SplitCandidate& candidate : state.candidates) {
    entries.push_back(candidate.entry);
    groups_.push_back(candidate.group);
  }
  store_.restore(std::move(entries));
  chooser_.restore(std::move(state.chooser));
}

}  // namespace shardmill::pipeline
