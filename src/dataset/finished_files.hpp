// finished_files: whether all that the records of a finished dataset name is there.
#pragma once

#include <string>

namespace shardmill::dataset {

/// Looks at names and sizes, not at contents. Throws Error that says which files are missing or have another
/// size than their records say, and how many.
void check_files_are_there(const std::string& folder);

}  // namespace shardmill::dataset
