#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/intake/waiting_room.hpp"
#include "source/archive_entries.hpp"
#include "source/file_name.hpp"
#include "source/tree_corpus.hpp"
#include "source/tree_text.hpp"

namespace shardmill::pipeline {

namespace {

using source::ArchiveEntry;
using source::TreeCorpus;
using source::TreeUtterance;

// A unit ends when it holds this much audio, or when this much was read for it.
constexpr std::uint64_t kGoodBatchBytes = 2 << 20;
constexpr std::uint64_t kMostPlainBytes = 8 << 20;

class ArchiveReader final : public SourceReader {
 public:
  ArchiveReader(const source::SourceFile& file, Texts texts, source::OtherThreads* threads)
      : source_(file),
        texts_(texts),
        file_(base::File::open_read(file.path)),
        watch_(std::make_shared<base::FileWatch>(file_)),
        corpus_(file.tree->begin()),
        scratch_(std::make_shared<source::ScratchSpace>(file.bytes)),
        threads_(threads),
        waiting_(scratch_) {
    if (file.mtime_ns != 0) watch_->expect(file.bytes, file.mtime_ns);
    if (texts == Texts::left_out || file.tree->is_part) {
      corpus_->all_read();
      is_read_ahead_ = true;
    } else if (source::read_ahead(file_,
                                  {.wanted = [this](auto path) { return is_text(path); },
                                   .limit_bytes = source::text_limit_bytes(file.bytes),
                                   .has_links = true},
                                  [this](ArchiveEntry&& entry) {
                                    if (!entry.is_link) return read_text(std::move(entry));
                                    corpus_->take_link(entry.path);
                                  })) {
      corpus_->all_read();
      is_read_ahead_ = true;
    }
    if (texts == Texts::awaited && !(file.tree->md5.empty() && file.tree->volume_md5s.empty()))
      digest_.emplace(file_.duplicate());
    entries_ = source::open_entries(file_, {.wanted = [this](auto path) { return is_wanted(path); },
                                            .scratch = scratch_,
                                            .has_links = true,
                                            .threads = threads});
  }

  Unit next() override {
    begin_batch();
    while (ready_.empty() && !has_ended_ && batch_->bytes() < kGoodBatchBytes &&
           entries_->plain_bytes() - plain_before_ < kMostPlainBytes)
      step();
    end_batch();
    Unit unit = std::move(ready_.front());
    ready_.pop_front();
    unit.last = has_ended_ && ready_.empty();
    return unit;
  }

 private:
  bool is_text(std::string_view path) const { return corpus_->role(path) == TreeCorpus::Role::text; }
  bool is_wanted(std::string_view path) const {
    const TreeCorpus::Role role = corpus_->role(path);
    return role == TreeCorpus::Role::audio || (role == TreeCorpus::Role::text && !is_read_ahead_);
  }

  void begin_batch() {
    batch_ = std::make_shared<ArchiveBatch>();
    plain_before_ = entries_->plain_bytes();
  }

  /// The batch comes after the units that it has filled.
  void end_batch() {
    if (!batch_->empty() || ready_.empty()) push_batch();
    Unit& last = ready_.back();
    last.archive->add_plain_bytes(entries_->plain_bytes() - plain_before_);
    const std::uint64_t consumed =
        has_ended_ ? source_.bytes : std::min(entries_->consumed_bytes(), source_.bytes);
    last.compressed_bytes += consumed - std::min(consumed, consumed_);
    consumed_ = std::max(consumed, consumed_);
    plain_before_ = entries_->plain_bytes();
    unchecked_from_ = entries_->confirmed_bytes();
    last.unchecked_from = unchecked_from_;
  }

  void push_batch() {
    Unit unit;
    unit.memory_bytes = batch_->bytes();
    unit.archive = std::exchange(batch_, std::make_shared<ArchiveBatch>());
    ready_.push_back(std::move(unit));
  }

  /// One more file that waited, or one more stretch of the archive.
  void step() {
    const auto has_answer = [this](const std::string& path) { return corpus_->find(path).has_value(); };
    if (auto audio = waiting_.next(has_answer)) return take_audio(std::move(*audio));
    if (is_archive_read_) return finish();
    std::vector<source::ArchiveItem> items;
    const std::uint64_t doubts_before = entries_->doubts();
    is_archive_read_ = !entries_->read(items);
    bool has_doubt = entries_->doubts() > doubts_before;
    for (source::ArchiveItem& item : items) {
      if (auto* error = std::get_if<Error>(&item)) {
        watch_->check();  // A file that is written meanwhile looks damaged.
        if (lose_entry(*error)) continue;
        add_damage(*error, std::exchange(has_doubt, false));
        continue;
      }
      take_entry(std::get<ArchiveEntry>(std::move(item)));
    }
    if (digest_) digest_->advance(std::min(entries_->consumed_bytes(), source_.bytes));
    if (!is_archive_read_) return;
    watch_->check();
    check_digest();
    corpus_->all_read();
    waiting_.call_all();
  }

  /// Where an entry of a zip is damaged, its checksum tells, and all others are whole. False if the error is
  /// about something else, such as an archive in the zip, or if it is unknown which utterances the entry
  /// holds.
  bool lose_entry(const Error& error) {
    const std::string& place = error.where().path;
    const std::string zip = source_.path + "!";
    if (!is_container_ || texts_ == Texts::left_out || !place.starts_with(zip)) return false;
    const std::string entry = place.substr(zip.size());
    if (entry.find('!') != entry.npos) return false;
    const std::string path = source_.tree->folder + entry;
    const auto found = corpus_->role(path) == TreeCorpus::Role::audio ? corpus_->find(path) : std::nullopt;
    if (!found) return false;
    for (const TreeUtterance& utterance : *found) {
      if (source::choice_of(utterance, source_.tree->subsets) != source::Choice::taken) continue;
      batch_->add(lost_utterance(utterance.key, manifest::RejectReason::bad_audio,
                                 fmt::format("{}: {}", place, error.problem())));
    }
    return true;
  }

  void add_damage(const Error& error, bool has_doubt) {
    const std::string& place = error.where().path;
    const bool is_inside = place != source_.path && !place.empty();
    Damage damage{.error = is_inside ? with_place(error) : error};
    const std::uint64_t begin = std::max(unchecked_from_, doubted_to_);
    if (has_doubt && begin < entries_->plain_bytes()) {
      doubted_to_ = entries_->plain_bytes();
      damage.doubtful = {.begin = begin, .end = doubted_to_};
    }
    batch_->add(std::move(damage));
  }

  /// What becomes of damage knows the file only: the place in it goes into the text.
  Error with_place(const Error& error) const {
    return Error(fmt::format("{}: {}", error.where().path, error.problem()), at(source_.path), error.advice(),
                 error.remedy());
  }

  void check_digest() {
    if (!digest_) return;
    const std::string found = digest_->finish();
    const std::vector<std::string>& wanted = source_.tree->volume_md5s;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      check_md5(file_.volumes()[i].path(), digest_->of_volumes()[i], wanted[i]);
    check_md5(source_.path, found, source_.tree->md5);
  }

  static void check_md5(const std::string& path, const std::string& found, const std::string& wanted) {
    if (wanted.empty() || wanted.find(found) != std::string::npos) return;
    // The MD5 does not say which samples are wrong: none can be left out for it.
    throw FatalError(
        Error(fmt::format("its MD5 is {}, and should be {}: download it again", found, wanted), at(path)));
  }

  void finish() {
    const source::ArchivedTree& tree = *source_.tree;
    // No text says which audio such an archive must hold: see source::Promises.
    const bool is_any_part = tree.is_part && tree.speaker.empty();
    if (texts_ == Texts::awaited && !is_any_part) {
      corpus_->report_rest([&](const source::LostAudio& lost) {
        // The texts also describe audio in other archives and other parts.
        if (tree.promised && tree.promised->contains(lost.key)) return;
        if (tree.is_part && !corpus_->belongs_to(lost.key, tree.speaker)) return;
        manifest::Reject reject =
            lost_utterance(std::string(lost.key), manifest::RejectReason::missing_audio, lost.error.what());
        if (lost.samples != 1) reject.samples = lost.samples;
        batch_->add(std::move(reject));
      });
    }
    has_ended_ = true;
  }

  void take_entry(ArchiveEntry&& entry) {
    if (entry.is_link) return take_link(entry);
    if (is_text(entry.path)) {
      if (is_read_ahead_) return;
      const std::string awaited(corpus_->awaited(entry.path));
      read_text(std::move(entry));
      return waiting_.call(awaited);
    }
    take_audio({.path = source_.tree->folder + entry.path,
                .place = std::move(entry.place),
                .bytes = std::move(entry.bytes),
                .file = std::move(entry.file),
                .end_offset = entries_->plain_bytes()});
  }

  /// A link is not followed: its target may have passed already.
  void take_link(const ArchiveEntry& entry) {
    if (corpus_->take_link(entry.path)) return;
    batch_->add(Damage{
        .error = Error(fmt::format("{}: is a link, and links in archives are not followed", entry.place),
                       at(source_.path), "unpack the archive and give the folder")});
  }

  /// Reads the archive once for its texts alone, where they come after the audio that they describe. A corpus
  /// that has begun to answer is not asked again.
  void look_ahead() {
    is_read_ahead_ = true;
    corpus_ = source_.tree->begin();
    texts_read_.clear();
    // With a position of its own.
    base::File again = base::File::open_read(source_.path);
    watch_->check();
    const auto texts = source::open_entries(again, {.wanted = [this](auto path) { return is_text(path); },
                                                    .limit_bytes = source::text_limit_bytes(source_.bytes),
                                                    .has_links = true,
                                                    .threads = threads_});
    std::vector<source::ArchiveItem> items;
    for (bool more = true; more;) {
      items.clear();
      more = texts->read(items);
      for (source::ArchiveItem& item : items) {
        auto* entry = std::get_if<ArchiveEntry>(&item);
        if (entry == nullptr) continue;  // Damage is reported when it is read in earnest.
        if (entry->is_link) {
          corpus_->take_link(entry->path);
        } else {
          read_text(std::move(*entry));
        }
      }
    }
    corpus_->all_read();
  }

  void read_text(ArchiveEntry&& entry) {
    const std::string place = entry.place;
    try {
      give_text(std::move(entry));
    } catch (const Error& error) {
      if (error.where().path != place) throw;
      throw with_place(error);
    }
  }

  void give_text(ArchiveEntry&& entry) {
    std::string bytes(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size());
    const std::string content =
        entry.file ? source::text_content(*entry.file) : source::text_content(std::move(bytes), entry.place);
    const base::Xxh128 hash = base::xxh3_128(base::as_bytes(content));
    const auto [known, is_new] = texts_read_.try_emplace(entry.path, hash);
    if (!is_new) {
      if (known->second == hash) return;
      throw Error("is in the archive twice, with different content", at(entry.place),
                  "unpack the archive: the last one is left then");
    }
    corpus_->read({.path = entry.path, .place = entry.place, .content = content});
  }

  /// Of what lies in an archive in this one, its path where that counts as a folder; empty for all else.
  std::string path_with_archives(std::string_view place) const {
    const std::string own = source_.path + "!";
    if (!place.starts_with(own)) return {};
    place.remove_prefix(own.size());
    while (place.starts_with("./")) place.remove_prefix(2);
    std::string path = source_.tree->folder;
    std::size_t archives = 0;
    for (auto end = place.find('!'); end != place.npos; end = place.find('!')) {
      const std::string_view archive = source::without_archive_suffix(place.substr(0, end));
      if (archive.size() == end) return {};
      path.append(archive).append("/");
      place.remove_prefix(end + 1);
      while (place.starts_with("./")) place.remove_prefix(2);
      ++archives;
    }
    return archives == 0 ? std::string() : path.append(place);
  }

  void take_audio(WaitingAudio&& audio) {
    if (!is_read_ahead_ && corpus_->awaits_remarks()) look_ahead();
    const auto found = corpus_->find_packed(audio.path, path_with_archives(audio.place));
    if (!found) {
      std::string awaited(corpus_->awaited(audio.path));
      return waiting_.put(std::move(awaited), std::move(audio));
    }
    std::vector<const TreeUtterance*> wanted;
    for (const TreeUtterance& utterance : *found) {
      const source::Choice choice = source::choice_of(utterance, source_.tree->subsets);
      if (choice == source::Choice::taken) {
        wanted.push_back(&utterance);
      } else if (choice != source::Choice::of_other_subset) {
        leave_out(audio, utterance, choice);
      }
    }
    if (wanted.empty()) return;
    add(std::move(audio), wanted);
  }

  void leave_out(const WaitingAudio& audio, const TreeUtterance& utterance, source::Choice choice) {
    using manifest::RejectReason;
    if (texts_ == Texts::left_out) return;
    if (choice == source::Choice::no_subset) {
      batch_->add(
          lost_utterance(utterance.key, RejectReason::not_listed,
                         fmt::format("{}: {}", audio.place, source::no_subset(source_.tree->subsets))));
      return;
    }
    const RejectReason reason = utterance.lacks_text    ? RejectReason::bad_text
                                : utterance.is_unlisted ? RejectReason::unlisted
                                                        : RejectReason::no_segments;
    manifest::Reject lost =
        lost_utterance(utterance.key, reason, fmt::format("{}: {}", audio.place, utterance.lacks));
    lost.samples_unknown = reason == RejectReason::no_segments;
    batch_->add(std::move(lost));
  }

  void add(WaitingAudio&& audio, const std::vector<const TreeUtterance*>& utterances) {
    const auto corpus = source::sorted_utterances(utterances);
    ArchivedAudio whole{.place = audio.place,
                        .bytes = audio.file ? nullptr : std::make_shared<Bytes>(std::move(audio.bytes)),
                        .file = std::move(audio.file),
                        .corpus = corpus,
                        .utterances = corpus->utterances,
                        .end_offset = audio.end_offset};
    if (corpus->utterances.front().is_whole()) return batch_->add(std::move(whole));
    add_batches(whole, audio.path);
  }

  /// A long recording is cut in units of its own, so that no unit holds much.
  void add_batches(const ArchivedAudio& whole, const std::string& path) {
    if (!batch_->empty()) push_batch();
    const source::SourceFile recording{.path = path,
                                       .bytes = whole.file ? whole.file->size() : whole.bytes->size(),
                                       .kind = source::SourceKind::recording,
                                       .utterances = whole.utterances};
    const BatchPlan plan = plan_batches(recording);
    for (std::size_t batch = 0; batch < plan.count; ++batch) {
      const std::size_t begin = whole.utterances.size() * batch / plan.count;
      const std::size_t end = whole.utterances.size() * (batch + 1) / plan.count;
      ArchivedAudio some = whole;
      some.utterances = whole.utterances.subspan(begin, end - begin);
      batch_->add(std::move(some));
      push_batch();
      ready_.back().memory_bytes = plan.bytes + (whole.bytes ? whole.bytes->size() : 0);
    }
  }

  const source::SourceFile& source_;
  Texts texts_;
  base::File file_;
  std::shared_ptr<const base::FileWatch> watch_;
  std::shared_ptr<TreeCorpus> corpus_;
  std::unique_ptr<source::EntryStream> entries_;
  std::optional<FileDigest> digest_;
  bool is_container_ = source::is_container(file_);
  bool is_read_ahead_ = false;
  bool is_archive_read_ = false;
  bool has_ended_ = false;
  std::shared_ptr<source::ScratchSpace> scratch_;
  std::map<std::string, base::Xxh128> texts_read_;  // their hashes, by path
  source::OtherThreads* threads_;
  WaitingRoom waiting_;
  std::shared_ptr<ArchiveBatch> batch_ = std::make_shared<ArchiveBatch>();
  std::deque<Unit> ready_;
  std::uint64_t plain_before_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t unchecked_from_ = 0;  // in the plain archive, as the last unit has it
  std::uint64_t doubted_to_ = 0;      // the same, of the last doubt
};

}  // namespace

std::unique_ptr<SourceReader> read_archive(const source::SourceFile& file, Texts texts,
                                           source::OtherThreads* threads) {
  return std::make_unique<ArchiveReader>(file, texts, threads);
}

}  // namespace shardmill::pipeline
