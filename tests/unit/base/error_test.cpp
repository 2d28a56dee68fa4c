#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace shardmill {
namespace {

TEST(Error, SaysWhereWhatAndWhatToDo) {
  const Error error("bad checksum", {.path = "a.tar.bz2", .member = "k.wav", .offset = 12, .block = 3},
                    "copy it again");
  EXPECT_STREQ(error.what(), "a.tar.bz2: member 'k.wav': block 3 at offset 12: bad checksum (copy it again)");
}

TEST(Error, WithinFillsOnlyWhatIsMissing) {
  const Error inner("truncated", {.path = {}, .member = {}, .offset = 7, .block = {}});
  const Error outer = inner.within({.path = "x.tar", .member = {}, .offset = 99, .block = {}});
  EXPECT_STREQ(outer.what(), "x.tar: offset 7: truncated");
}

TEST(Error, AFullDiskComesWithAdvice) {
  errno = ENOSPC;
  try {
    throw system_error("cannot write", "out/a.tar");
  } catch (const FatalError& error) {
    EXPECT_STREQ(
        error.what(),
        "out/a.tar: cannot write: No space left on device (make room, then run the same command again)");
  }
}

TEST(Error, ControlCharactersCannotForgeLines) {
  EXPECT_EQ(printable("a\nb\x7f"), "a\\x0ab\\x7f");
}

TEST(FatalError, WhatTheMachineLacksIsNoFinding) {
  for (const int code : {EMFILE, ENFILE, ENOMEM, EIO, ENOSPC, EDQUOT, EFBIG, ESTALE}) {
    errno = code;
    EXPECT_THROW(system_error("cannot open", "a"), FatalError) << code;
  }
}

TEST(FatalError, WhatIsWrongWithAFileIsAnError) {
  for (const int code : {ENOENT, EACCES, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG, EINVAL}) {
    errno = code;
    EXPECT_STREQ(system_error("cannot open", "a").where().path.c_str(), "a") << code;
  }
}

}  // namespace
}  // namespace shardmill
