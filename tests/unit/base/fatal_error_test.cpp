#include "base/fatal_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace shardmill {
namespace {

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
