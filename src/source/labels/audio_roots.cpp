#include "source/labels/audio_roots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/file_name.hpp"

namespace shardmill::source {

std::string_view plain_name(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.starts_with('/')) path.remove_prefix(1);
  return is_audio_name(path) ? without_extension(path) : path;
}

std::string_view tail_of(std::string_view name, std::size_t parts) {
  std::size_t begin = name.size();
  for (; parts > 0 && begin != 0; --parts) {
    const std::size_t slash = begin == 0 ? name.npos : name.rfind('/', begin - 1);
    if (slash == name.npos) return name;
    begin = slash;
  }
  return name.substr(std::min(begin + 1, name.size()));
}

namespace {

/// The end that both have in common, in whole parts.
std::string_view common_tail(std::string_view a, std::string_view b) {
  std::size_t same = 0;
  while (same < std::min(a.size(), b.size()) && a[a.size() - same - 1] == b[b.size() - same - 1]) ++same;
  const bool is_a_whole = same == a.size() && (same == b.size() || b[b.size() - same - 1] == '/');
  const bool is_b_whole = same == b.size() && (same == a.size() || a[a.size() - same - 1] == '/');
  std::string_view tail = a.substr(a.size() - same);
  if (is_a_whole || is_b_whole) return tail;
  const std::size_t slash = tail.find('/');
  return slash == tail.npos ? std::string_view() : tail.substr(slash + 1);
}

/// What is in front of the end.
std::string_view head_of(std::string_view name, std::string_view tail) {
  std::string_view head = name.substr(0, name.size() - tail.size());
  if (head.ends_with('/')) head.remove_suffix(1);
  return head;
}

using Heads = AudioRootSearch::Heads;

Heads heads_of(std::string_view name, std::string_view path, std::string_view tail) {
  return {.in_label = std::string(head_of(name, tail)),
          .of_file = std::string(head_of(path, tail)),
          .has_folder = tail.find('/') != tail.npos};
}

/// True if a folder of the labels is replaced by one of the audio.
bool are_replaced(const AudioRoots& roots, const Heads& heads) {
  if (roots.are_unknown) return heads.has_folder;
  if (!heads.has_folder) return roots.only_pair == std::pair(heads.in_label, heads.of_file);
  return roots.in_labels.contains(heads.in_label) || roots.of_files.contains(heads.of_file);
}

}  // namespace

AudioFit fit_of(std::string_view audio, std::string_view file, const AudioRoots& roots) {
  const std::string_view name = plain_name(audio);
  const std::string_view path = plain_name(file);
  const std::string_view tail = common_tail(path, name);
  if (tail.empty()) return AudioFit::none;
  const Heads heads = heads_of(name, path, tail);
  if (tail == path || tail == name || are_replaced(roots, heads)) return AudioFit::good;
  const bool may_be_another = roots.have_several_pairs || roots.are_unknown;
  return may_be_another && !heads.has_folder ? AudioFit::name_alone : AudioFit::none;
}

std::size_t common_parts(std::string_view audio, std::string_view file) {
  const std::string_view tail = common_tail(plain_name(audio), plain_name(file));
  return tail.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(tail.begin(), tail.end(), '/'));
}

namespace {

/// "spk0" for "spk12".
std::string with_zeros(std::string_view name) {
  std::string masked;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit || !masked.ends_with('0')) masked += is_digit ? '0' : c;
  }
  return masked;
}

}  // namespace

bool have_other_numbers(std::string_view audio, std::string_view file) {
  const std::string_view tail = common_tail(plain_name(audio), plain_name(file));
  const std::string_view a = tail_of(head_of(plain_name(audio), tail), 1);
  const std::string_view b = tail_of(head_of(plain_name(file), tail), 1);
  return !b.empty() && a != b && with_zeros(a) == with_zeros(b);
}

bool is_of_other_folder(std::string_view audio, std::string_view file) {
  constexpr std::array<std::string_view, 16> kAnyAudio{
      "wav",   "wavs", "flac", "mp3", "audio", "audios",     "clip",    "clips",
      "sound", "data", "file", "raw", "files", "recordings", "records", "speech"};
  const std::string_view name = plain_name(audio);
  const std::string folder = base::lower(tail_of(head_of(name, tail_of(name, 1)), 1));
  if (folder.empty() || std::ranges::find(kAnyAudio, folder) != kAnyAudio.end()) return false;
  const std::string above = base::lower(fmt::format("/{}", file.substr(0, file.rfind('/') + 1)));
  // "train" may also be called train_0 or train-00000-of-00004.
  constexpr std::string_view kEnds = "/-_.";
  const std::string wanted = "/" + folder;
  for (auto at = above.find(wanted); at != above.npos; at = above.find(wanted, at + 1)) {
    if (kEnds.find(above[at + wanted.size()]) != kEnds.npos) return false;
  }
  return true;
}

std::string taken_for(std::string_view audio, std::string_view file) {
  return fmt::format("'{}' of the labels is taken for '{}'", printable(audio), printable(file));
}

void AudioRootSearch::add(std::string_view audio, std::string_view file) {
  const std::string_view name = plain_name(audio);
  const std::string_view path = plain_name(file);
  const std::string_view tail = common_tail(path, name);
  if (tail.empty()) return;
  const Heads heads = heads_of(name, path, tail);
  if (tail == path || tail == name) {
    // A name alone says nothing about the folders of others.
    are_needless_ = are_needless_ || heads.has_folder;
    return;
  }
  ++files_;
  Met& alike = met_[heads];
  if (++alike.files == 1) alike.first = taken_for(audio, file);
}

AudioRoots AudioRootSearch::take() const {
  if (are_needless_) return {};
  std::map<std::string, std::size_t, std::less<>> in_labels;
  std::map<std::string, std::size_t, std::less<>> of_files;
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& [heads, alike] : met_) {
    in_labels[heads.in_label] += alike.files;
    of_files[heads.of_file] += alike.files;
    pairs.emplace(heads.in_label, heads.of_file);
  }
  // Of a root there is one, and not one for each file.
  const auto take = [&](const auto& counts, auto& into) {
    for (const auto& [head, count] : counts) {
      if (2 * count > files_) into.insert(head);
    }
  };
  AudioRoots roots;
  take(in_labels, roots.in_labels);
  if (roots.in_labels.empty()) take(of_files, roots.of_files);
  if (pairs.size() == 1) roots.only_pair = *pairs.begin();
  roots.have_several_pairs = pairs.size() > 1;
  roots.doubt = doubt(roots);
  return roots;
}

std::string AudioRootSearch::doubt(const AudioRoots& roots) const {
  std::size_t files = 0;
  bool has_folder = false;
  std::string first;
  for (const auto& [heads, alike] : met_) {
    if (!are_replaced(roots, heads)) continue;
    if (files == 0) first = alike.first;
    files += alike.files;
    has_folder = has_folder || heads.has_folder;
  }
  if (files == 0) return {};
  const std::string others = files == 1
                                 ? ""
                                 : fmt::format(", and {} more of the files that were looked at are taken so",
                                               base::format_count(files - 1));
  return fmt::format("{}: {}{}",
                     has_folder ? "the folders of its audio have other names here"
                                : "nothing but the names of files agrees with the audio",
                     first, others);
}

}  // namespace shardmill::source
