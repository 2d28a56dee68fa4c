// Compares the lists that the user gave with the samples: which rows of tables found no sample, which samples
// no row, and which keys no source has, so that a misspelt list is noticed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/intake_options.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

/// The files that list all samples that a run took, and all that it left out.
struct ListedSamples {
  std::vector<std::string> manifests{};
  std::vector<std::string> rejects{};
  bool are_all = true;  // false: samples were left out whose keys were not recorded

  void for_each_sample(const std::function<void(const manifest::SampleRecord&)>& take) const;
  void for_each_reject(const std::function<void(const manifest::Reject&)>& take) const;
};

/// False when samples were left out by limits or weights.
bool knows_all_keys(const pipeline::IntakeOptions& intake, const pipeline::IntakeCounts& counts);

/// The account of each table. Throws Error where a table fits nothing at all or a row fits several samples,
/// and FatalError when a table has changed.
std::vector<TableMatch> account_of_tables(const std::vector<pipeline::TableFile>& tables,
                                          const ListedSamples& listed);

/// That no row of the table belongs to a sample. `example`: the key of one.
Error no_match_error(const pipeline::TableFile& table, const std::string& example);

/// Warns of the keys of both lists that neither a sample nor a reject has.
void warn_of_unmatched_keys(const pipeline::KeyPatterns& keys, const ListedSamples& listed,
                            base::Reporter& reporter);

}  // namespace shardmill::repack
