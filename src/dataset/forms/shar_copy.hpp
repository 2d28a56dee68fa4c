// The copy of a dataset in the form of Lhotse Shar: the audio as it is, with the descriptions that Lhotse
// wants in the tar and beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataset/forms.hpp"

namespace shardmill::dataset {

/// Which of the two: readers count the shards twice where both are in one folder.
enum class SharCuts {
  indexed,  // plain lines, and an index of each file
  gzipped,  // without indexes
};

/// "shar", and "shar-gz".
std::string_view shar_folder(SharCuts cuts);

/// The names of the files of a shard: cuts, recordings, and then their indexes if there are any.
std::vector<std::string> shar_names(SharCuts cuts, std::size_t shard);

/// Writes all of them, several shards at a time.
void write_shar_copies(SharCuts cuts, const FormWork& work, WrittenIndexes& written);

}  // namespace shardmill::dataset
