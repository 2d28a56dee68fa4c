#include "pipeline/intake/shard_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"

namespace shardmill::pipeline {

ShardListing::ShardListing(const source::DatasetShard& shard, std::uint64_t from) : shard_(shard) {
  try {
    check_sum();
    reader_.emplace(shard.manifest);
  } catch (const Error& error) {
    problems_.push_back(error);
    return;
  }
  do {
    read_next();
  } while (next_ && next_->tar_offset < from);
}

void ShardListing::check_sum() {
  base::File file = base::File::open_read(shard_.manifest);
  base::Sha256 hash;
  std::vector<std::byte> step(256 << 10);
  for (std::size_t got = step.size(); got == step.size();) {
    got = file.read(step);
    hash.update(std::span(step).first(got));
  }
  if (base::to_hex(hash.digest()) == shard_.manifest_sha256) return;
  problems_.emplace_back("was changed since the dataset was made: its SHA-256 is not the recorded one",
                         at(shard_.manifest));
}

void ShardListing::read_next() {
  next_.reset();
  for (std::uint64_t last_line = 0;;) {
    try {
      manifest::WholeSampleRecord sample;
      if (!reader_->next(sample)) return;
      const auto& shares = shard_.record.shares;
      const bool is_known = std::any_of(shares.begin(), shares.end(),
                                        [&](const auto& share) { return share.dataset == sample.dataset; });
      if (!is_known) {
        throw Error(fmt::format("line {} names the dataset '{}', and shards.jsonl does not",
                                reader_->line_number(), printable(sample.dataset)),
                    at(shard_.manifest));
      }
      if (!shard_.dataset.empty()) sample.dataset = shard_.dataset;
      next_ = std::make_shared<manifest::SampleRecord>(std::move(sample));
      return;
    } catch (const Error& error) {
      // One such error is enough: samples whose lines cannot be read are reported one by one.
      if (!std::exchange(has_bad_line_, true)) problems_.push_back(error);
      if (reader_->line_number() == last_line) return;  // nothing after this line can be read
      last_line = reader_->line_number();
    }
  }
}

ShardListing::Record ShardListing::take(std::string_view key) {
  if (!reader_) return nullptr;
  if (in_step_ && next_ && next_->key == key) {
    Record record = std::move(next_);
    read_next();
    return record;
  }
  if (in_step_) read_rest();
  const auto found = waiting_.find(std::string(key));
  if (found == waiting_.end()) return nullptr;
  Record record = std::move(found->second.record);
  waiting_.erase(found);
  return record;
}

void ShardListing::read_rest() {
  in_step_ = false;
  for (std::uint64_t place = 0; next_; ++place) {
    std::string key = next_->key;
    waiting_.try_emplace(std::move(key), Waiting{.place = place, .record = std::move(next_)});
    read_next();
  }
}

std::vector<std::string> ShardListing::take_rest() {
  if (!reader_) return {};
  read_rest();
  std::vector<std::pair<std::uint64_t, std::string>> rest;
  for (const auto& [key, waiting] : waiting_) rest.emplace_back(waiting.place, key);
  waiting_.clear();
  std::sort(rest.begin(), rest.end());
  std::vector<std::string> keys;
  for (auto& [place, key] : rest) keys.push_back(std::move(key));
  return keys;
}

std::vector<Error> ShardListing::take_problems() {
  return std::exchange(problems_, {});
}

}  // namespace shardmill::pipeline
