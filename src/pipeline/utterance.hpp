// Utterance: a measured sample on its way into a shard.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/io/binary.hpp"
#include "manifest/sample_record.hpp"
#include "model/audio_info.hpp"
#include "shard/sample_packer.hpp"
#include "source/split.hpp"

namespace shardmill::pipeline {

struct Utterance {
  std::uint32_t dataset = 0;
  manifest::SampleRecord record;  // shard_id and tar_offset are set when it gets its place
  bool has_text = false;          // it has a transcript that is not empty
  bool text_cleaned = false;      // see shard::is_unclean()
  bool reencoded = false;         // converted in this run
  shard::PackedSample packed;

  // Needed only until it is admitted:
  std::uint32_t given = 0;         // number of the source, in the order in which sources were given
  std::string subset{};            // of its corpus, as publishers name it, with blanks between several
  bool is_published = false;       // that corpus is read as its publisher packs it
  bool is_text_told_late = false;  // its transcript was looked for while it was read
  source::FactTeller teller{};     // of a fact that it may lack
};

/// Renames the packed members after `record.key` was changed.
void rename(Utterance& utterance);

/// Rounded down to nanoseconds: exact enough for balancing, and the same on every machine.
std::chrono::nanoseconds duration_of(const AudioInfo& audio);

/// How many bytes put() appends.
std::uint64_t serialised_bytes(const Utterance& utterance);
void put(base::BinaryWriter& out, const Utterance& utterance);
/// Throws Error when the bytes are not what put() wrote.
Utterance read_utterance(base::BinaryReader& in);

}  // namespace shardmill::pipeline
