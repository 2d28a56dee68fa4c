// What can be said of an archive without unpacking all of it: its kind, its first names, and its texts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "source/archive_entries.hpp"

namespace shardmill::source {

/// True for a zip, a 7z or a rar by its first bytes.
bool is_container(const base::File& file);
bool is_container(const std::string& path);

/// The names of the first files in an archive, archives in it included, until `enough` returns true, from a
/// bounded part of the archive. Empty where it is no archive. Throws Error when it cannot be read.
std::vector<std::string> first_names(const std::string& path,
                                     const std::function<bool(const std::string& name)>& enough);

/// Reads those files that are `wanted` where that is cheap, without unpacking the others: from a zip, by its
/// directory, and from a plain tar, by steps from header to header. False, with nothing read, for all others.
/// Throws Error for a zip that is damaged or encrypted.
bool read_ahead(base::File& file, const EntryOptions& options,
                const std::function<void(ArchiveEntry&& entry)>& use);

}  // namespace shardmill::source
