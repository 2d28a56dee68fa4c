// Lhotse Shar with gzipped cuts, for versions of Lhotse that do not know indexes.
#include "dataset/forms/all.hpp"
#include "dataset/forms/shar_copy.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

LoaderForm shargz_form() {
  return {
      .name = "shar-gz",
      .help = "shar-gz/: the same with gzipped cuts and without indexes, for readers of all shards in turn",
      .lists_texts = true,
      .copies_audio = true,
      .folder = shar_folder(SharCuts::gzipped),
      .owns = [](std::string_view file) { return manifest::is_below(file, shar_folder(SharCuts::gzipped)); },
      .files =
          [](const std::vector<std::string>& shards, const std::vector<std::string>&) {
            std::vector<std::string> names;
            for (std::size_t shard = 0; shard < shards.size(); ++shard) {
              for (std::string& name : shar_names(SharCuts::gzipped, shard)) names.push_back(std::move(name));
            }
            return names;
          },
      .write = [](const FormWork& work,
                  WrittenIndexes& written) { write_shar_copies(SharCuts::gzipped, work, written); }};
}

}  // namespace shardmill::dataset
