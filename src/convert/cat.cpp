#include "convert/cat.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "archive/tar_parser.hpp"
#include "base/error.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/source_parser.hpp"
#include "shard/keys.hpp"

namespace shardmill::convert {

class MemberFinder::Sink final : public archive::TarSink {
 public:
  explicit Sink(MemberFinder& finder) : parser(*this, pipeline::kMemberLimitBytes), finder_(finder) {}

  void on_member(archive::TarMember&& member) override { finder_.take(std::move(member)); }
  void on_finding(ShardFinding&& finding) override {
    if (is_damage(finding.problem)) finder_.damage_ = std::move(finding);
  }

  archive::TarParser parser;

 private:
  MemberFinder& finder_;
};

MemberFinder::MemberFinder(std::string wanted)
    : wanted_(std::move(wanted)), sink_(std::make_unique<Sink>(*this)) {}

MemberFinder::~MemberFinder() = default;

void MemberFinder::feed(std::span<const std::byte> tar_bytes) {
  sink_->parser.feed(tar_bytes);
}

void MemberFinder::finish() {
  if (!decided_) sink_->parser.finish();
}

void MemberFinder::take(archive::TarMember&& member) {
  if (decided_) return;
  const std::string_view name = member.name;
  if (name == wanted_ || (name.starts_with("./") && name.substr(2) == wanted_)) {
    same_key_.clear();
    same_key_.push_back(std::move(member));
    decided_ = true;
    return;
  }
  const auto parts = shard::split_name(name, shard::KeyRule::wenet);
  if (parts && parts->key == wanted_) {
    same_key_.push_back(std::move(member));
  } else {
    // The members of a sample stand together, so nothing more is found after them.
    decided_ = !same_key_.empty();
  }
}

const archive::TarMember& MemberFinder::found(const std::string& shard) const {
  if (same_key_.empty()) {
    if (damage_) {
      throw Error(fmt::format("no member '{}' before the damage: {}", printable(wanted_), damage_->text),
                  Where{.path = shard, .offset = damage_->offset});
    }
    throw Error(fmt::format("has no member '{}'", printable(wanted_)), at(shard),
                "shardmill cat SHARD | tar t lists them");
  }
  if (same_key_.size() == 1) return same_key_.front();
  const auto is_audio = [](const archive::TarMember& member) {
    return shard::is_audio_extension(shard::split_name(member.name, shard::KeyRule::wenet)->extension);
  };
  const auto audio = std::find_if(same_key_.begin(), same_key_.end(), is_audio);
  if (audio != same_key_.end()) return *audio;
  throw Error(fmt::format("has several members of the key '{}' and none is audio", printable(wanted_)),
              at(shard), "give the key with its extension");
}

namespace {

base::File open_shard(const std::string& path) {
  return path == "-" ? base::File::standard_input() : base::File::open_stream(path);
}

pipeline::Trailing trailing_of(const CatOptions& options) {
  return options.ignore_trailing ? pipeline::Trailing::ignored : pipeline::Trailing::damage;
}

CatSummary copy_tar(const CatOptions& options, base::File& shard, base::File& out, pipeline::Workers& workers,
                    base::Reporter& reporter) {
  CatSummary summary;
  const auto take = [&](std::span<const std::byte> bytes) {
    out.write(bytes);
    summary.bytes += bytes.size();
    return true;
  };
  pipeline::decode(shard, workers, reporter, take, trailing_of(options));
  return summary;
}

CatSummary copy_member(const CatOptions& options, base::File& shard, base::File& out,
                       pipeline::Workers& workers, base::Reporter& reporter) {
  MemberFinder finder(options.member);
  const auto take = [&](std::span<const std::byte> bytes) {
    finder.feed(bytes);
    return !finder.decided();
  };
  pipeline::decode(shard, workers, reporter, take, trailing_of(options), pipeline::Ending::when_checked);
  finder.finish();
  const archive::TarMember& member = finder.found(options.shard);
  out.write(member.bytes);
  return {.bytes = member.bytes.size()};
}

}  // namespace

CatSummary run_cat(const CatOptions& options, base::File& out, pipeline::Workers& workers,
                   base::Reporter& reporter) {
  base::File shard = open_shard(options.shard);
  return options.member.empty() ? copy_tar(options, shard, out, workers, reporter)
                                : copy_member(options, shard, out, workers, reporter);
}

}  // namespace shardmill::convert
