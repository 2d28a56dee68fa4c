// unfinished: what a command that was killed left in the folder of a dataset, and which command goes on with
// it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shardmill::dataset {

enum class Unfinished {
  nothing,
  publishing,  // all is made, and some files have got their final names
  run,         // of repack
  parts,       // of repack, in parts
  update,
};

/// The file in the work folder of a split that says what is made, until all of it is made.
inline constexpr std::string_view kSplitBegun = "split";

/// Says nothing of whether somebody is still at work: see the lock.
Unfinished unfinished_in(const std::string& folder);

/// The message for a command that needs `folder` to hold a finished dataset: what is unfinished in it, or
/// that its dataset.json is missing, and which command helps. For folders that hold a dataset, finished or
/// not.
Error unfinished_error(const std::string& folder);

}  // namespace shardmill::dataset
