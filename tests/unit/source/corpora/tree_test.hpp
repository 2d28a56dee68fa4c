// What tests of published corpora begin with: a tree that is told of its texts, and the words of gmock.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/corpora/told_tree.hpp"

namespace shardmill::source {

using shardmill::testing::ToldTree;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

}  // namespace shardmill::source
