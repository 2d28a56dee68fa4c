// ReazonSpeech: tsv/tiny.tsv, and larger tables that hold the rows of the smaller ones, with rows of
// "000/ID.flac<tab>TEXT"; and data/000.tar with the audio.
#include <fmt/format.h>

#include <algorithm>

#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class ReazonSpeech final : public TreeTable {
 public:
  explicit ReazonSpeech(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "tiny.tsv|small.tsv|medium.tsv|large.tsv|all.tsv"}) {}

  Packed packed() const override { return Packed::anyhow; }
  bool belongs_to(std::string_view, std::string_view) const override { return true; }

  void read_transcripts(const TreeText& text) override {
    const std::string subset = stem_of(text.path);
    for_each_line<Blanks::kept>(text, [&](std::string_view line, std::uint64_t number) {
      const auto fields = split_fields(line, '\t');
      if (fields.size() != 2 || !is_audio_name(fields[0]))
        throw Error("is not a file name, a tab and a transcript");
      const std::string id = stem_of(fields[0]);
      const bool is_known = has(id);
      Row& row = is_known ? row_of(id) : add(id, fields[1], text, number);
      if (is_known && row.text != fields[1])
        throw Error(fmt::format("'{}' has another transcript in {}", printable(id), place_of(row)));
      const auto place = std::lower_bound(row.subsets.begin(), row.subsets.end(), subset);
      if (place != row.subsets.end() && *place == subset)
        throw Error(fmt::format("'{}' is in it already", printable(id)));
      row.subsets.insert(place, subset);
    });
  }

 private:
  std::string listed_in(std::string_view) const override { return "the table tsv/*.tsv of its part"; }
  void describe(std::string_view, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.language("ja");
  }
};

}  // namespace

constinit const Corpus kReazonSpeech{
    .prefix = "reazonspeech",
    .name = "ReazonSpeech",
    .texts = "*/tsv/tiny.tsv|*/tsv/small.tsv|*/tsv/medium.tsv|*/tsv/large.tsv|*/tsv/all.tsv",
    .beside_texts = "*/data/*.tar|*/data/*/*.flac",
    .needed = "tsv/tiny.tsv or a larger one",
    .in_archive =
        "*/tsv/tiny.tsv|*/tsv/small.tsv|*/tsv/medium.tsv|*/tsv/large.tsv|*/tsv/all.tsv|*/data/"
        "[0-9a-f][0-9a-f][0-9a-f]/*.flac",
    .splits = Splits::none,
    .make = make_tree<ReazonSpeech>};

}  // namespace shardmill::source
