// unfinished: the work that a killed command left in the folder of a dataset, and the command that continues
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

/// The file in the work folder of a split that describes the run until it is finished.
inline constexpr std::string_view kSplitBegun = "split";

/// Says nothing of whether somebody is still at work: see the lock.
Unfinished unfinished_in(const std::string& folder);

/// The message for a command that needs `folder` to hold a finished dataset: it names the unfinished work, or
/// says that its dataset.json is missing, and which command helps. For folders that hold a dataset, finished
/// or not.
Error unfinished_error(const std::string& folder);

}  // namespace shardmill::dataset
