#include "convert/origin.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "dataset/converted_record.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::convert {

namespace {

const ConvertedOrigin kOrigin{.source = "../in/\"x\".tar.bz2",
                              .source_bytes = 123,
                              .source_mtime_ns = -5,
                              .codec = "zstd",
                              .level = 3,
                              .seekable = true,
                              .ignore_trailing = false,
                              .result_bytes = 456,
                              .result_mtime_ns = -7};

TEST(ConvertedOrigin, ComesBackAsItWas) {
  EXPECT_EQ(origin_in(to_text(kOrigin)), kOrigin);
  ConvertedOrigin begun = kOrigin;
  begun.result_bytes.reset();
  begun.result_mtime_ns.reset();
  EXPECT_EQ(origin_in(to_text(begun)), begun);
}

TEST(ConvertedOrigin, NothingIsKnownByARecordThatWasChanged) {
  const std::string text = to_text(kOrigin);
  for (const std::string& changed : {std::string(), std::string("{}"), text.substr(0, text.size() / 2),
                                     std::string(text).replace(text.find("456"), 3, "457")}) {
    EXPECT_EQ(origin_in(changed), ConvertedOrigin{});
  }
}

}  // namespace

namespace {

class UpToDate : public ::testing::Test {
 protected:
  UpToDate() {
    options_.shards = {folder_.write("in/a.tar", "source")};
    options_.out_folder = folder_.file("out");
    shard_.source = options_.shards.front();
    shard_.result = folder_.write("out/a.tar.gz", "result");
    options_.codec = codec::Codec::gzip;
  }

  ConvertedOrigin wanted() const { return wanted_origin(shard_, options_); }
  /// Records the result as it is now.
  void record() const {
    ConvertedOrigin origin = wanted();
    const source::SourceFile result = status_of(shard_.result);
    origin.result_bytes = result.bytes;
    origin.result_mtime_ns = result.mtime_ns;
    dataset::write_converted_record(options_.out_folder, name_of(shard_), to_text(origin));
  }
  bool is_current() const { return is_up_to_date(shard_, wanted(), recorded_origin(shard_, options_)); }
  void check() const { check_may_be_replaced(shard_, wanted(), recorded_origin(shard_, options_), options_); }

  testing::TemporaryFolder folder_;
  ConvertOptions options_;
  ConvertedShard shard_;
};

TEST_F(UpToDate, WithTheSameSourceAndOptions) {
  EXPECT_FALSE(is_current()) << "nothing is recorded";
  record();
  EXPECT_TRUE(is_current());
  options_.level = 9;
  EXPECT_FALSE(is_current());
  options_.level.reset();
  folder_.write("in/a.tar", "another source");
  EXPECT_FALSE(is_current());
}

TEST_F(UpToDate, AResultThatSomebodyChangedIsKept) {
  record();
  EXPECT_NO_THROW(check());
  folder_.write("out/a.tar.gz", "changed by somebody");
  EXPECT_FALSE(is_current());
  EXPECT_THROW(check(), Error);
  options_.force = true;
  EXPECT_NO_THROW(check());
}

TEST_F(UpToDate, AResultOfAnotherSourceIsKeptWhileThatExists) {
  record();
  shard_.source = folder_.write("other/a.tar", "other");
  EXPECT_THROW(check(), Error);
  std::filesystem::remove(folder_.file("in/a.tar"));
  EXPECT_NO_THROW(check());
}

}  // namespace

}  // namespace shardmill::convert
