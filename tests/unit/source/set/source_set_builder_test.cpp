#include "source/set/source_set_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/source_file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::HasSubstr;

class SourceSetBuilderTest : public ::testing::Test {
 protected:
  SourceFile file(const std::string& name) { return look_up(folder_.write(name, "x")).first; }
  template <typename Call>
  static std::string problem(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }

  SourceSet take() {
    Faults faults;
    SourceSet set = builder_.take(faults);
    faults.check();
    return set;
  }

  testing::TemporaryFolder folder_;
  FindOptions options_;
  SourceSetBuilder builder_{options_};
};

TEST_F(SourceSetBuilderTest, SourcesOfOneNameAreOneDataset) {
  for (const char* name : {"a.tar", "b.tar"}) {
    builder_.begin_source({.dataset = "set", .corpus = {}, .path = folder_.file(name)}, {});
    builder_.add_file(file(name));
  }
  const SourceSet set = take();
  ASSERT_EQ(set.datasets.size(), 1u);
  EXPECT_EQ(set.datasets[0].files.size(), 2u);
  EXPECT_EQ(set.datasets[0].files[1].given, 1u);
  EXPECT_EQ(set.given[1].bytes, 1u);
}

TEST_F(SourceSetBuilderTest, NoFileComesTwiceAndNoNameFromTwoPlaces) {
  builder_.begin_source({.dataset = {}, .corpus = {}, .path = "x/set"}, {.path = "/x/set", .name = "set"});
  builder_.add_file(file("a.tar"));
  EXPECT_THAT(problem([&] { builder_.add_file(file("a.tar")); }), HasSubstr("comes twice in dataset 'set'"));
  EXPECT_THAT(problem([&] {
                builder_.begin_source({.dataset = {}, .corpus = {}, .path = "y/set"},
                                      {.path = "/y/set", .name = "set"});
              }),
              HasSubstr("two different sources would both be called 'set'"));
}

TEST_F(SourceSetBuilderTest, WhatCannotBeReadStopsWithTheOptionThatHelps) {
  builder_.begin_source({.dataset = "set", .corpus = {}, .path = "x"}, {});
  builder_.add_file(file("a.tar"));
  for (const char* gone : {"b.tar", "c.tar"}) builder_.add_unusable(Error("is not there", at(gone)));
  try {
    take();
    FAIL() << "no problem";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "b.tar: is not there, and 1 more file cannot be read");
    EXPECT_EQ(error.remedy(), Remedy::skip_bad_samples);
  }
}

TEST_F(SourceSetBuilderTest, EachDatasetHasItsOwnFault) {
  for (const char* name : {"one", "two", "three"}) {
    builder_.begin_source({.dataset = name, .corpus = {}, .path = name}, {});
    if (name == std::string("two")) builder_.note_failure();
    if (name == std::string("three")) builder_.add_file(file("a.tar"));
    builder_.add_unusable(Error("is not there", at(name)));
  }
  Faults faults;
  builder_.take(faults);
  try {
    faults.check();
    FAIL() << "no problem";
  } catch (const SeveralErrors& errors) {
    ASSERT_EQ(errors.errors().size(), 2U);
    EXPECT_EQ(errors.errors()[0].where().path, "one");
    EXPECT_EQ(errors.errors()[1].where().path, "three");
  }
}

}  // namespace
}  // namespace shardmill::source
