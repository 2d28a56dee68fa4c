// Manifests of Lhotse: recordings with supervisions, or cuts, as its recipes write them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "source/corpora/list.hpp"
#include "source/labels/lhotse_rows.hpp"
#include "source/source_file.hpp"
#include "source/split.hpp"
#include "source/tables/table_records.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// A manifest by its name: "aishell_supervisions_train.jsonl.gz".
struct Manifest {
  std::string path;
  LhotseKind kind = LhotseKind::none;
  std::string prefix;  // "aishell"
  std::string subset;  // "train"; empty if the name has none
};

std::optional<Manifest> manifest_by_name(const std::string& path) {
  constexpr std::array<std::pair<std::string_view, LhotseKind>, 3> kKinds{
      {{"cuts", LhotseKind::cut},
       {"supervisions", LhotseKind::supervision},
       {"recordings", LhotseKind::recording}}};
  std::string name = fs::path(path).filename().string();
  for (const std::string_view end : {".gz", ".jsonl"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  if (name.size() + 6 > fs::path(path).filename().string().size()) return std::nullopt;
  for (const auto& [word, kind] : kKinds) {
    const std::size_t begin = name.find(word);
    if (begin == std::string::npos) continue;
    const auto trimmed = [](std::string_view text) {
      while (!text.empty() && std::string_view("_-.").find(text.front()) != text.npos) text.remove_prefix(1);
      while (!text.empty() && std::string_view("_-.").find(text.back()) != text.npos) text.remove_suffix(1);
      return std::string(text);
    };
    return Manifest{.path = path,
                    .kind = kind,
                    .prefix = trimmed(std::string_view(name).substr(0, begin)),
                    .subset = trimmed(std::string_view(name).substr(begin + word.size()))};
  }
  return std::nullopt;
}

std::string folder_of_manifest(const Manifest& manifest) {
  const fs::path folder = fs::path(manifest.path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::vector<Manifest> manifests_in(const std::string& folder) {
  std::vector<Manifest> found;
  for (const fs::path& entry : base::entries(folder)) {
    auto manifest = base::is_folder(entry) ? std::nullopt : manifest_by_name(entry.string());
    if (manifest) found.push_back(std::move(*manifest));
  }
  std::sort(found.begin(), found.end(), [](const Manifest& a, const Manifest& b) { return a.path < b.path; });
  return found;
}

bool is_lhotse_folder(const std::string& folder);

/// "supervisions.json", and not "supervisions.jsonl".
bool is_array_of_lhotse(const std::string& path) {
  return path.ends_with(".json") && manifest_by_name(path + "l").has_value();
}

/// By its first line. Not of a large file, which would be unpacked for that.
LhotseKind kind_by_content(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
  try {
    if (base::File::open_read(path).size() > kMostBytes) return LhotseKind::none;
    base::LineReader lines(open_table(path));
    std::string_view line;
    base::JsonParser parser;
    return lines.next(line) ? lhotse_kind(parser.parse(line)) : LhotseKind::none;
  } catch (const Error&) {
    return LhotseKind::none;  // It is reported when it is read.
  }
}

/// A recipe has exchanged the names of its files.
void tell_kinds(std::vector<Manifest>& manifests) {
  for (Manifest& manifest : manifests) {
    const LhotseKind kind = kind_by_content(manifest.path);
    if (kind != LhotseKind::none) manifest.kind = kind;
  }
}

/// The path of supervisions whose name does not say that they are: "corpus_segments_all.jsonl.gz". Of
/// several, one that is called like the recordings. Empty if the folder has no such file.
std::string unnamed_supervisions(const Manifest& recordings) {
  const auto differs = [&](const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    return !name.starts_with(recordings.prefix) || name.find(recordings.subset) == name.npos;
  };
  std::vector<std::string> found;
  for (const fs::path& entry : base::entries(folder_of_manifest(recordings))) {
    const std::string path = entry.string();
    const bool is_unnamed =
        (path.ends_with(".jsonl") || path.ends_with(".jsonl.gz")) && !manifest_by_name(path);
    if (is_unnamed && !base::is_folder(entry) && kind_by_content(path) == LhotseKind::supervision)
      found.push_back(path);
  }
  const auto first = std::ranges::min_element(
      found, {}, [&](const std::string& path) { return std::pair(differs(path), path); });
  return first == found.end() ? std::string() : *first;
}

/// With the advice that makes them the supervisions of these recordings.
Error unnamed_error(const std::string& supervisions, const Manifest& recordings) {
  constexpr std::string_view kWord = "recordings";
  std::string name = fs::path(recordings.path).filename().string();
  const std::size_t begin = name.find(kWord);
  const std::string how = begin == name.npos ? "with 'supervisions' in it"
                                             : printable(name.replace(begin, kWord.size(), "supervisions"));
  return Error(
      fmt::format("has supervisions, but its name does not say so, and {} has none beside it",
                  printable(fs::path(recordings.path).filename().string())),
      at(supervisions),
      fmt::format("give it the name {}, or move it elsewhere if it is not about these recordings", how));
}

/// A line of a manifest.
struct ManifestLine {
  std::string path;
  std::uint64_t number = 0;

  Error here(const Error& error) const {
    return Error(fmt::format("line {}: {}", number, error.problem()), at(path), error.advice(),
                 error.remedy());
  }
};

class LhotseReader {
 public:
  LhotseReader(const CorpusOptions& options, CorpusBuilder& builder) : options_(options), builder_(builder) {}

  /// All manifests of a folder. Where there are cuts of a subset, they are all that is read of it, and have
  /// to be about all of its recordings.
  void read_folder(const std::string& folder) {
    if (const SharFolder shar = shar_in(folder); !shar.shards.empty()) return read_shar(folder, shar);
    std::vector<Manifest> manifests = manifests_in(folder);
    if (manifests.empty()) return read_subfolders(folder);
    tell_kinds(manifests);
    const auto has = [&](LhotseKind kind, const Manifest& like) {
      return std::any_of(manifests.begin(), manifests.end(), [&](const Manifest& each) {
        return each.kind == kind && each.subset == like.subset && each.prefix == like.prefix;
      });
    };
    // Supervisions come first: their loss is not that of their recordings again.
    std::vector<Manifest> beside_cuts;
    for (const LhotseKind kind : {LhotseKind::supervision, LhotseKind::recording}) {
      std::copy_if(manifests.begin(), manifests.end(), std::back_inserter(beside_cuts),
                   [&](const Manifest& each) {
                     return each.kind == kind && has(LhotseKind::cut, each) && is_wanted(each);
                   });
    }
    for (const Manifest& each : beside_cuts) known_to_cuts_.try_emplace({each.prefix, each.subset});
    for (const Manifest& manifest : manifests) {
      const bool is_beside_cuts = manifest.kind != LhotseKind::cut && has(LhotseKind::cut, manifest);
      if (is_beside_cuts || !is_wanted(manifest)) continue;
      if (manifest.kind == LhotseKind::supervision) {
        read_pair(manifest, manifests);
      } else if (manifest.kind == LhotseKind::cut) {
        read_rows(manifest);
      } else if (!has(LhotseKind::supervision, manifest) && !serves_others(manifest, manifests)) {
        read_alone(manifest);
      }
    }
    for (const Manifest& manifest : beside_cuts) leave_out(manifest);
  }

  void read_file(const std::string& path) {
    const fs::path above = fs::path(path).parent_path();
    for (const SharShard& shard : shar_in(above.empty() ? "." : above.string()).shards) {
      if (shard.cuts == path || fs::path(shard.cuts).filename() == fs::path(path).filename())
        return read_shar(above.string(), {.shards = {shard}, .others = {}});
    }
    const auto by_name = manifest_by_name(path);
    std::vector<Manifest> own{
        by_name.value_or(Manifest{.path = path, .kind = LhotseKind::cut, .prefix = {}, .subset = {}})};
    tell_kinds(own);
    const Manifest& manifest = own.front();
    if (manifest.kind == LhotseKind::cut) return read_rows(manifest);
    std::vector<Manifest> all = manifests_in(folder_of_manifest(manifest));
    tell_kinds(all);
    if (manifest.kind == LhotseKind::supervision) return read_pair(manifest, all);
    for (const Manifest& each : all) {
      if (each.kind == LhotseKind::supervision && each.subset == manifest.subset &&
          each.prefix == manifest.prefix)
        return read_pair(each, all);
    }
    read_alone(manifest);
  }

 private:
  void read_subfolders(const std::string& folder) {
    std::vector<std::string> subfolders;
    for (const fs::path& entry : base::entries(folder)) {
      if (base::is_folder(entry)) {
        subfolders.push_back(entry.string());
      } else if (is_array_of_lhotse(entry.string())) {
        throw Error("is one JSON array, as older recipes write it, and a manifest has an object on each line",
                    at(entry.string()),
                    fmt::format("convert the file: jq -c '.[]' {0} > {0}l", entry.string()));
      }
    }
    std::sort(subfolders.begin(), subfolders.end());
    for (const std::string& subfolder : subfolders) {
      if (is_lhotse_folder(subfolder)) read_folder(subfolder);
    }
  }

  void read_shar(const std::string& folder, const SharFolder& shar) {
    // Its files have numbers, and its folder may have the name of a subset.
    const std::string name = fs::path(folder).filename().string();
    const std::string subset = split_of(name) == Split::other ? std::string() : name;
    if (!subset.empty() && !has_wanted_subset({subset}, options_.tree.subsets)) return;
    TreeOptions tree = options_.tree;
    if (subset.empty()) tree.subsets.clear();
    builder_.published(kLhotse.prefix);
    for (const SharShard& shard : shar.shards) {
      builder_.description(shard.cuts);
      for (const std::string& table : shard.tables) builder_.description(table);
      for (const std::string& table : shard.missing_tables)
        builder_.unusable(Unusable::What::file, table,
                          Error("is not there, but other shards have a table of its name", at(table),
                                "bring it back, or move all tables of its name elsewhere"));
      if (shard.audio.empty()) {
        builder_.unusable(Unusable::What::file, shard.cuts,
                          Error("has no recording*.tar of its number", at(shard.cuts)));
      } else {
        builder_.archive(shard.audio, std::make_shared<ArchivedTree>(shar_tree(shard, tree, subset)));
      }
    }
    if (!shar.gap.empty() && shar.without_cuts.empty())
      builder_.warn(Error("is not there, but cuts of later numbers are", at(shar.gap),
                          "if it belongs to the data, download it, with its recording*.tar"));
    for (const std::string& recording : shar.without_cuts)
      builder_.unusable(Unusable::What::file, recording,
                        Error("is not read: the cuts of its number are missing", at(recording),
                              "bring them back, or move it elsewhere if it is not needed"));
    if (shar.others.empty()) return;
    const std::string more =
        shar.others.size() == 1
            ? ""
            : fmt::format(", and neither are {} more files of its folder", shar.others.size() - 1);
    builder_.unusable(Unusable::What::file, shar.others.front(),
                      Error(fmt::format("is not read: of Shar, recordings, cuts and tables are{}", more),
                            at(shar.others.front()), "move it elsewhere if it is not needed"));
  }

  bool is_wanted(const Manifest& manifest) const {
    return has_wanted_subset({manifest.subset}, options_.tree.subsets);
  }

  /// Supervisions or recordings that cuts have been read in place of. Those about recordings that no cut
  /// knows are lost.
  void leave_out(const Manifest& manifest) {
    const bool is_of_recordings = manifest.kind == LhotseKind::recording;
    auto& known = known_to_cuts_.at({manifest.prefix, manifest.subset});
    std::vector<std::string> unknown;
    for_each_json_line(
        manifest.path, builder_, BadLines::unusable,
        [&](const base::JsonValue& object, const CorpusText& text) {
          std::string recording = lhotse_id(object, is_of_recordings ? "id" : "recording_id");
          if (known.contains(recording)) return;
          const Error error(
              fmt::format("no cut is about the recording '{}', and there are cuts of the same subset",
                          printable(recording)),
              {}, "if the cuts are all that is wanted, give their file instead of the folder");
          builder_.unusable(is_of_recordings ? Unusable::What::recording : Unusable::What::segment,
                            lhotse_id(object), text.here(error));
          unknown.push_back(std::move(recording));
        });
    if (unknown.empty())
      builder_.warn(Error("is left out: there are cuts of its recordings", at(manifest.path)));
    known.insert(unknown.begin(), unknown.end());
  }

  /// All recordings of a corpus in one manifest, and some of its supervisions in another.
  static bool is_only_recordings(const Manifest& manifest, const std::vector<Manifest>& all) {
    const auto of_prefix = std::count_if(all.begin(), all.end(), [&](const Manifest& each) {
      return each.kind == LhotseKind::recording && each.prefix == manifest.prefix;
    });
    return manifest.kind == LhotseKind::recording && of_prefix == 1;
  }

  static bool serves_others(const Manifest& recordings, const std::vector<Manifest>& all) {
    return is_only_recordings(recordings, all) &&
           std::any_of(all.begin(), all.end(), [&](const Manifest& each) {
             return each.kind == LhotseKind::supervision && each.prefix == recordings.prefix;
           });
  }

  void read_pair(const Manifest& supervisions, const std::vector<Manifest>& all) {
    auto found = std::find_if(all.begin(), all.end(), [&](const Manifest& each) {
      return each.kind == LhotseKind::recording && each.subset == supervisions.subset &&
             each.prefix == supervisions.prefix;
    });
    if (found == all.end()) {
      found = std::find_if(all.begin(), all.end(), [&](const Manifest& each) {
        return each.prefix == supervisions.prefix && is_only_recordings(each, all);
      });
    }
    if (found == all.end()) {
      throw Error("has no manifest of recordings beside it", at(supervisions.path),
                  "it should have the same name but for this word");
    }
    if (recordings_of_ != found->path) {
      read_recordings(found->path);
      awaited_ = is_only_recordings(*found, all) ? supervisions_of(found->prefix, all) : 1;
    }
    read_rows(supervisions);
    if (--awaited_ > 0) return;
    subset_ = found->subset;
    report_unused();
  }

  void read_recordings(const std::string& path) {
    recordings_.clear();
    for_each_json_line(
        path, builder_, BadLines::stop, [&](const base::JsonValue& object, const CorpusText& text) {
          LhotseRecording recording = lhotse_recording(object);
          std::string id = recording.id;
          if (!recordings_.try_emplace(std::move(id), Known{std::move(recording), text.line_number()}).second)
            throw Error("has an id that an earlier recording has");
        });
    recordings_of_ = path;
  }

  static std::ptrdiff_t supervisions_of(const std::string& prefix, const std::vector<Manifest>& all) {
    return std::count_if(all.begin(), all.end(), [&](const Manifest& each) {
      return each.kind == LhotseKind::supervision && each.prefix == prefix;
    });
  }

  /// Recordings that none of the supervisions is about. Without a transcript they are taken whole, if the
  /// user wants those.
  void report_unused() {
    std::vector<const Known*> unused;
    for (const auto& [id, known] : recordings_) {
      if (!known.is_used) unused.push_back(&known);
    }
    std::sort(unused.begin(), unused.end(), [](const Known* a, const Known* b) { return a->line < b->line; });
    for (const Known* known : unused) {
      const ManifestLine line{recordings_of_, known->line};
      if (!options_.tree.needs_tables) {
        add_whole(known->recording, line);
        continue;
      }
      builder_.unusable(Unusable::What::recording, known->recording.id,
                        line.here(Error(fmt::format("no supervision is about the recording '{}'",
                                                    printable(known->recording.id)))));
    }
  }

  /// Noise and room responses have no supervisions: each recording is a sample without a transcript, if the
  /// user wants those.
  void read_alone(const Manifest& manifest) {
    const std::string unnamed = unnamed_supervisions(manifest);
    if (!unnamed.empty() && options_.tree.needs_tables) throw unnamed_error(unnamed, manifest);
    if (!unnamed.empty()) builder_.warn(unnamed_error(unnamed, manifest));
    if (options_.tree.needs_tables)
      throw Error("has no manifest of supervisions beside it, of the same name but for this word",
                  at(manifest.path), Remedy::allow_audio_alone);
    subset_ = manifest.subset;
    builder_.published(kLhotse.prefix);
    for_each_json_line(manifest.path, builder_, BadLines::stop,
                       [&](const base::JsonValue& object, const CorpusText& text) {
                         add_whole(lhotse_recording(object), {manifest.path, text.line_number()});
                       });
  }

  void add_whole(const LhotseRecording& recording, const ManifestLine& line) {
    LabelRow row;
    row.key = recording.id;
    row.seconds = recording.seconds;
    if (recording.seconds > 0) row.end_seconds = recording.seconds;
    add(row, recording, line, line);
  }

  void read_rows(const Manifest& manifest) {
    subset_ = manifest.subset;
    // The names of manifests say which is for training, as publishers do.
    builder_.published(kLhotse.prefix);
    CorpusText text(manifest.path, builder_);
    base::JsonParser parser;
    const auto known = known_to_cuts_.find({manifest.prefix, manifest.subset});
    for (std::string_view line; text.next(line);) {
      try {
        const base::JsonValue object = parser.parse(line);
        if (known != known_to_cuts_.end()) known->second.merge(recordings_known_to(object));
        for (LabelRow& row : lhotse_rows(object, options_.tree.text_field))
          add(object, row, {text.path(), text.line_number()});
      } catch (const Error& error) {
        if (error.remedy() != Remedy::none) throw;
        builder_.unusable(Unusable::What::segment, line_of(text.path(), text.line_number()),
                          text.here(error));
      }
    }
    for (const Error& warning : std::exchange(cut_doubts_, {}).warnings(manifest.path))
      builder_.warn(warning);
  }

  void add(const base::JsonValue& object, LabelRow& row, const ManifestLine& line) {
    for (const std::string& name : row.left_out)
      builder_.warn(Error(fmt::format("'{}' of Lhotse is left out", printable(name)), at(line.path)));
    cut_doubts_.add(row);
    const auto of_cut = manifest_recording(object);
    if (of_cut) return add(row, *of_cut, line, line);
    const auto known = recordings_.find(row.recording_id);
    if (row.recording_id.empty() || known == recordings_.end()) {
      const std::string problem = !row.problem.empty() ? row.problem
                                                       : fmt::format("the recording '{}' is not in {}",
                                                                     row.recording_id, recordings_of_);
      return builder_.unusable(Unusable::What::audio, row.key, line.here(Error(problem)));
    }
    known->second.is_used = true;
    add(row, known->second.recording, {recordings_of_, known->second.line}, line);
  }

  static std::optional<LhotseRecording> manifest_recording(const base::JsonValue& object) {
    const auto recording = object.find("recording");
    return recording && !recording->is_null() ? std::optional(lhotse_recording(*recording)) : std::nullopt;
  }

  /// `of_recording` names the recording, `line` the sample.
  void add(LabelRow& own, const LhotseRecording& recording, const ManifestLine& of_recording,
           const ManifestLine& line) {
    const LhotseSource* const source = choose_source(recording, own);
    if (const std::string problem = why_unreadable(own, recording, source); !problem.empty())
      return builder_.unusable(Unusable::What::audio, own.key, line.here(Error(problem)));
    if (!own.problem.empty())
      return builder_.unusable(Unusable::What::segment, own.key, line.here(Error(own.problem)));
    if (!own.channel) make_whole(own, recording.seconds);
    Facts facts;
    facts.members(own.facts);
    facts.text("subset", subset_);
    builder_.utterance(recording_of(recording, *source, of_recording, line),
                       {.key = own.key,
                        .text = own.text ? std::optional<std::string_view>(*own.text) : std::nullopt,
                        .facts = facts.members(),
                        .begin_seconds = own.begin_seconds,
                        .end_seconds = own.end_seconds,
                        .seconds = own.seconds,
                        .channel = own.channel,
                        .keeps_to_seconds = own.keeps_to_seconds,
                        .recording_seconds = recording.seconds,
                        .recording_channels = own.recording_channels,
                        .named_in = line.path,
                        .line = line.number});
  }

  static std::string why_unreadable(const LabelRow& row, const LhotseRecording& recording,
                                    const LhotseSource* source) {
    if (source == nullptr) return row.problem;
    if (!recording.transforms.empty())
      return fmt::format("its recording '{}' is transformed, which only Lhotse can do: {}", recording.id,
                         recording.transforms);
    if (source->type == "file" || source->type == "command") return {};
    return fmt::format("the audio of its recording '{}' is not in a file (its source is of type '{}')",
                       recording.id, printable(source->type));
  }

  std::size_t recording_of(const LhotseRecording& recording, const LhotseSource& source,
                           const ManifestLine& of_recording, const ManifestLine& line) {
    const std::string named_at = line_of(of_recording.path, of_recording.number);
    if (source.type == "file")
      return builder_.recording(SourceKind::recording, path_of(of_recording.path, source.source), named_at);
    if (!options_.allow_commands) {
      const Error error =
          line.here(Error(fmt::format("its recording '{}' is a command, not a file", recording.id)));
      throw Error(error.problem(), error.where(), Remedy::allow_commands);
    }
    return builder_.recording(SourceKind::command, source.source, named_at);
  }

  /// Below the folder that the user named, the path counts from where it leads to a file.
  std::string path_of(const std::string& manifest, const std::string& path) {
    const std::string& root = options_.tree.audio_root;
    if (root.empty()) return paths_.try_emplace(manifest, manifest).first->second.resolve(path);
    if (path.starts_with(head_)) {
      std::string known = root + "/" + path.substr(head_.size());
      if (base::exists(known)) return known;
    }
    for (std::size_t begin = 0; begin < path.size();) {
      const std::string below = root + "/" + path.substr(begin);
      if (path[begin] != '/' && base::exists(below)) {
        head_ = path.substr(0, begin);
        return below;
      }
      begin = std::min(path.find('/', begin), path.size() - 1) + 1;
    }
    return root + "/" + path.substr(std::min(path.find_first_not_of('/'), path.size()));
  }

  struct Known {
    LhotseRecording recording;
    std::uint64_t line = 0;
    bool is_used = false;  // by a supervision
  };

  const CorpusOptions& options_;
  CorpusBuilder& builder_;
  std::unordered_map<std::string, Known> recordings_;
  std::string recordings_of_;                // the manifest that they are from
  std::ptrdiff_t awaited_ = 0;               // manifests of supervisions that are about them
  std::map<std::string, NamedPaths> paths_;  // by manifest
  std::string head_;                         // of paths, the part that the user's folder replaces
  std::string subset_;
  // Ids of recordings, by prefix and subset, where other manifests of these have to agree with the cuts.
  std::map<std::pair<std::string, std::string>, std::unordered_set<std::string>> known_to_cuts_;
  CutDoubts cut_doubts_;  // of the manifest that is being read
};

void read_lhotse(const std::string& path, const CorpusOptions& options, CorpusBuilder& builder) {
  LhotseReader reader(options, builder);
  base::is_folder(path) ? reader.read_folder(path) : reader.read_file(path);
}

bool is_lhotse_folder(const std::string& folder) {
  // Files of a Shar folder are manifests by their names, too.
  const std::vector<Manifest> manifests = manifests_in(folder);
  return std::any_of(manifests.begin(), manifests.end(), [](const Manifest& manifest) {
    return manifest.kind == LhotseKind::cut || manifest.kind == LhotseKind::supervision;
  });
}

}  // namespace

constinit const Corpus kLhotse{
    .prefix = "lhotse",
    .name = "manifests of Lhotse",
    .is_in = is_lhotse_folder,
    .fits_line = [](const base::JsonValue& first) { return lhotse_kind(first) != LhotseKind::none; },
    .owns_archive =
        [](const std::string& path) {
          return !shar_in(fs::path(path).parent_path().string()).shards.empty();
        },
    .may_be_file = true,
    .read = read_lhotse};

}  // namespace shardmill::source
