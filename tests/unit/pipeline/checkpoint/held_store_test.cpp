#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "support/bytes.hpp"
#include "support/made_utterance.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

class HeldStoreTest : public ::testing::Test {
 protected:
  /// Reserves a place; what was written there is what `key` says.
  HeldStore::Entry add(HeldStore& store, const std::string& key) {
    Utterance utterance = testing::made_utterance(key);
    utterance.packed.bytes = testing::random_bytes(1000, static_cast<unsigned>(key.size()));
    const std::size_t number =
        store.reserve({.dataset = 0, .duration = std::chrono::seconds(1)}, serialised_bytes(utterance));
    base::BinaryWriter out;
    put(out, utterance);
    store.write(store.entries()[number], out.bytes());
    return store.entries()[number];
  }
  void flip(std::uint64_t at) const {
    base::File file = base::File::open_update(path);
    Bytes byte(1);
    file.read_at(byte, at);
    byte[0] ^= std::byte{1};
    file.write_at(byte, at);
  }

  testing::TemporaryFolder folder;
  std::string path = held_path(folder.path().string());
};

TEST_F(HeldStoreTest, GivesBackWhatWasWritten) {
  HeldStore store(path);
  const auto first = add(store, "a");
  const auto second = add(store, "bb");
  EXPECT_EQ(second.offset, first.offset + first.bytes);
  EXPECT_EQ(store.read(second).record.key, "bb");
  EXPECT_EQ(store.read(first).record.key, "a");
  EXPECT_EQ(store.read(first).packed.bytes, testing::random_bytes(1000, 1));
}

TEST_F(HeldStoreTest, WhatComesAfterFreedSpaceIsAsItWas) {
  HeldStore store(path);
  std::vector<HeldStore::Entry> entries;
  for (int i = 0; i < 40; ++i) entries.push_back(add(store, std::string(1 + i % 5, 'k')));
  store.free_before(entries[20].offset);
  for (std::size_t i = 20; i < entries.size(); ++i)
    EXPECT_EQ(store.read(entries[i]).record.key, std::string(1 + i % 5, 'k'));
  EXPECT_THROW(store.read(entries[0]), Error);
  HeldStore again(path);
  again.restore({entries.begin() + 20, entries.end()});
  EXPECT_EQ(again.read(entries[39]).record.key, "kkkkk");
}

TEST_F(HeldStoreTest, PlacesMayBeFilledInAnyOrder) {
  HeldStore store(path);
  const Utterance utterance = testing::made_utterance("late");
  base::BinaryWriter out;
  put(out, utterance);
  store.reserve({}, out.bytes().size());
  const auto second = add(store, "early");
  store.write(store.entries()[0], out.bytes());
  EXPECT_EQ(store.read(store.entries()[0]).record.key, "late");
  EXPECT_EQ(store.read(second).record.key, "early");
}

TEST_F(HeldStoreTest, AChangedByteIsFound) {
  HeldStore store(path);
  const auto entry = add(store, "a");
  for (const std::uint64_t at :
       {entry.offset, entry.offset + entry.bytes / 2, entry.offset + entry.bytes - 1}) {
    flip(at);
    EXPECT_THROW(store.read(entry), Error) << at;
    flip(at);
    EXPECT_EQ(store.read(entry).record.key, "a");
  }
}

TEST_F(HeldStoreTest, ARunThatGoesOnDropsWhatTheJournalDoesNotKnow) {
  std::vector<HeldStore::Entry> known;
  {
    HeldStore store(path);
    add(store, "a");
    known = store.entries();
    add(store, "after the journal");
  }
  HeldStore store(path);
  store.restore(known);
  EXPECT_EQ(std::filesystem::file_size(path), known[0].offset + known[0].bytes);
  EXPECT_EQ(store.read(store.entries()[0]).record.key, "a");
  EXPECT_EQ(add(store, "b").offset, known[0].offset + known[0].bytes);
}

TEST_F(HeldStoreTest, AStoreThatLostBytesIsNotGoneOnWith) {
  std::vector<HeldStore::Entry> known;
  {
    HeldStore store(path);
    add(store, "a");
    known = store.entries();
  }
  {
    HeldStore store(path);
    flip(known[0].offset + 20);
    EXPECT_THROW(store.restore(known), Error) << "changed";
    flip(known[0].offset + 20);
  }
  std::filesystem::resize_file(path, known[0].bytes - 1);
  HeldStore store(path);
  EXPECT_THROW(store.restore(known), Error) << "shorter";
}

TEST_F(HeldStoreTest, AnotherRunCanRead) {
  HeldStore store(path);
  const auto entry = add(store, "a");
  store.sync();
  EXPECT_EQ(HeldStore::open_read(path).read(entry).record.key, "a");
}

}  // namespace
}  // namespace shardmill::pipeline
