#include "check/sample_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::check {

namespace {

std::uint64_t short_hash(std::span<const std::byte> bytes) {
  const base::Xxh128 hash = base::xxh3_128(bytes);
  std::uint64_t first = 0;
  std::memcpy(&first, hash.bytes.data(), sizeof(first));
  return first;
}

}  // namespace

std::uint64_t content_hash(const base::Xxh128& audio, std::string_view transcript,
                           std::span<const base::Xxh128> extras) {
  Bytes all(audio.bytes.begin(), audio.bytes.end());
  const base::Xxh128 text = base::xxh3_128(base::as_bytes(transcript));
  all.insert(all.end(), text.bytes.begin(), text.bytes.end());
  for (const base::Xxh128& extra : extras) all.insert(all.end(), extra.bytes.begin(), extra.bytes.end());
  const std::uint64_t hash = short_hash(all);
  return hash == kNoContent ? 1 : hash;
}

base::Xxh128 extra_hash(std::string_view name, std::span<const std::byte> bytes) {
  const base::Xxh128 content = base::xxh3_128(bytes);
  const auto extension = base::as_bytes(name.substr(std::min(name.find('.'), name.size())));
  Bytes all(content.bytes.begin(), content.bytes.end());
  all.insert(all.end(), extension.begin(), extension.end());
  return base::xxh3_128(all);
}

std::uint32_t field_hash(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(short_hash(base::as_bytes(text)));
  return hash == 0 ? 1 : hash;
}

std::uint32_t length_hash(const AudioInfo& audio) {
  return field_hash(
      fmt::format("{} {} {} {}", audio.frames, audio.sample_rate, audio.channels, audio.format));
}

std::uint32_t facts_hash(const std::string& facts) {
  base::JsonParser parser;
  std::uint32_t sum = 0;
  for (const auto& [name, value] : parser.parse("{" + facts + "}").members())
    sum += field_hash(std::string(name) + '\0' + value.line());
  return sum == 0 ? 1 : sum;
}

std::string recorded_key(std::string_view source_key) {
  if (base::is_utf8(source_key)) return std::string(source_key);
  std::string json;
  base::JsonWriter(json).value(source_key);
  base::JsonParser parser;
  return std::string(parser.parse(json).text());
}

void SampleAccount::Side::add(std::uint32_t file, std::string_view key, std::uint64_t content,
                              std::uint64_t copies, const SampleFields& fields) {
  const std::uint64_t key_hash = short_hash(base::as_bytes(key));
  const std::lock_guard lock(mutex);
  entries.push_back({.key = key_hash,
                     .content = content,
                     .name = names.size(),
                     .file = file,
                     .copies = static_cast<std::uint32_t>(copies),
                     .fields = fields});
  names += key;
  names += '\0';
}

void SampleAccount::Side::sort() {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const auto rank = [](const Entry& entry) {
      const SampleFields& of = entry.fields;
      return std::tie(entry.key, entry.content, of.facts, of.dataset, of.source, of.audio, of.length,
                      entry.file);
    };
    return rank(a) < rank(b);
  });
}

std::span<SampleAccount::Entry> SampleAccount::Side::group(std::uint64_t key) {
  const auto [begin, end] = std::equal_range(entries.begin(), entries.end(), Entry{.key = key, .fields = {}},
                                             [](const Entry& a, const Entry& b) { return a.key < b.key; });
  return {begin, end};
}

void SampleAccount::add_source(std::uint32_t file, std::string_view key, std::uint64_t content,
                               std::uint64_t copies, const SampleFields& fields) {
  sources_.add(file, key, content, copies, fields);
}

void SampleAccount::add_output(std::uint32_t shard, std::string_view key, std::uint64_t content,
                               const SampleFields& fields) {
  outputs_.add(shard, key, content, 1, fields);
}

void SampleAccount::add_reject(std::string_view key, RejectKind kind, std::uint64_t copies) {
  const auto number = static_cast<std::uint32_t>(rejects_.entries.size());
  rejects_.add(number, key, static_cast<std::uint64_t>(kind), copies, {});
}

void SampleAccount::add_repeat(std::string_view key) {
  repeats_.add(0, key, kNoContent, 1, {});
}

/// Compares the samples of one key after another.
class SampleAccount::Settlement {
 public:
  Settlement(SampleAccount& account, const Names& names, bool is_limited, FindingList& findings)
      : account_(account), names_(names), is_limited_(is_limited), findings_(findings) {}

  void settle(std::uint64_t key) {
    const auto sources = account_.sources_.group(key);
    repeats_ = account_.repeats_.group(key).size();
    spare_ = copies_of_unsure_reads(sources);
    const bool has_unsure = spare_ > 0;
    match(sources, account_.outputs_.group(key));
    const bool is_complete = excuse(sources, account_.rejects_.group(key));
    if (has_unsure && is_complete) find_lost_original(sources, account_.rejects_.group(key));
    if (repeats_ == 0) return;
    const std::string name = account_.repeats_.name(account_.repeats_.group(key).front());
    findings_.add(at(names_.record), fmt::format("says that '{}' is repeated, but it is not", name));
  }

 private:
  std::size_t copies_of_unsure_reads(std::span<const Entry> sources) const {
    std::size_t copies = 0;
    for (const Entry& source : sources) {
      if (source.file >= names_.reads.size()) continue;
      const Reads& reads = names_.reads[source.file];
      copies += std::size_t{source.copies / reads.sure} * reads.unsure;
    }
    return copies;
  }

  /// Pairs each output with its source. Both are sorted by their contents.
  void match(std::span<Entry> sources, std::span<Entry> outputs) {
    std::vector<const Entry*> others;
    auto first = sources.begin();
    for (const Entry& output : outputs) {
      while (first != sources.end() &&
             (first->content < output.content || (first->content == output.content && first->copies == 0)))
        ++first;
      auto source = first;
      while (source != sources.end() && source->content == output.content &&
             (source->copies == 0 || !differing(source->fields, output.fields).empty()))
        ++source;
      if (source != sources.end() && source->content == output.content) {
        --source->copies;
      } else {
        others.push_back(&output);
      }
    }
    // Only now it is known which sources are left for outputs with other fields.
    for (const Entry* const output : others) match_content(sources, *output);
  }

  void match_content(std::span<Entry> sources, const Entry& output) {
    const auto source = std::find_if(sources.begin(), sources.end(), [&](const Entry& entry) {
      return entry.content == output.content && entry.copies > 0;
    });
    const Where where{.path = names_.shards[output.file], .member = account_.outputs_.name(output)};
    if (source != sources.end()) {
      --source->copies;
      findings_.add(
          where, fmt::format("its {} different in the source: {}", differing(source->fields, output.fields),
                             names_.source_files[source->file]));
      return;
    }
    const bool known = std::any_of(sources.begin(), sources.end(),
                                   [&](const Entry& entry) { return entry.content == output.content; });
    if (known && repeats_ > 0) {
      --repeats_;
      return;
    }
    if (known && spare_ > 0) {
      --spare_;
      return;
    }
    findings_.add(where,
                  known ? "is there more often than in the sources"
                        : "no source has a sample of this key with the same audio, transcript and members");
  }

  /// Says what differs, as the subject of a sentence; empty when nothing does.
  static std::string differing(const SampleFields& source, const SampleFields& output) {
    const auto differs = [](std::uint32_t a, std::uint32_t b) { return a != 0 && b != 0 && a != b; };
    std::string text;
    const auto name = [&](std::uint32_t a, std::uint32_t b, std::string_view what) {
      if (differs(a, b)) text += fmt::format("{}{}", text.empty() ? "" : ", ", what);
    };
    name(source.dataset, output.dataset, "dataset");
    name(source.source, output.source, "source");
    name(source.audio, output.audio, "audio");
    name(source.length, output.length, "length or form of the audio");
    name(source.facts, output.facts, "further fields (such as speaker and language)");
    if (text.empty()) return text;
    return text + (text.ends_with(')') || text.find(',') != text.npos ? " are" : " is");
  }

  /// If a file was read again and had changed, it is unknown how often its sample came. But the original of
  /// samples that were left out as copies must be there, unless it was removed later.
  void find_lost_original(std::span<const Entry> sources, std::span<const Entry> rejects) {
    const auto last = [&](RejectKind kind) {
      std::int64_t number = -1;
      for (const Entry& reject : rejects) {
        if (reject.content == static_cast<std::uint64_t>(kind))
          number = std::max<std::int64_t>(number, reject.file);
      }
      return number;
    };
    if (sources.empty() || !names_.is_key_there || last(RejectKind::duplicate) <= last(RejectKind::removed))
      return;
    const bool is_there = std::any_of(sources.begin(), sources.end(), [&](const Entry& source) {
      return names_.is_key_there(source.file, account_.sources_.name(source));
    });
    if (!is_there) miss(sources.front());
  }

  /// There must be a reject for every source sample that is left.
  /// Returns whether there is.
  bool excuse(std::span<Entry> sources, std::span<Entry> rejects) {
    std::size_t excuses = 0;
    for (const Entry& reject : rejects) excuses += reject.copies;
    bool is_complete = true;
    for (const Entry& source : sources) {
      for (std::uint32_t left = source.copies; left > 0; --left) {
        if (excuses > 0) {
          --excuses;
        } else if (!is_limited_) {
          is_complete = false;
          miss(source);
        }
      }
    }
    excuses -= std::min(excuses, spare_);
    // The one that was there twice was removed.
    const std::size_t removed = std::min(excuses, repeats_);
    excuses -= removed;
    repeats_ -= removed;
    // A sample that was removed from the dataset may be gone from the sources, too.
    for (const Entry& reject : rejects) {
      if (reject.content == static_cast<std::uint64_t>(RejectKind::removed))
        excuses -= std::min<std::size_t>(excuses, reject.copies);
    }
    if (excuses == 0) return is_complete;
    const std::string name = account_.rejects_.name(rejects.front());
    findings_.add(at(names_.rejects),
                  name.empty() ? fmt::format("names {} losses that are not in the sources", excuses)
                               : fmt::format("names '{}' {} too often: nothing of that key was left out",
                                             name, base::format_count(excuses, "time")));
    return is_complete;
  }

  void miss(const Entry& source) {
    const std::string name = account_.sources_.name(source);
    std::string what =
        source.content == kNoContent ? "cannot be read or is not a sample" : "is in none of the shards";
    if (!names_.rejects.empty()) what += ", and is not among the rejects";
    findings_.add({.path = names_.source_files[source.file], .member = name},
                  name.empty() ? "something in it " + what : what);
  }

  SampleAccount& account_;
  const Names& names_;
  bool is_limited_;
  FindingList& findings_;
  std::size_t repeats_ = 0;  // of this key, that no sample was found for
  std::size_t spare_ = 0;    // copies of this key that may have been read, too
};

void SampleAccount::settle(const Names& names, bool is_limited, FindingList& findings) {
  Settlement settlement(*this, names, is_limited, findings);
  std::vector<std::uint64_t> keys;
  for (Side* side : {&sources_, &outputs_, &rejects_, &repeats_}) {
    side->sort();
    for (const Entry& entry : side->entries) keys.push_back(entry.key);
  }
  source_samples_ = static_cast<std::uint64_t>(
      std::count_if(sources_.entries.begin(), sources_.entries.end(),
                    [](const Entry& entry) { return entry.content != kNoContent; }));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::uint64_t key : keys) settlement.settle(key);
}

namespace {

std::string absolute(const std::string& path) {
  if (path.empty()) return path;
  return base::absolute(path);
}

}  // namespace

void SourceReads::add(const std::vector<manifest::RunRecord::Input>& inputs) {
  std::map<std::string, std::vector<Seen>> here;
  for (const manifest::RunRecord::Input& input : inputs) {
    auto& all = here[absolute(input.path)];
    const Seen now{.dataset = input.dataset, .bytes = input.bytes, .mtime_ns = input.mtime_ns, .times = 1};
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Seen& seen) { return seen.is_same(now); });
    if (same == all.end()) {
      all.push_back(now);
    } else {
      ++same->times;
      std::rotate(same, same + 1, all.end());  // those that were read last are last
    }
  }
  for (auto& [path, reads] : here) {
    auto& all = files_[path];
    for (const Seen& read : reads) {
      const auto same =
          std::find_if(all.begin(), all.end(), [&](const Seen& seen) { return seen.is_same(read); });
      // The run that made all datasets read it once; whatever is more was added to one of them.
      const bool is_new = same == all.end();
      if (is_new) {
        all.push_back(read);
      } else {
        same->times += read.times - 1;
      }
      has_repeats_ = has_repeats_ || read.times > 1 || all.size() > 1;
    }
  }
}

Reads SourceReads::of(const File& file) const {
  static const std::vector<Seen> kNeverRead;
  const auto found = files_.find(absolute(file.path));
  if (found == files_.end() && file.read_with.empty()) return {};
  const auto is_for_it = [&](const Seen& seen) {
    return file.dataset.empty() || seen.dataset == file.dataset;
  };
  // What has the same size is the same file as long as its time is the same, too, or it was copied since.
  std::int64_t mtime_ns = file.mtime_ns;
  const auto is_as_now = [&](const Seen& seen) {
    return seen.bytes == file.bytes && seen.mtime_ns == mtime_ns;
  };
  const auto& all = found == files_.end() ? kNeverRead : found->second;
  if (std::none_of(all.begin(), all.end(), is_as_now)) {
    for (const Seen& seen : all)
      if (seen.bytes == file.bytes) mtime_ns = seen.mtime_ns;
  }
  Reads reads{.sure = 0, .unsure = 0};
  for (const Seen& seen : all) {
    if (is_for_it(seen)) (is_as_now(seen) ? reads.sure : reads.unsure) += seen.times;
  }
  if (reads.sure == 0 && reads.unsure == 0 && file.read_with.empty()) return {};
  // A sample that is in the file now was surely read once.
  const std::uint32_t sure = file.is_told_elsewhere ? 1 : std::max<std::uint32_t>(reads.sure, 1);
  std::uint32_t all_reads = reads.sure + reads.unsure;
  if (const auto other = files_.find(absolute(file.read_with));
      !file.read_with.empty() && other != files_.end()) {
    std::uint32_t times = 0;
    for (const Seen& seen : other->second) times += is_for_it(seen) ? seen.times : 0;
    all_reads = std::max(all_reads, times);
  }
  return {.sure = sure, .unsure = std::max(all_reads, sure) - sure};
}

}  // namespace shardmill::check
