// FactColumns: what the sources say of the samples besides audio and text, as columns of a table.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"
#include "base/text/json_reader.hpp"
#include "dataset/index_files.hpp"
#include "parquet/table_writer.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// A fact of the samples, and the kind that fits all its values: a text holds anything, also lists and
/// objects, which it holds as JSON.
struct FactColumn {
  std::string fact;  // its name in the manifests
  parquet::ValueKind kind = parquet::ValueKind::text;
};

/// Those of all samples, sorted by name. Reads the manifests of several shards at a time. Throws Error where
/// a table would get thousands of columns.
std::vector<FactColumn> find_fact_columns(const std::vector<ShardToIndex>& shards, pipeline::Workers& workers,
                                          base::Reporter& reporter);

/// The fact of one sample. `kept` holds the text that the value views.
parquet::Value value_of(const FactColumn& column, const base::JsonValue& line, std::string& kept);

}  // namespace shardmill::dataset
