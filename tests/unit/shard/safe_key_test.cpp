#include "shard/safe_key.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/text/utf8.hpp"
#include "shard/key_rule.hpp"

namespace shardmill::shard {
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

}  // namespace
}  // namespace shardmill::shard
