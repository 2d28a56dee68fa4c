// repair: finds missing and damaged files of a finished dataset and makes them again, byte for byte.
// derived_files: makes those files of a dataset again that follow from its other files.
// source_shards: packs shards of a dataset again from the sources that their manifests name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/repair_plan.hpp"
#include "manifest/layout.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::repair {

struct RepairOptions {
  std::string folder;
  bool dry_run = false;
  bool allow_commands = false;  // that a corpus names instead of audio files
  std::string command;          // the command line, for the lock
};

struct RepairSummary {
  struct File {
    std::string name;  // relative to the folder
    check::RepairFrom from{};
  };

  std::vector<File> repaired;                 // with dry_run: that would be
  std::map<std::string, std::string> beyond;  // files that are still missing or damaged, and why
  std::uint64_t files = 0;                    // that were looked at
  std::uint64_t bytes = 0;                    // of them
  double seconds = 0;
};

/// A file is replaced only by one that has the recorded checksum, whole and synced, in one rename; so
/// whatever ends the repair, nothing is worse than before. Throws Error when the folder holds no finished
/// dataset, or a run is at work in it.
RepairSummary run_repair(const RepairOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

/// Writes `file` of the dataset in `folder` into the folder `stage`, under its name and synced, maybe with
/// others that belong to it; returns the files that it has written. The files that it reads must be whole.
std::vector<manifest::Checksum> make_derived(const std::string& file, const check::RepairFacts& facts,
                                             const std::string& folder, const std::string& stage,
                                             pipeline::Workers& workers, base::Reporter& reporter);

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
