// AudioRoots: which folders of labels are which folders of the audio. Labels are often made on another
// machine, and name the audio by its place there.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::source {

/// Without "./" and slashes in front, and without the extension of audio.
std::string_view plain_name(std::string_view path);

/// The last `parts` parts; all of `name` if it has fewer.
std::string_view tail_of(std::string_view name, std::size_t parts);

/// The folders above the audio, as the labels have them and as the files lie, which need not be alike.
struct AudioRoots {
  std::set<std::string, std::less<>> in_labels{};
  std::set<std::string, std::less<>> of_files{};
  /// All pairs of them, where there is only one: one root is another here, and names of files are enough.
  std::optional<std::pair<std::string, std::string>> only_pair{};
  bool have_several_pairs = false;
  bool are_unknown = false;  // no audio file could be looked at: any fit, but for names of files
  std::string doubt{};       // which files are taken although their folders differ; a sentence
};

enum class AudioFit {
  good,
  name_alone,  // the folders differ in several ways, and the name may be that of another file
  none
};

/// Whether `file` may be what the labels call `audio`: one is the whole end of the other, but for `roots`.
AudioFit fit_of(std::string_view audio, std::string_view file, const AudioRoots& roots);

/// How many parts the end has that both have in common: 2 for "x/s/a.wav" and "y/s/a.wav".
std::size_t common_parts(std::string_view audio, std::string_view file);

/// True if the folders before that end differ, and only in digits: "spk1/a.wav" is not "x/spk2/a.wav".
bool have_other_numbers(std::string_view audio, std::string_view file);

/// True if no folder above `file` is called like that of `audio`: "train/a.wav" may not be "data/test/a.wav".
/// A folder whose name only says that there is audio, such as "wavs", may have any other name.
bool is_of_other_folder(std::string_view audio, std::string_view file);

/// For messages, without a full stop.
std::string taken_for(std::string_view audio, std::string_view file);

/// Learns roots of files and of the names in the labels that have the longest ends in common with them.
class AudioRootSearch {
 public:
  void add(std::string_view audio, std::string_view file);
  /// None if a file is found without: then the others are not there.
  AudioRoots take() const;

  /// What is in front of the end that both have in common.
  struct Heads {
    std::string in_label;
    std::string of_file;
    bool has_folder = false;  // the end in common is more than the name of the file

    auto operator<=>(const Heads&) const = default;
  };

 private:
  struct Met {
    std::size_t files = 0;
    std::string first;  // of them, for a message
  };

  std::string doubt(const AudioRoots& roots) const;

  std::map<Heads, Met> met_;
  std::size_t files_ = 0;
  bool are_needless_ = false;
};

}  // namespace shardmill::source
