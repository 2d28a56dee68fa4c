#include "source/texts/yodas_place.hpp"

#include <gtest/gtest.h>

namespace shardmill::source {
namespace {

TEST(YodasPlaceTest, TextsArchivesAndAudio) {
  for (const auto& [path, folder, kind, name] :
       {std::tuple("data/en000/text/00000003.txt", "en000", "text", "00000003"),
        std::tuple("en000/audio/00000003.tar.gz", "en000", "audio", "00000003"),
        std::tuple("x/fil100/audio/00000003/a.wav", "fil100", "audio", "00000003"),
        std::tuple("zh-hant000/duration/1.txt", "zh-hant000", "duration", "1"),
        std::tuple("data/english/text/1.txt", "", "", ""), std::tuple("data/en00/text/1.txt", "", "", ""),
        std::tuple("data/e000/text/1.txt", "", "", ""), std::tuple("en000/1.txt", "", "", "")}) {
    const YodasPlace place(path);
    EXPECT_EQ(place.folder, folder) << path;
    EXPECT_EQ(place.kind, kind) << path;
    EXPECT_EQ(place.name, name) << path;
  }
}

TEST(YodasPlaceTest, WhatAFolderSays) {
  const auto facts_of = [](const char* path) {
    Facts facts;
    YodasPlace(path).tell(facts);
    return std::string(facts.members());
  };
  EXPECT_EQ(facts_of("en000/text/1.txt"), R"("language":"en","lang":"en","captions":"manual")");
  EXPECT_EQ(facts_of("fil100/text/1.txt"), R"("language":"fil","lang":"fil","captions":"automatic")");
  EXPECT_EQ(facts_of("elsewhere/1.txt"), "");
}

}  // namespace
}  // namespace shardmill::source
