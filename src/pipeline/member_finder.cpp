#include "pipeline/member_finder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "archive/tar_parser.hpp"
#include "base/error.hpp"
#include "pipeline/source_parser.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

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

}  // namespace shardmill::pipeline
