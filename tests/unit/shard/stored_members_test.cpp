#include "shard/stored_members.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/memory_file.hpp"

namespace shardmill::shard {
namespace {

Member member(std::uint64_t tar_offset) {
  return {.name = "k.wav", .extension = "wav", .tar_offset = tar_offset, .bytes = {}};
}

TEST(StoredMembers, GiveEachMemberItsBytes) {
  StoredMembers stored(base::memory_file({}, "file"));
  stored.add(base::as_bytes("one"));
  stored.end_member(512);
  stored.add(base::as_bytes("never whole"));
  stored.drop_member();
  stored.add(base::as_bytes("tw"));
  stored.add(base::as_bytes("o"));
  stored.end_member(2048);
  Sample sample{.key = "k", .members = {member(2048), member(1024), member(512)}};
  EXPECT_EQ(stored.bytes_of(sample.members[0]), 3U);
  EXPECT_EQ(stored.bytes_of(sample.members[1]), 0U);
  stored.load(sample);
  const auto is = [](const Member& one, std::string_view text) {
    return std::ranges::equal(one.bytes, base::as_bytes(text));
  };
  EXPECT_TRUE(is(sample.members[0], "two"));
  EXPECT_TRUE(is(sample.members[1], ""));
  EXPECT_TRUE(is(sample.members[2], "one"));
}

TEST(StoredMembers, BytesThatChangedAreNeverTaken) {
  const base::File file = base::memory_file({}, "file");
  StoredMembers stored(file.duplicate());
  stored.add(base::as_bytes("sound"));
  stored.end_member(512);
  Sample sample{.key = "k", .members = {member(512)}};
  file.write_at(base::as_bytes("S"), 0);
  EXPECT_THROW(stored.load(sample), FatalError);
  file.write_at(base::as_bytes("s"), 0);
  stored.load(sample);
  file.truncate(3);
  EXPECT_THROW(stored.load(sample), FatalError);
}

}  // namespace
}  // namespace shardmill::shard
