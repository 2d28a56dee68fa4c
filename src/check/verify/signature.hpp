// Checks the signature of a dataset's SHA256SUMS with OpenSSH's ssh-keygen.
#pragma once

#include <string>

#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// The signature is in SHA256SUMS.sig, as `ssh-keygen -Y sign -n file SHA256SUMS` writes it. A key of the
/// file `allowed_signers` must have made it: a note says whose. A missing or wrong signature is a finding.
/// Throws Error if ssh-keygen or `allowed_signers` cannot be used.
void check_signature(const dataset::DatasetRecords& records, const std::string& allowed_signers,
                     FindingList& findings);

}  // namespace shardmill::check
