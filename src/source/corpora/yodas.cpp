// YODAS: data/en000/text/00000000.txt of "ID TEXT", and the audio of its lines in
// data/en000/audio/00000000.tar.gz, ID.wav.
#include "base/text/units.hpp"
#include "source/corpora/list.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/texts/yodas_place.hpp"

namespace shardmill::source {

namespace {

class Yodas final : public TreeTable {
 public:
  explicit Yodas(TreeOptions options) : TreeTable(std::move(options), {.transcripts = ".txt"}) {}

  Role role(std::string_view path) const override {
    const Role own = TreeTable::role(path);
    return own == Role::text && path_part(path, 1) != "text" ? Role::other : own;
  }
  Packed packed() const override { return Packed::anyhow; }
  std::string packed_name(std::string_view path) const override { return YodasPlace(path).part(); }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const Row* row = find_row(key);
    return row == nullptr || YodasPlace(place_of(*row)).part() == packed_name;
  }

  void read_transcripts(const TreeText& text) override {
    const YodasPlace place(text.path);
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string id(take_field(line));
      Row& row = add(place.folder + "/" + id, line, text, number);
      row.subsets = {place.folder};
      row.seconds = length_in(id);
      row.facts.text("recording", recording_of(id));
      place.tell(row.facts);
    });
  }

 private:
  /// The video of "VIDEO-00001-00000123-00000456", whose name may hold a "-".
  static std::string_view recording_of(std::string_view id) {
    constexpr int kNumbers = 3;
    for (int number = 0; number < kNumbers; ++number) {
      const std::size_t end = id.rfind('-');
      if (end == id.npos) return {};
      id = id.substr(0, end);
    }
    return id;
  }
  /// The begin and the end, in hundredths of a second.
  static double length_in(std::string_view id) {
    const std::size_t to = id.rfind('-');
    if (to == id.npos || to == 0) return 0;
    const std::size_t from = id.rfind('-', to - 1);
    if (from == id.npos) return 0;
    const auto begin = base::count_in(id.substr(from + 1, to - from - 1));
    const auto end = base::count_in(id.substr(to + 1));
    constexpr double kHundredths = 100;
    return begin && end && *end > *begin ? static_cast<double>(*end - *begin) / kHundredths : 0;
  }
  /// A video may have captions in several languages.
  std::string id_of(std::string_view audio) const override {
    return YodasPlace(audio).folder + "/" + stem_of(audio);
  }
  std::string listed_in(std::string_view audio) const override {
    const YodasPlace place(audio);
    return place.folder.empty() ? "text/*.txt" : place.folder + "/text/*.txt";
  }
  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    if (const YodasPlace place(audio); row == nullptr && !place.folder.empty())
      utterance.subsets.push_back(place.folder);
  }
};

}  // namespace

constinit const Corpus kYodas{
    .prefix = "yodas",
    .name = "YODAS",
    .texts = "*/[a-z]*[0-9][0-9][0-9]/text/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].txt",
    .beside_texts =
        "*/[a-z]*[0-9][0-9][0-9]/audio/*.tar.gz|*/[a-z]*[0-9][0-9][0-9]/audio/*.wav|*/"
        "[a-z]*[0-9][0-9][0-9]/audio/*.flac",
    .audio = "*/[a-z]*[0-9][0-9][0-9]/audio/*-[0-9][0-9][0-9][0-9][0-9]-[0-9]*-[0-9]*.wav",
    .needed = "text/*.txt",
    .in_archive =
        "*/[a-z]*[0-9][0-9][0-9]/text/"
        "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].txt|*-[0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9]"
        "[0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].wav",
    .splits = Splits::none,
    .make = make_tree<Yodas>};

}  // namespace shardmill::source
