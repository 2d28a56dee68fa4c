// source_shards: packs shards of a dataset again from the sources that their manifests name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "manifest/layout.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::repair {

/// Writes the shards (names within `folder`, whose manifests are whole) into the folder `stage`, under their
/// names and synced; returns the written files, whose checksums the caller compares. Reads only source files
/// with samples of these shards. A shard that cannot be packed is not among the results. Throws Error with
/// the reason if none can be packed.
std::vector<manifest::Checksum> pack_from_sources(const std::vector<std::string>& shards,
                                                  const std::string& folder, const std::string& stage,
                                                  bool allow_commands, pipeline::Workers& workers,
                                                  base::Reporter& reporter);

/// Which of these shards cannot be packed again, and why, as far as that shows without reading the sources:
/// one is not there any more, or lists the samples no longer.
std::map<std::string, std::string> find_unpackable(const std::vector<std::string>& shards,
                                                   const std::string& folder, bool allow_commands,
                                                   pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::repair
