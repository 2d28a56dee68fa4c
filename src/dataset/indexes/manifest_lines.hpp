// for_each_sample(): the lines of a manifest, one sample after another.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/reporter.hpp"
#include "base/text/json_reader.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::dataset {

using UseSample = std::function<void(const manifest::SampleRecord& record, const base::JsonValue& line)>;

/// Throws Error with the place of a line that makes no sense, and what `use` throws with its own place, else
/// with that of the line.
void for_each_sample(const std::string& manifest, base::Reporter& reporter, const UseSample& use);

/// A fact of a sample as a text: numbers as they are written; empty for null, lists and objects, and where
/// there is none.
std::string fact_text(const base::JsonValue& line, std::string_view fact);

}  // namespace shardmill::dataset
