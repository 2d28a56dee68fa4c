#include "shardmill/shard.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "audio/sndfile.hpp"
#include "audio/wav.hpp"
#include "base/error.hpp"
#include "base/io/file_watch.hpp"
#include "codec/file_facts.hpp"
#include "library/observing.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/workers.hpp"
#include "shard/plain_walk.hpp"
#include "shardmill/audio.hpp"
#include "shardmill/plain_shard.hpp"
#include "source/source_file.hpp"

namespace shardmill {

class PlainShard::Walk {
 public:
  Walk(const std::string& path, const ReadOptions& options, Observer& observer)
      : file(base::File::open_read(path)),
        watch_(file),
        walk_(file, library::internal(options.key_rule), pipeline::kMemberLimitBytes),
        refusals_(path, options, observer, library::Refusals::Offsets::of_file) {}

  std::optional<SamplePlace> next() {
    while (auto item = walk_.next()) {
      if (const auto* finding = std::get_if<ShardFinding>(&*item)) {
        refusals_.take(*finding);
        continue;
      }
      auto& found = std::get<shard::FoundSample>(*item);
      if (refusals_.accept(found.grouped)) return place_of(std::move(found));
    }
    watch_.check();
    return std::nullopt;
  }

  const base::File file;

 private:
  static SamplePlace place_of(shard::FoundSample&& found) {
    Sample& sample = found.grouped.sample;
    SamplePlace place{.key = std::move(sample.key), .members = {}};
    place.members.reserve(sample.members.size());
    for (std::size_t i = 0; i < sample.members.size(); ++i) {
      Member& member = sample.members[i];
      place.members.push_back({.name = std::move(member.name),
                               .extension = std::move(member.extension),
                               .tar_offset = member.tar_offset,
                               .bytes = found.sizes[i]});
    }
    return place;
  }

  base::FileWatch watch_;
  shard::PlainWalk walk_;
  library::Refusals refusals_;
};

bool is_plain_shard(const std::string& path) {
  const auto [file, problem] = library::with_errors([&] { return source::look_up(path); });
  if (problem) throw *problem;
  return library::with_errors(
      [&] { return codec::codec_of(base::File::open_read(path)) == codec::Codec::none; });
}

PlainShard::PlainShard(const std::string& path, const ReadOptions& options, Observer& observer)
    : walk_(library::with_errors([&] { return std::make_unique<Walk>(path, options, observer); })) {}

PlainShard::~PlainShard() = default;

std::optional<SamplePlace> PlainShard::next() {
  return library::with_errors([&] { return walk_->next(); });
}

void PlainShard::read(const MemberPlace& member, std::span<std::byte> out) const {
  const std::size_t got = library::with_errors([&] { return walk_->file.read_at(out, member.tar_offset); });
  if (got == member.bytes && got == out.size()) return;
  throw Error("the file became shorter while it was read",
              {.path = walk_->file.path(), .member = member.name, .offset = member.tar_offset});
}

namespace {

/// Thrown to end a scan from inside the callback. Never leaves this file.
struct Stopped {};

class Delivery {
 public:
  Delivery(const std::string& path, const ReadOptions& options, const SampleCallback& callback,
           Observer& observer)
      : callback_(callback),
        refusals_(path, options, observer,
                  is_plain_shard(path) ? library::Refusals::Offsets::of_file
                                       : library::Refusals::Offsets::of_plain_bytes) {}

  void take(pipeline::SourceItem&& item) {
    if (auto* sample = std::get_if<shard::GroupedSample>(&item)) {
      if (refusals_.accept(*sample) && !callback_(std::move(sample->sample))) throw Stopped{};
    } else if (const auto* finding = std::get_if<ShardFinding>(&item)) {
      refusals_.take(*finding);
    } else if (const auto* damage = std::get_if<pipeline::Damage>(&item)) {
      refusals_.refuse(damage->error);
    }
  }

 private:
  const SampleCallback& callback_;
  library::Refusals refusals_;
};

}  // namespace

const Member* Sample::find(std::string_view extension) const noexcept {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.extension == extension; });
  return found == members.end() ? nullptr : &*found;
}

void read_shard(const std::string& path, const ReadOptions& options, const SampleCallback& callback,
                Observer& observer) {
  const auto [file, problem] = library::with_errors([&] { return source::look_up(path); });
  if (problem) throw *problem;
  library::ObservingReporter reporter(observer);
  pipeline::Workers workers(library::threads_of(options.limits), options.limits.memory_bytes);
  Delivery delivery(path, options, callback, observer);
  try {
    library::with_errors([&, &shard = file] {
      pipeline::scan_source(shard, library::internal(options.key_rule), workers, reporter,
                            [&](pipeline::SourceItem&& item) { delivery.take(std::move(item)); });
    });
  } catch (const Stopped&) {
    return;
  }
}

void read_shard(const std::string& path, const ReadOptions& options, const SampleCallback& callback) {
  Observer silent;
  read_shard(path, options, callback, silent);
}

DecodedSound decode_audio(std::span<const std::byte> audio) {
  auto sound = audio::wav_floats(audio);
  if (!sound) sound = audio::sndfile_floats(audio);
  if (!sound) throw Error("is not audio that can be decoded", {});
  if (!sound->damage.empty()) throw Error("is damaged: " + sound->damage, {});
  return {.sample_rate = sound->sample_rate, .channels = sound->channels, .values = std::move(sound->values)};
}

}  // namespace shardmill
