// Journal: the file that says from where a run can continue. It is replaced as a whole at each checkpoint.
#pragma once

#include <optional>
#include <string>

#include "shardmill/sample.hpp"

namespace shardmill::pipeline {

struct Journal {
  std::string fingerprint;  // of everything that the result depends on, as lines of text
  Bytes body;
};

std::string journal_path(const std::string& work_folder);

/// The journal is durable on return.
void write_journal(const std::string& path, const Journal& journal);
/// True for a journal of this or another version, even a damaged one. Never throws.
bool looks_like_journal(const std::string& path);
/// nullopt when the file does not exist. Throws Error when it is damaged.
std::optional<Journal> read_journal(const std::string& path);

}  // namespace shardmill::pipeline
