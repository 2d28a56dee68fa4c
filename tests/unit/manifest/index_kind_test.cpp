#include "manifest/index_kind.hpp"

#include <gtest/gtest.h>

namespace shardmill::manifest {
namespace {

using Kinds = std::vector<IndexKind>;

TEST(IndexKind, EverySetOfKindsReadsBack) {
  for (unsigned set = 0; set < 1U << kAllIndexKinds.size(); ++set) {
    Kinds kinds;
    for (const IndexKind kind : kAllIndexKinds) {
      if ((set >> static_cast<unsigned>(kind) & 1U) != 0) kinds.push_back(kind);
    }
    EXPECT_EQ(index_kinds_by_names(names(kinds)), kinds) << names(kinds);
  }
}

TEST(IndexKind, NamesAreThoseOfTheOption) {
  EXPECT_EQ(names({}), "none");
  EXPECT_EQ(names({kAllIndexKinds.begin(), kAllIndexKinds.end()}),
            "wids,dali,energon,speechbrain,amphion,lhotse,kaldi,shar,huggingface,nemo,mds,funasr,parquet");
}

TEST(IndexKind, OrderAndRepetitionDoNotMatter) {
  EXPECT_EQ(index_kinds_by_names("dali,wids,dali"), (Kinds{IndexKind::wids, IndexKind::dali}));
}

TEST(IndexKind, AnythingElseIsRefused) {
  for (const char* text :
       {"", ",", "wids,", ",wids", "wids,,dali", "Wids", "wids ", "none,wids", "wids,none"}) {
    EXPECT_EQ(index_kinds_by_names(text), std::nullopt) << text;
  }
}

// Amphion reads unpacked files; the others seek in the tar.
TEST(IndexKind, WhatEachNeeds) {
  const auto kinds_that = [](bool (*need)(IndexKind)) {
    Kinds kinds;
    for (const IndexKind kind : kAllIndexKinds) {
      if (need(kind)) kinds.push_back(kind);
    }
    return names(kinds);
  };
  EXPECT_EQ(kinds_that(needs_plain_tar),
            "wids,dali,energon,speechbrain,lhotse,kaldi,shar,huggingface,nemo,mds,parquet");
  EXPECT_EQ(kinds_that(needs_manifests),
            "speechbrain,amphion,kaldi,shar,huggingface,nemo,mds,funasr,parquet");
}

}  // namespace
}  // namespace shardmill::manifest
