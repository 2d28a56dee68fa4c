// Journal: the one file that says from where a run can go on; replaced whole at each checkpoint.
#pragma once

#include <optional>
#include <string>

#include "model/sample.hpp"

namespace shardmill::pipeline {

struct Journal {
  std::string fingerprint;  // of all that the result depends on, as lines of text
  Bytes body;
};

std::string journal_path(const std::string& work_folder);

/// Durable when it returns.
void write_journal(const std::string& path, const Journal& journal);
/// True for a journal of this or another version, damaged or not. Never throws.
bool looks_like_journal(const std::string& path);
/// nullopt when there is none. Throws Error when the file is damaged.
std::optional<Journal> read_journal(const std::string& path);

}  // namespace shardmill::pipeline
