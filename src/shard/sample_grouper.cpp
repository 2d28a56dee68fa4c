#include "shard/sample_grouper.hpp"

#include <algorithm>
#include <utility>

namespace shardmill::shard {
namespace {

std::string shape_of(const Sample& sample) {
  std::string shape;
  for (const Member& member : sample.members) shape += (shape.empty() ? "" : " ") + member.extension;
  return shape;
}

bool has_extension(const Sample& sample, std::string_view extension) {
  return std::any_of(sample.members.begin(), sample.members.end(),
                     [&](const Member& member) { return member.extension == extension; });
}

bool has_audio(const Sample& sample) {
  return std::any_of(sample.members.begin(), sample.members.end(),
                     [](const Member& member) { return is_audio_extension(member.extension); });
}

}  // namespace

SampleGrouper::SampleGrouper(SampleSink& sink, KeyRule rule, std::string shape)
    : sink_(sink), rule_(rule), shape_(std::move(shape)) {}

void SampleGrouper::on_member(archive::TarMember&& member) {
  std::optional<KeyAndExtension> split = split_name(member.name, rule_);
  if (!split) {
    sink_.on_finding({ShardProblem::no_key, std::move(member.name), member.header_offset, member.bytes.size(),
                      "its name has no key and extension: it belongs to no sample"});
    return;
  }
  bool continues = open_ && open_->sample.key == split->key;
  if (continues && has_extension(open_->sample, split->extension)) {
    sink_.on_finding({ShardProblem::duplicate_member, member.name, member.header_offset, member.bytes.size(),
                      "a second member of this name in one sample: it begins a new sample"});
    continues = false;
  }
  if (!continues) {
    emit(member.header_offset);
    open(split->key, member.header_offset);
  }
  next_beside_hole_ = false;
  lost_key_.clear();
  open_->sample.members.push_back(
      {std::move(member.name), std::move(split->extension), member.tar_offset, std::move(member.bytes)});
}

void SampleGrouper::open(const std::string& key, std::uint64_t offset) {
  open_.emplace();
  open_->sample.key = key;
  open_->begin_offset = offset;
  open_beside_hole_ = next_beside_hole_;
  if (lost_key_ == key) open_->damage = lost_text_;
}

void SampleGrouper::on_finding(ShardFinding&& finding) {
  lose(finding);
  sink_.on_finding(std::move(finding));
}

void SampleGrouper::lose(const ShardFinding& finding) {
  const ShardProblem problem = finding.problem;
  const bool hole = problem == ShardProblem::gap || problem == ShardProblem::bad_header ||
                    problem == ShardProblem::truncated || problem == ShardProblem::no_end ||
                    problem == ShardProblem::not_a_tar;
  const bool refused = problem == ShardProblem::link || problem == ShardProblem::special_file ||
                       problem == ShardProblem::sparse_file || problem == ShardProblem::oversized_member ||
                       problem == ShardProblem::bad_extension;
  if (!hole && !refused) return;
  const std::optional<KeyAndExtension> split = split_name(finding.name, rule_);
  if (split) {
    lose_member(split->key, finding);
  } else if (hole) {
    open_beside_hole_ = true;
  }
  if (hole) next_beside_hole_ = true;
}

void SampleGrouper::lose_member(const std::string& key, const ShardFinding& finding) {
  const std::string text = "its member '" + finding.name + "' is lost: " + finding.text;
  lost_key_ = key;
  lost_text_ = text;
  if (!open_) return;
  if (open_->sample.key == key) {
    if (open_->damage.empty()) open_->damage = text;
  } else {
    emit(finding.offset);
  }
}

void SampleGrouper::finish(std::uint64_t end_offset) {
  emit(end_offset);
}

std::optional<std::uint64_t> SampleGrouper::boundary() const {
  if (!open_ || open_beside_hole_ || !open_->damage.empty()) return std::nullopt;
  return open_->begin_offset;
}

void SampleGrouper::emit(std::uint64_t end_offset) {
  if (!open_) return;
  GroupedSample done = std::move(*open_);
  open_.reset();
  if (done.damage.empty() && open_beside_hole_ && !looks_whole(done.sample)) {
    done.damage = "it is next to damaged data, and members seem to be missing";
  }
  if (done.damage.empty() && !open_beside_hole_) shape_ = shape_of(done.sample);
  open_beside_hole_ = false;
  if (!next_beside_hole_ && lost_key_.empty()) done.resume_offset = end_offset;
  done.shape = shape_;
  sink_.on_sample(std::move(done));
}

bool SampleGrouper::looks_whole(const Sample& sample) const {
  if (shape_.empty()) return has_audio(sample) && has_extension(sample, "txt");
  return shape_of(sample) == shape_;
}

}  // namespace shardmill::shard
