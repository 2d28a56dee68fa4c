#include "convert/up_to_date.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "dataset/converted_record.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::convert {
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
