#include "base/io/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using shardmill::testing::TemporaryFolder;

template <typename Open>
std::string problem_of(Open open, const std::string& path) {
  try {
    open(path);
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.where().path, path);
    return error.problem();
  }
}

TEST(File, OpensOnlyRegularFilesToRead) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string socket = folder.file("socket");
  ASSERT_EQ(::mknod(socket.c_str(), S_IFSOCK | 0600, 0), 0);
  EXPECT_EQ(problem_of(File::open_read, folder.write("a", "abc")), "none");
  EXPECT_EQ(problem_of(File::open_read, folder.path().string()), "is a folder, not a file");
  for (const std::string& path : {pipe, socket, std::string("/dev/zero")}) {
    EXPECT_EQ(problem_of(File::open_read, path), "is not a regular file");
  }
}

TEST(File, OpensStreamsOfOtherKinds) {
  const TemporaryFolder folder;
  EXPECT_EQ(problem_of(File::open_stream, folder.write("a", "abc")), "none");
  EXPECT_EQ(problem_of(File::open_stream, folder.path().string()), "is a folder, not a file");
  std::byte byte{1};
  EXPECT_EQ(File::open_stream("/dev/zero").read({&byte, 1}), 1u);
  EXPECT_EQ(byte, std::byte{0});
}

}  // namespace
}  // namespace shardmill::base
