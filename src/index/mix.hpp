// mix: one configuration over several finished datasets, for loaders that mix them while they read.
#pragma once

#include <string>
#include <vector>

namespace shardmill::index {

enum class MixKind {
  nemo,    // input_cfg.yaml
  energon  // a metadataset
};

struct MixOptions {
  std::vector<std::string> folders;  // each a finished dataset
  MixKind kind{};
  double temperature = 1;
};

struct Mix {
  struct Part {
    std::string folder;
    double seconds = 0;
    double share = 0;   // of the audio that is read
    double weight = 0;  // of the dataset, for loaders that draw samples; all together 1
  };

  std::vector<Part> parts;
  std::string yaml;
};

/// The share of each dataset in the audio that training reads is its audio time to the power of the
/// temperature. Throws Error for a folder without a finished dataset, or with one that the loader cannot
/// read, and UsageError for a folder that is given twice.
Mix mix_datasets(const MixOptions& options);

}  // namespace shardmill::index
