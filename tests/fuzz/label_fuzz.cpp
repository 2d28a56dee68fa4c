// Label tables: whatever the file holds gives rows that are found by their audio and make manifest lines, or
// an Error.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "memory_file.hpp"
#include "source/labels/label_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardmill;
  const base::File file = testing::memory_file(std::as_bytes(std::span(data, size)));
  try {
    const source::LabelTable table({"/proc/self/fd/" + std::to_string(file.descriptor())}, "");
    base::JsonParser parser;
    std::size_t rows = 0;
    for (std::uint32_t recording = 0; recording < table.recordings(); ++recording) {
      for (const source::LabelRow& row : table.rows_of(recording)) {
        ++rows;
        const bool has_times = row.begin_seconds >= 0 && row.begin_seconds < row.end_seconds;
        if ((row.problem.empty() && !has_times) || row.facts.find('\n') != std::string::npos) std::abort();
        parser.parse("{" + row.facts + "}");
        table.key_of(row);
        if (!row.problem.empty()) continue;  // it may name no audio, beside good rows of the same line
        const auto found = table.find(row.audio, {});
        if (found.recording ? *found.recording != recording : found.problem.empty()) std::abort();
      }
    }
    if (rows != table.rows()) std::abort();
    table.report_bad([](const source::LostAudio& lost) {
      if (lost.key.empty() || lost.error.problem().empty()) std::abort();
    });
    const source::AudioRoots roots =
        table.learn_roots({"x/y.wav", std::string(reinterpret_cast<const char*>(data), size)});
    table.find("x/y.wav", roots);
  } catch (const Error&) {
  }
  return 0;
}
