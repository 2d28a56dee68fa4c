// kaldi/wav.scp and kaldi/kaldiio.scp: they say where the dataset is, and so have no checksum. They are
// compared with the manifests, and written again when the dataset was moved.
#pragma once

#include <string>

#include "base/reporter.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::dataset {

/// True when SHA256SUMS says that the dataset has Kaldi's lists.
bool has_kaldi_lists(const DatasetRecords& records);

/// Nothing is compared where a manifest or data.list cannot be read, which others report.
void check_kaldi_audio(const DatasetRecords& records, base::Reporter& reporter, FindingList& findings);

/// Writes both files into the folder of the dataset.
void write_kaldi_audio(const DatasetRecords& records, const std::string& root, base::Reporter& reporter);

}  // namespace shardmill::dataset
