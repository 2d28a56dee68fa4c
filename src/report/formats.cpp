#include <fmt/format.h>

#include "base/text/units.hpp"
#include "report/sections.hpp"
#include "report/shared.hpp"

namespace shardmill::report {

namespace {

using manifest::DatasetRecord;

constexpr std::size_t kMostFormatRows = 50;

std::string conclusion(const DatasetRecord& dataset) {
  const auto bytes_a_second =
      static_cast<std::uint64_t>(static_cast<double>(dataset.audio_bytes) / dataset.seconds);
  std::string text = manifest::is_uniform(dataset)
                         ? "All audio has one sample rate and number of channels"
                         : "Sample rates or numbers of channels differ: a loader must bring them to one";
  text += fmt::format("; a second takes {} on average.", base::format_size(bytes_a_second));
  if (const DatasetRecord::Reencoded& reencoded = dataset.reencoded; reencoded.samples != 0) {
    text += fmt::format(" {} {} encoded anew", base::format_count(reencoded.samples, "sample"),
                        reencoded.samples == 1 ? "was" : "were");
    if (reencoded.clipped_samples != 0)
      text +=
          fmt::format(", {} with values beyond full scale", base::format_count(reencoded.clipped_samples));
    text += '.';
  }
  return text;
}

}  // namespace

void add_formats(page::MarkupWriter& html, const ReportFacts& facts) {
  const DatasetRecord& dataset = *facts.records.dataset;
  html.open("section");
  add_heading(html, "formats", "Audio formats", conclusion(dataset));
  std::vector<Row> rows;
  for (const DatasetRecord::AudioKind& kind : dataset.audio) {
    if (rows.size() == kMostFormatRows) break;
    rows.push_back({kind.format, fmt::format("{} Hz", base::format_count(kind.sample_rate)),
                    fmt::format("{}", kind.channels), base::format_count(kind.samples),
                    base::format_audio(kind.seconds), format_percent(kind.seconds / dataset.seconds)});
  }
  if (dataset.audio.size() > rows.size())
    rows.push_back({fmt::format("and {} more", dataset.audio.size() - rows.size()), "", "", "", "", ""});
  add_table(html,
            {{"format", false},
             {"sample rate", true},
             {"channels", true},
             {"samples", true},
             {"audio", true},
             {"share", true}},
            rows);
  html.close();
}

}  // namespace shardmill::report
