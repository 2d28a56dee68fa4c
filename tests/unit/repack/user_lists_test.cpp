#include "repack/user_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "manifest/record_lines.hpp"
#include "manifest/reject.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The samples of a dataset, key0 to key9, and whatever was left out.
class UnmatchedKeysTest : public ::testing::Test {
 protected:
  pipeline::KeyFile list(const std::string& name, const std::string& lines) {
    pipeline::KeyFile file{.path = folder_.write(name, lines)};
    pipeline::read_keys(file);
    return file;
  }
  std::vector<std::string> warnings(const pipeline::KeyPatterns& keys,
                                    const std::vector<std::string>& left_out = {}) {
    std::string rejects;
    for (const std::string& key : left_out) {
      manifest::Reject reject{.dataset = "set",
                              .source = "source.tar",
                              .key = key,
                              .member = {},
                              .file_bytes = {},
                              .tar_bytes = {},
                              .reason = manifest::RejectReason::excluded,
                              .problem = "p",
                              .samples = {}};
      if (key.empty()) reject.key.reset();
      rejects += manifest::line_of(reject);
    }
    testing::SilentReporter reporter;
    warn_of_unmatched_keys(keys,
                           {.manifests = {made_.path("tarred_audio_manifest.json")},
                            .rejects = {folder_.write("rejects.jsonl", rejects)}},
                           reporter);
    return reporter.warnings;
  }

  testing::MadeDataset made_;
  testing::TemporaryFolder folder_;
};

TEST_F(UnmatchedKeysTest, KeysThatWereMetSayNothing) {
  EXPECT_THAT(warnings({}), IsEmpty());
  EXPECT_THAT(warnings({.only = list("only", "key0\nkey9\r\n\nkey0\n")}), IsEmpty());
  EXPECT_THAT(warnings({.never = list("never", "gone\n")}, {"gone", ""}), IsEmpty());
  // What was wanted and left out for an error was met as well.
  EXPECT_THAT(warnings({.only = list("only", "key1\nbad\n")}, {"bad"}), IsEmpty());
}

TEST_F(UnmatchedKeysTest, TheFirstThreeAreNamedInTheOrderOfTheList) {
  EXPECT_THAT(warnings({.only = list("only", "zz\nkey1\naa\n")}),
              ElementsAre(folder_.file("only") + ": lists 2 keys that no source has: 'zz', 'aa'"));
  EXPECT_THAT(warnings({.only = list("only", "e\nd\nc\nb\nb\n")}),
              ElementsAre(EndsWith("lists 4 keys that no source has: 'e', 'd', 'c', ...")));
  EXPECT_THAT(warnings({.only = list("only", "a\x01\n")}),
              ElementsAre(EndsWith("lists 1 key that no source has: 'a\\x01'")));
}

TEST_F(UnmatchedKeysTest, OfTheKeysThatAreNotWantedThoseThatWereLeftOutCount) {
  // key1 is among the samples: had the list been used, it would not be there.
  EXPECT_THAT(warnings({.only = list("only", "none1\n"), .never = list("never", "none2\n")}),
              ElementsAre(HasSubstr("'none1'"), HasSubstr("'none2'")));
}

}  // namespace
}  // namespace shardmill::repack
