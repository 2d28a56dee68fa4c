#include "shard/keys.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "base/text/letters.hpp"
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
    ASSERT_EQ(has("WebDataset skips names with"), meta == 1) << name;
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

namespace {

TEST(SafeKey, KeepsWhatIsSafe) {
  for (const std::string key :
       {"BAC009S0002W0122", "1089-134686-0000", "\xe4\xb8\xad\xe6\x96\x87_\xc3\xa9", "a+b=c"}) {
    EXPECT_EQ(safe_key(key), key);
  }
}

TEST(SafeKey, ReplacesWhatALoaderOrAReaderCouldTrip) {
  EXPECT_EQ(safe_key("a.b/c\\d e"), "a_b_c_d_e");
  EXPECT_EQ(safe_key("../../etc/passwd"), "x______etc_passwd");
  EXPECT_EQ(safe_key("a\nb\tc\x7f"), "a_b_c_");
  EXPECT_EQ(safe_key("x\xe2\x80\xa8y\xe3\x80\x80z\xef\xbb\xbf"), "x_y_z_");
  EXPECT_EQ(safe_key("\xff\xc0\x80ok\xed\xa0\x80"), "x___ok___");
  EXPECT_EQ(safe_key(""), "_");
}

TEST(SafeKey, IsNoPartOfAnotherKeyForNemoAndLhotse) {
  EXPECT_EQ(safe_key("a-sub1"), "a_sub1");
  EXPECT_EQ(safe_key("a-sub-sub12-suburb"), "a_sub_sub12_suburb");
  EXPECT_EQ(safe_key("-su-b1"), "-su-b1");
}

TEST(SafeKey, CutsLongKeysAtACharacterAndKeepsThemApart) {
  const std::string long_key(200, 'k');
  EXPECT_EQ(safe_key(std::string(kMaxKeyBytes, 'k')), std::string(kMaxKeyBytes, 'k'));
  EXPECT_EQ(safe_key(long_key).size(), kMaxKeyBytes);
  EXPECT_NE(safe_key(long_key + "1"), safe_key(long_key + "2"));
  EXPECT_EQ(safe_key(long_key), safe_key(long_key));
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "\xe4\xb8\xad";
  EXPECT_TRUE(base::is_utf8(safe_key(wide)));
  EXPECT_LE(safe_key(wide).size(), kMaxKeyBytes);
  EXPECT_EQ(safe_key(std::string(kMaxKeyBytes + 1, 'k')).substr(0, 63), std::string(63, 'k'));
}

TEST(CopyKey, NamesTheSampleThatWasCopied) {
  EXPECT_EQ(copy_key("a", 2), "a_x2");
  EXPECT_EQ(copied_key("a_x2", "d", "a"), "a");
  EXPECT_EQ(copied_key("a_3_x12", "d", "a"), "a_3");  // of one that was renamed
  EXPECT_EQ(copied_key("b_c_x2", "d", "b/c"), "b_c");
  EXPECT_EQ(copied_key("a_x2", "d", "a_x2"), "");  // it is called so in its source
  EXPECT_EQ(copied_key("a", "d", "a"), "");
  EXPECT_EQ(copied_key("_x2", "d", "b"), "");
  EXPECT_EQ(copied_key("a_x", "d", "a"), "");
  EXPECT_EQ(copied_key("d_a_x2_x3", "d", "a_x2"), "d_a_x2");  // with the name of its dataset in front
  EXPECT_EQ(copied_key("d_a_x2", "d", "a_x2"), "");
  const std::string prefixed = "d_" + std::string(77, 'k');
  EXPECT_EQ(copied_key(copy_key(prefixed, 2), "d", prefixed.substr(2)), prefixed);
  for (const std::string& name : {std::string(78, 'k'), std::string(300, 'k')})
    EXPECT_EQ(copied_key(copy_key(safe_key(name), 5), "d", name), safe_key(name));
}

TEST(SafeKey, AnyBytesGiveANameWithoutHazards) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string key(random() % 120, '\0');
    for (char& c : key) c = static_cast<char>(random() % (round % 2 == 0 ? 256 : 128));
    const std::string safe = safe_key(key);
    ASSERT_TRUE(base::is_utf8(safe));
    ASSERT_FALSE(safe.empty());
    ASSERT_LE(safe.size(), kMaxKeyBytes);
    ASSERT_TRUE(loader_hazards(safe + ".wav", '0').empty()) << safe;
    ASSERT_EQ(safe_key(safe), safe);
    const auto split = split_name(safe + ".wav", KeyRule::wenet);
    ASSERT_TRUE(split && split->key == safe);
  }
}

TEST(SafeKey, ExtensionsAreLowerCaseWithoutDots) {
  EXPECT_EQ(safe_extension("WAV"), "wav");
  EXPECT_EQ(safe_extension("seg.json"), "seg_json");
  EXPECT_EQ(safe_extension("a/b\n\xc3\xa9"), "a_b___");
}

TEST(KeySet, TellsNewFromTaken) {
  KeySet keys;
  for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(keys.insert("key" + std::to_string(i)));
  for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(keys.insert("key" + std::to_string(i)));
  EXPECT_EQ(keys.size(), 100'000U);
  EXPECT_TRUE(keys.contains("key99999"));
  EXPECT_FALSE(keys.contains("key100000"));
}

TEST(KeySet, TakesTheHashOfAllZeros) {
  KeySet keys;
  EXPECT_TRUE(keys.insert(base::Xxh128{}));
  EXPECT_FALSE(keys.insert(base::Xxh128{}));
}

}  // namespace
}  // namespace shardmill::shard
