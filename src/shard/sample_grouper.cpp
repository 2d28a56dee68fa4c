#include "shard/sample_grouper.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"

namespace shardmill::shard {

void StoredMembers::add(std::span<const std::byte> bytes) {
  try {
    file_.write_at(bytes, coming_.offset + coming_.bytes);
  } catch (const Error& error) {
    throw FatalError(error);  // the file fails, not the shard
  }
  hash_.update(bytes);
  coming_.bytes += bytes.size();
}

void StoredMembers::end_member(std::uint64_t tar_offset) {
  coming_.hash = hash_.digest();
  members_.emplace(tar_offset, coming_);
  coming_ = {.offset = coming_.offset + coming_.bytes};
  hash_ = {};
}

void StoredMembers::drop_member() {
  coming_.bytes = 0;
  hash_ = {};
}

std::uint64_t StoredMembers::bytes_of(const Member& member) const {
  const auto found = members_.find(member.tar_offset);
  return found == members_.end() ? 0 : found->second.bytes;
}

void StoredMembers::load(Sample& sample) const {
  for (Member& member : sample.members) {
    const auto found = members_.find(member.tar_offset);
    if (found != members_.end()) load(found->second, member.bytes);
  }
}

void StoredMembers::load(const Stored& stored, Bytes& out) const {
  out.resize(stored.bytes);
  std::size_t got = 0;
  try {
    got = file_.read_at(out, stored.offset);
  } catch (const Error& error) {
    throw FatalError(error);
  }
  if (got != stored.bytes || base::quick_hash(out) != stored.hash)
    throw FatalError(Error("was changed or damaged since it was written: check the disk", at(file_.path())));
}

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

/// What macOS puts beside each file that it packs, as "._a.wav" beside "a.wav".
bool is_apple_double(const archive::TarMember& member) {
  constexpr std::array kMagic{std::byte{0x00}, std::byte{0x05}, std::byte{0x16}, std::byte{0x07}};
  const std::string_view name = std::string_view(member.name).substr(member.name.rfind('/') + 1);
  return name.starts_with("._") && member.bytes.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), member.bytes.begin());
}

bool has_audio(const Sample& sample) {
  return std::any_of(sample.members.begin(), sample.members.end(),
                     [](const Member& member) { return is_audio_extension(member.extension); });
}

}  // namespace

bool is_refusal(ShardProblem problem) {
  return problem == ShardProblem::link || problem == ShardProblem::special_file ||
         problem == ShardProblem::sparse_file || problem == ShardProblem::oversized_member ||
         problem == ShardProblem::bad_extension;
}

std::string lost_member_text(const ShardFinding& finding) {
  return "its member '" + finding.name + "' is lost: " + finding.text;
}

void GroupedSample::load() {
  if (!stored) return;
  stored->load(sample);
  stored.reset();
}

SampleGrouper::SampleGrouper(SampleSink& sink, KeyRule rule, std::string shape, MemberStorage storage)
    : sink_(sink), rule_(rule), shape_(std::move(shape)), storage_(std::move(storage)) {}

void SampleGrouper::on_member(archive::TarMember&& member) {
  const std::uint64_t bytes = member.bytes.size();
  take(std::move(member), bytes, nullptr);
}

bool SampleGrouper::takes_parts(const archive::TarMember& member, std::uint64_t size) {
  if (size > storage_.most_bytes || in_memory_bytes_ + size <= storage_.in_memory_bytes) return false;
  const std::optional<KeyAndExtension> name = split_name(member.name, rule_);
  const bool is_more = name && continues(*name);
  if (!is_more && size <= storage_.in_memory_bytes) return false;
  coming_.emplace(Coming{.member = {.name = member.name,
                                    .header_offset = member.header_offset,
                                    .tar_offset = member.tar_offset,
                                    .bytes = {}},
                         .bytes = size});
  if (!name) return true;
  coming_->stored = is_more && stored_ ? stored_ : std::make_shared<StoredMembers>(storage_.file(size));
  return true;
}

void SampleGrouper::on_part(std::span<const std::byte> bytes) {
  if (coming_->stored) coming_->stored->add(bytes);
}

void SampleGrouper::on_parts_end(bool is_whole) {
  Coming done = std::move(*coming_);
  coming_.reset();
  if (!is_whole) {
    if (done.stored) done.stored->drop_member();
    return;
  }
  if (done.stored) done.stored->end_member(done.member.tar_offset);
  take(std::move(done.member), done.bytes, std::move(done.stored));
}

std::optional<ComingSample> SampleGrouper::coming() const {
  if (!coming_ || !coming_->stored) return std::nullopt;
  const std::optional<KeyAndExtension> name = split_name(coming_->member.name, rule_);
  const bool is_text = name->extension == "txt";
  ComingSample sample{.key = name->key, .bytes = coming_->bytes, .text_bytes = is_text ? coming_->bytes : 0};
  if (!continues(*name)) return sample;
  sample.bytes += open_bytes_;
  for (const Member& member : open_->sample.members) {
    if (member.extension == "txt") sample.text_bytes += open_->bytes_of(member);
  }
  return sample;
}

bool SampleGrouper::continues(const KeyAndExtension& name) const {
  return open_ && open_->sample.key == name.key && !has_extension(open_->sample, name.extension);
}

/// `stored` has the bytes of the member; if it is null, the member has them itself.
void SampleGrouper::take(archive::TarMember&& member, std::uint64_t bytes,
                         std::shared_ptr<StoredMembers> stored) {
  if (is_apple_double(member)) return;
  std::optional<KeyAndExtension> split = split_name(member.name, rule_);
  if (!split) {
    sink_.on_finding({ShardProblem::no_key, std::move(member.name), member.header_offset, bytes,
                      "its name has no key and extension: it belongs to no sample"});
    return;
  }
  if (!continues(*split)) {
    if (open_ && open_->sample.key == split->key) {
      sink_.on_finding({ShardProblem::duplicate_member, member.name, member.header_offset, bytes,
                        "a second member of this name in one sample: it begins a new sample"});
    }
    emit(member.header_offset);
    open(split->key, member.header_offset);
  }
  next_beside_hole_ = false;
  lost_key_.clear();
  open_bytes_ += bytes;
  if (stored) {
    open_->stored = stored_ = std::move(stored);
  } else {
    in_memory_bytes_ += bytes;
  }
  open_->sample.members.push_back(
      {std::move(member.name), std::move(split->extension), member.tar_offset, std::move(member.bytes)});
}

void SampleGrouper::open(const std::string& key, std::uint64_t offset) {
  open_.emplace();
  open_->sample.key = key;
  open_->begin_offset = offset;
  open_beside_hole_ = next_beside_hole_;
  if (lost_key_ != key) return;
  open_->damage = lost_text_;
  open_->refused = lost_refused_;
  open_->is_refusal_told = lost_refused_.has_value();
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
  if (!hole && !is_refusal(problem)) return;
  const std::optional<KeyAndExtension> split = split_name(finding.name, rule_);
  if (split) {
    lose_member(split->key, finding);
  } else if (hole) {
    open_beside_hole_ = true;
  }
  if (hole) next_beside_hole_ = true;
}

void SampleGrouper::lose_member(const std::string& key, const ShardFinding& finding) {
  const std::string text = lost_member_text(finding);
  lost_key_ = key;
  lost_text_ = text;
  lost_refused_ = is_refusal(finding.problem) ? std::optional(finding.problem) : std::nullopt;
  if (!open_) return;
  if (open_->sample.key != key) return emit(finding.offset);
  if (!open_->damage.empty()) return;
  open_->damage = text;
  open_->refused = lost_refused_;
}

bool SampleGrouper::tells(const ShardFinding& finding) const {
  if (!open_ || !open_->refused || open_->is_refusal_told || !is_refusal(finding.problem)) return false;
  const std::optional<KeyAndExtension> split = split_name(finding.name, rule_);
  return split && split->key == open_->sample.key;
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
  stored_.reset();
  open_bytes_ = in_memory_bytes_ = 0;
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
