#include "shard/stored_members.hpp"

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

}  // namespace shardmill::shard
