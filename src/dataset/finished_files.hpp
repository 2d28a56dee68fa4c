// check_files_are_there: checks that all files named by the records of a finished dataset exist.
#pragma once

#include <string>

namespace shardmill::dataset {

/// Looks only at names and sizes. Throws Error that says how many files are missing or have another size than
/// their records say, and which.
void check_files_are_there(const std::string& folder);

}  // namespace shardmill::dataset
