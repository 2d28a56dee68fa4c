#include "shard/key_rule.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::shard {
namespace {

std::string split(std::string_view name, KeyRule rule) {
  const auto result = split_name(name, rule);
  return result ? result->key + "|" + result->extension : "none";
}

TEST(KeyRule, WenetCutsAtTheLastDot) {
  EXPECT_EQ(split("a.wav", KeyRule::wenet), "a|wav");
  EXPECT_EQ(split("a.b.WAV", KeyRule::wenet), "a.b|wav");
  EXPECT_EQ(split("d.x/a.b.wav", KeyRule::wenet), "d.x/a.b|wav");
  EXPECT_EQ(split("././a.wav", KeyRule::wenet), "a|wav");
  EXPECT_EQ(split("/a.wav", KeyRule::wenet), "/a|wav");
  for (const char* name : {"", ".", "a", "a.", ".wav", "d/.wav", "d.x/a", "./", "d/"}) {
    EXPECT_EQ(split(name, KeyRule::wenet), "none") << name;
  }
}

TEST(KeyRule, WebdatasetCutsAtTheFirstDotOfTheBaseName) {
  EXPECT_EQ(split("a.wav", KeyRule::webdataset), "a|wav");
  EXPECT_EQ(split("d.x/a.seg.WAV", KeyRule::webdataset), "d.x/a|seg.wav");
  for (const char* name : {"", "a", "a.", ".wav", "d/.wav", "d.x/a"}) {
    EXPECT_EQ(split(name, KeyRule::webdataset), "none") << name;
  }
}

/// All names of up to seven characters out of "a", ".", "/" and "_".
std::vector<std::string> all_names() {
  std::vector<std::string> names{""};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() == 7) break;
    for (const char c : {'a', '.', '/', '_'}) names.push_back(names[i] + c);
  }
  names.erase(names.begin());
  return names;
}

TEST(KeyRule, AgreesWithTheLoadersOwnRules) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> names = all_names();
  std::string list;
  for (const std::string& name : names) list += name + "\n";
  // For each name: WebDataset's key and extension, whether it is skipped as metadata, WeNet's dot.
  const std::string script = folder.write("rules.py", R"(
import re, sys
for name in open(sys.argv[1]).read().splitlines():
    m = re.match(r'^((?:.*/|)[^.]+)[.]([^/]*)$', name)
    meta = '/' not in name and name.startswith('__') and name.endswith('__')
    meta = meta or re.match(r'__[^/]*__($|/)', name) is not None
    print(m.group(1) + '|' + m.group(2) if m else 'none', int(meta), name.rfind('.'))
)");
  std::istringstream rules(
      testing::command_output("/usr/bin/python3 " + script + " " + folder.write("l", list)));
  for (const std::string& name : names) {
    std::string webdataset;
    int meta = 0;
    int dot = 0;
    rules >> webdataset >> meta >> dot;
    std::string effects;
    for (const LoaderHazard& hazard : loader_hazards(name, '0')) {
      effects += std::string(hazard.loader) + " " + std::string(hazard.effect) + ";";
    }
    const auto has = [&](std::string_view text) { return effects.find(text) != std::string::npos; };
    ASSERT_EQ(has("WebDataset skips names that"), meta == 1) << name;
    ASSERT_EQ(has("WebDataset skips a name"), meta == 0 && webdataset == "none") << name;
    ASSERT_EQ(has("WeNet drops"), dot <= 0) << name;
    if (name.starts_with("./")) continue;  // loaders keep it in their keys
    if (const std::string ours = split(name, KeyRule::webdataset); ours != "none") {
      ASSERT_EQ(ours, webdataset) << name;
    }
    if (const std::string ours = split(name, KeyRule::wenet); ours != "none") {
      const auto at = static_cast<std::size_t>(dot);
      ASSERT_EQ(ours, name.substr(0, at) + "|" + name.substr(at + 1)) << name;
    }
  }
}

TEST(KeyRule, NamesThatAreWrittenAreHarmless) {
  EXPECT_TRUE(loader_hazards("key_1.wav", '0').empty());
  EXPECT_FALSE(loader_hazards("key.1.wav", '0').empty());
  EXPECT_FALSE(loader_hazards("key.WAV", '0').empty());
  EXPECT_FALSE(loader_hazards("README", '0').empty());
  EXPECT_FALSE(loader_hazards("./", '5').empty());
  EXPECT_FALSE(loader_hazards("key.wav", '2').empty());
}

}  // namespace
}  // namespace shardmill::shard
