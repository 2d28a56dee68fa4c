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

TEST(Faults, AreThrownTogetherInTheirOrder) {
  Faults none;
  EXPECT_TRUE(none.attempt([] {}));
  EXPECT_NO_THROW(none.check());
  Faults one;
  EXPECT_FALSE(one.attempt([] { throw UsageError("a"); }));
  EXPECT_THROW(one.check(), UsageError);
  Faults several = one;
  several.attempt([&] {
    Faults inner;
    inner.attempt([] { throw Error("b", at("f")); });
    inner.attempt([] { throw Error("c"); });
    inner.check();
  });
  try {
    several.check();
    FAIL();
  } catch (const SeveralErrors& errors) {
    ASSERT_EQ(errors.errors().size(), 3U);
    EXPECT_STREQ(errors.errors()[1].what(), "f: b");
    EXPECT_EQ(errors.problem(), "a");
  }
  EXPECT_THROW(none.attempt([] { throw Interrupted(2); }), Interrupted);
}

}  // namespace
}  // namespace shardmill
