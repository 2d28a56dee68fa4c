#include "library/named_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace shardmill::library {
namespace {

using Named = std::vector<std::pair<std::string, std::string>>;

repack::RepackOptions applied(const Named& named) {
  repack::RepackOptions options;
  apply(named, options);
  return options;
}

TEST(NamedOptions, SetFieldsOfTheRecipeAndWaysOfWorking) {
  const auto options = applied({{"audio", "flac"},
                                {"shard-duration", "1h"},
                                {"multiple-of", "8"},
                                {"max-rejects", "all"},
                                {"wait", "yes"}});
  EXPECT_EQ(options.recipe.intake.form.container, audio::WantedForm::Container::flac);
  EXPECT_EQ(options.recipe.sizing.by, deal::ShardSizing::By::seconds);
  EXPECT_EQ(options.recipe.sizing.amount, 3600);
  EXPECT_EQ(options.recipe.sizing.multiple_of, 8);
  EXPECT_EQ(options.max_rejects, std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(options.wait);
}

TEST(NamedOptions, AnOptionThatIsGivenTwiceAdds) {
  EXPECT_EQ(applied({{"exclude", "a*"}, {"exclude", "b*"}}).recipe.intake.keys.exclude.size(), 2);
}

TEST(NamedOptions, APlanMakesShardsEvenAndALimitMeasures) {
  const auto options = applied({{"plan-for", "wenet,static=2,ranks=6"}, {"max-silence", "99%"}});
  EXPECT_EQ(options.recipe.even, deal::Even::leave_out);
  EXPECT_EQ(options.recipe.sizing.multiple_of % 6, 0);
  EXPECT_TRUE(options.recipe.intake.form.hearing.quality);
}

TEST(NamedOptions, WhatMakesNoSenseIsAnError) {
  for (const Named& named :
       {Named{{"audio", "rar"}}, Named{{"shards", "0"}}, Named{{"shards", "x"}}, Named{{"force", "perhaps"}},
        Named{{"multiple-of", "0"}}, Named{{"shards", "3"}, {"shard-size", "1M"}},
        Named{{"shards", "3"}, {"multiple-of", "2"}}, Named{{"min-duration", "2"}, {"max-duration", "1"}},
        Named{{"plan-for", "wenet,static=2,ranks=2"}, {"even", "off"}}})
    EXPECT_THROW(applied(named), UsageError) << named[0].first << " " << named[0].second;
}

TEST(NamedOptions, EveryNameIsThereOnce) {
  std::vector<std::string> names = repack_option_names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const char* name : {"shards", "shard-size", "sample-rate", "plan-for", "force"})
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
  EXPECT_FALSE(std::binary_search(names.begin(), names.end(), "shares"));  // it follows from others
}

}  // namespace
}  // namespace shardmill::library
