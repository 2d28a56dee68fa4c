#include "pipeline/known_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "deal/dataset_deal.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/measure/filters.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::pipeline {

std::string known_sample(const manifest::SampleRecord& record) {
  return fmt::format("{}\n{}\n{}", record.key, source_audio(record).hex(), record.text.value_or(""));
}

const base::Xxh128& source_audio(const manifest::SampleRecord& record) {
  return record.source_xxh3 ? *record.source_xxh3 : record.xxh3;
}

std::string withheld_key(std::string_view dataset, std::string_view source_key) {
  return fmt::format("{}\n{}", dataset, source_key);
}

std::string withheld_anywhere(std::string_view source_key, const std::optional<base::Xxh128>& audio) {
  return fmt::format("\n{}\n{}", audio ? audio->hex() : std::string(), source_key);
}

bool are_keys_shared(const IntakeOptions& options) {
  return !options.prefixes_keys && options.on_duplicate != OnDuplicate::rename;
}

std::string withheld_speaker(std::string_view dataset, std::string_view speaker) {
  return fmt::format("{}\nspeaker\n{}", dataset, speaker);
}

RemovedBefore removed_before(const std::string& rejects_path, bool keys_are_shared) {
  RemovedBefore removed;
  manifest::RecordReader reader(rejects_path);
  for (manifest::Reject reject; reader.next(reject);) {
    if (reject.reason != manifest::RejectReason::removed) continue;
    if (reject.key) {
      removed.samples.push_back(withheld_key(reject.dataset, *reject.key));
      removed.samples.push_back(
          withheld_anywhere(*reject.key, keys_are_shared ? std::nullopt : reject.audio));
    }
    if (reject.speaker) removed.speakers.insert(withheld_speaker(reject.dataset, *reject.speaker));
  }
  return removed;
}

namespace {

constexpr std::size_t kFirstSlots = 1 << 12;

/// Comes before a name in the file.
struct Head {
  base::Xxh128 sound;
  std::uint32_t name_bytes = 0;
};
constexpr std::size_t kHeadBytes = sizeof(base::Xxh128) + sizeof(std::uint32_t);

std::array<std::byte, kHeadBytes> bytes_of(const Head& head) {
  std::array<std::byte, kHeadBytes> bytes{};
  std::memcpy(bytes.data(), head.sound.bytes.data(), sizeof(base::Xxh128));
  std::memcpy(bytes.data() + sizeof(base::Xxh128), &head.name_bytes, sizeof head.name_bytes);
  return bytes;
}

Head head_in(std::span<const std::byte, kHeadBytes> bytes) {
  Head head;
  std::memcpy(head.sound.bytes.data(), bytes.data(), sizeof(base::Xxh128));
  std::memcpy(&head.name_bytes, bytes.data() + sizeof(base::Xxh128), sizeof head.name_bytes);
  return head;
}

std::uint64_t first_bytes(const base::Xxh128& sound) {
  std::uint64_t first = 0;
  std::memcpy(&first, sound.bytes.data(), sizeof first);
  return first;
}

}  // namespace

SoundSet::SoundSet(const std::string& path) : log_(path), path_(path), slots_(kFirstSlots) {}

std::optional<std::string> SoundSet::find(const base::Xxh128& sound) {
  const std::uint64_t first = first_bytes(sound);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(first) & mask; slots_[at].place != 0; at = (at + 1) & mask) {
    if (slots_[at].sound != first) continue;
    Entry entry = entry_at(slots_[at].place - 1);
    if (entry.sound == sound) return std::move(entry.name);
  }
  return std::nullopt;
}

void SoundSet::insert(const base::Xxh128& sound, std::string_view name) {
  if (find(sound)) return;
  put({.sound = first_bytes(sound), .place = end_ + 1});
  const Head head{.sound = sound, .name_bytes = static_cast<std::uint32_t>(name.size())};
  log_.append(bytes_of(head));
  log_.append(name);
  end_ += kHeadBytes + name.size();
}

void SoundSet::put(Slot slot) {
  if (4 * (size_ + 1) > 3 * slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(slot.sound) & mask;
  while (slots_[at].place != 0) at = (at + 1) & mask;
  slots_[at] = slot;
  ++size_;
}

void SoundSet::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  size_ = 0;
  for (const Slot& slot : old) {
    if (slot.place != 0) put(slot);
  }
}

SoundSet::Entry SoundSet::entry_at(std::uint64_t place) {
  std::array<std::byte, kHeadBytes> bytes{};
  log_.read(bytes, place);
  const Head head = head_in(bytes);
  Entry entry{.sound = head.sound, .name = std::string(head.name_bytes, '\0')};
  log_.read(std::as_writable_bytes(std::span(entry.name)), place + kHeadBytes);
  return entry;
}

void SoundSet::restore(const FileMark& mark) {
  log_.restore(mark);
  std::fill(slots_.begin(), slots_.end(), Slot{});
  size_ = 0;
  end_ = 0;
  const base::File file = base::File::open_read(path_);
  std::vector<std::byte> chunk(1 << 20);
  std::size_t kept = 0;  // bytes at the beginning of `chunk` that are not used yet
  for (std::uint64_t read = 0; read < mark.bytes;) {
    const std::size_t got = file.read_at(std::span(chunk).subspan(kept), read);
    if (got == 0) throw Error("ends too early", at(path_));
    read += got;
    const auto filled = std::span(chunk).first(kept + got);
    std::size_t used = 0;
    while (filled.size() - used >= kHeadBytes) {
      const Head head = head_in(filled.subspan(used).first<kHeadBytes>());
      if (filled.size() - used < kHeadBytes + head.name_bytes) break;
      put({.sound = first_bytes(head.sound), .place = end_ + 1});
      end_ += kHeadBytes + head.name_bytes;
      used += kHeadBytes + head.name_bytes;
    }
    kept = filled.size() - used;
    std::copy_n(filled.begin() + static_cast<std::ptrdiff_t>(used), kept, chunk.begin());
    if (kept == chunk.size()) chunk.resize(2 * chunk.size());
  }
}

namespace {

/// False for a sample that the filters leave out, as far as the manifest shows. Such a sample must not claim
/// its key.
bool is_wanted(const manifest::SampleRecord& record, const IntakeOptions& options) {
  if (!options.keys.wants(record.key)) return false;
  KnownFacts known{.seconds = record.audio.seconds(), .quality = record.quality};
  if (record.text) known.has_text = !shard::clean_transcript(*record.text).empty();
  return !find_filter(known, options.filters);
}

/// The keys that the samples in one manifest claim.
std::vector<base::Xxh128> keys_in(const source::DatasetShard& shard, const IntakeOptions& options,
                                  std::uint64_t seed, const std::map<std::string, double>& weights) {
  std::vector<base::Xxh128> keys;
  try {
    manifest::RecordReader reader(shard.manifest);
    for (manifest::SampleRecord record; reader.next(record);) {
      const auto weight = weights.find(shard.dataset.empty() ? record.dataset : shard.dataset);
      const bool is_taken =
          weight == weights.end() || deal::copies(weight->second, seed, record.source_key) > 0;
      if (!is_taken || !is_wanted(record, options)) continue;
      for (const std::string& key : part_keys(record.key, record.audio.channels, options))
        keys.push_back(base::xxh3_128(base::as_bytes(written_key(record.dataset, key, options))));
    }
  } catch (const Error&) {
    // This will be reported when the shard is read.
  }
  return keys;
}

}  // namespace

void KeyClaims::add(const base::Xxh128& key, std::uint32_t given) {
  const auto [known, is_new] = first_given_.try_emplace(key, given);
  if (!is_new) known->second = std::min(known->second, given);
}

bool KeyClaims::has_earlier(const base::Xxh128& key, std::uint32_t given) const {
  const auto found = first_given_.find(key);
  return found != first_given_.end() && found->second < given;
}

std::shared_ptr<const KeyClaims> claims_of(const Inputs& inputs, const IntakeOptions& options,
                                           std::uint64_t seed, Workers& workers, base::Reporter& reporter) {
  if (options.on_duplicate != OnDuplicate::first) return nullptr;
  std::vector<const source::SourceFile*> files;
  for (const InputStream& stream : inputs.streams) {
    for (const source::SourceFile& file : stream.files) {
      if (file.listing) files.push_back(&file);
    }
  }
  if (files.empty()) return nullptr;
  std::map<std::string, double> weights;
  for (const DatasetInput& dataset : inputs.datasets) weights.emplace(dataset.name, dataset.weight);
  const auto claims = std::make_shared<KeyClaims>();
  std::mutex mutex;
  workers.for_each(files.size(), [&](std::size_t index) {
    reporter.check_stop();
    const auto keys = keys_in(*files[index]->listing, options, seed, weights);
    const std::lock_guard lock(mutex);
    for (const base::Xxh128& key : keys) claims->add(key, files[index]->given);
  });
  return claims;
}

}  // namespace shardmill::pipeline
