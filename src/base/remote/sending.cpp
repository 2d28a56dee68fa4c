#include "base/remote/sending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/hash/crc.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/remote/http.hpp"
#include "base/remote/sending_journal.hpp"
#include "base/remote/transfer.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

constexpr std::uint64_t kMostParts = 10'000;  // that servers take

using Upload = BucketFolder::Upload;
using Turn = FileToSend::Turn;

std::uint64_t part_bytes_for(std::uint64_t bytes, std::uint64_t wanted) {
  constexpr std::uint64_t kMebi = 1U << 20;
  if (bytes <= wanted * kMostParts) return wanted;
  const std::uint64_t least = (bytes + kMostParts - 1) / kMostParts;
  return (least + kMebi - 1) / kMebi * kMebi;
}

std::deque<const FileToSend*> of_turn(const std::vector<FileToSend>& files, Turn turn) {
  std::deque<const FileToSend*> found;
  for (const FileToSend& file : files) {
    if (file.turn == turn) found.push_back(&file);
  }
  return found;
}

class Sender {
 public:
  Sender(const BucketFolder& folder, const SendingOptions& options)
      : folder_(folder), options_(options), journal_(options.journal, folder.address()) {}

  void send(const std::vector<FileToSend>& files);
  void give_up();

 private:
  using Step = std::pair<std::shared_ptr<Transfer>, unsigned>;  // a part of a file

  void note_others();
  void forget_what_is_gone(const std::vector<FileToSend>& files);
  void run(std::deque<const FileToSend*> files);
  void work();
  void take_step(std::unique_lock<std::mutex>& lock, std::string& room);
  void begin_next(std::unique_lock<std::mutex>& lock);
  std::shared_ptr<Transfer> begin(const FileToSend& file, std::vector<unsigned>& missing);
  bool find_parts(Transfer& transfer, std::vector<unsigned>& missing);
  bool is_known(Transfer& transfer, unsigned number, const BucketFolder::Part& part,
                const std::map<unsigned, SendingJournal::Part>& parts);
  bool is_complete(Transfer& transfer);
  bool begin_upload(Transfer& transfer);
  std::optional<std::string> lost_upload(const std::string& name);
  void send_part(Transfer& transfer, unsigned number, std::string& room);
  void complete(Transfer& transfer);
  void finish(const Transfer& transfer);
  std::vector<SentFile> sent() const;
  void check_there(const BucketFolder::Objects& there, const std::vector<FileToSend>& files) const;
  void end_lost_uploads();
  void report(std::uint64_t bytes) const {
    if (options_.progress) options_.progress(bytes);
  }

  const BucketFolder& folder_;
  const SendingOptions& options_;
  SendingJournal journal_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<const FileToSend*> waiting_;
  std::deque<Step> steps_;
  std::size_t at_work_ = 0;
  std::exception_ptr failure_;
};

/// Uploads that were there before any of ours are those of others, whatever their names are.
void Sender::note_others() {
  if (journal_.has_begun()) return;
  for (const Upload& upload : folder_.uploads()) journal_.add({"other", upload.name, upload.id}, false);
  journal_.add({"begins"});
}

/// Files that were sent, and that somebody has removed since, are sent again.
void Sender::forget_what_is_gone(const std::vector<FileToSend>& files) {
  if (journal_.done().empty()) return;
  const auto there = folder_.list();
  for (const FileToSend& file : files) {
    if (journal_.is_done(file.name) && !there.contains(file.name)) journal_.add({"gone", file.name});
  }
}

void Sender::send(const std::vector<FileToSend>& files) {
  note_others();
  forget_what_is_gone(files);
  run(of_turn(files, Turn::any));
  if (options_.before_records) options_.before_records(sent());
  std::vector<FileToSend> records = files;
  for (FileToSend& file : records) {
    if (file.turn == Turn::record) file.bytes = File::open_read(file.path).size();
  }
  run(of_turn(records, Turn::record));
  end_lost_uploads();
  const auto there = folder_.list();
  check_there(there, files);
  if (options_.before_last) options_.before_last(there);
  for (const FileToSend* file : of_turn(files, Turn::last)) run({file});
  end_lost_uploads();
}

void Sender::run(std::deque<const FileToSend*> files) {
  waiting_ = std::move(files);
  const std::size_t count = std::max<std::size_t>(1, options_.threads);
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < count && i < waiting_.size() * 8; ++i) {
    try {
      workers.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      break;  // those that are there do it
    }
  }
  work();
  workers.clear();
  if (failure_) std::rethrow_exception(failure_);
}

/// Takes one task after another: parts of files that are begun come before other files.
void Sender::work() {
  std::string room;  // for one part
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return failure_ || !steps_.empty() || !waiting_.empty() || at_work_ == 0; });
    if (failure_ || (steps_.empty() && waiting_.empty())) return;
    ++at_work_;
    try {
      if (steps_.empty()) {
        begin_next(lock);
      } else {
        take_step(lock, room);
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!failure_) failure_ = std::current_exception();
    }
    --at_work_;
    changed_.notify_all();
  }
}

void Sender::take_step(std::unique_lock<std::mutex>& lock, std::string& room) {
  const auto [transfer, number] = std::move(steps_.front());
  steps_.pop_front();
  lock.unlock();
  send_part(*transfer, number, room);
  lock.lock();
  if (--transfer->left != 0) return;
  lock.unlock();
  complete(*transfer);
  lock.lock();
}

void Sender::begin_next(std::unique_lock<std::mutex>& lock) {
  const FileToSend& file = *waiting_.front();
  waiting_.pop_front();
  lock.unlock();
  std::vector<unsigned> missing;
  const auto transfer = begin(file, missing);
  lock.lock();
  for (const unsigned number : missing) steps_.emplace_back(transfer, number);
}

/// Nothing is missing of a file that is there.
std::shared_ptr<Transfer> Sender::begin(const FileToSend& file, std::vector<unsigned>& missing) {
  if (journal_.is_done(file.name)) {
    if (file.may_go) remove_file(file.path);
    return nullptr;
  }
  auto transfer = std::make_shared<Transfer>(transfer_of(file));
  const SendingJournal::Begun begun = journal_.begun(file.name);
  transfer->part_bytes =
      begun.part_bytes != 0 ? begun.part_bytes : part_bytes_for(file.bytes, options_.part_bytes);
  transfer->count = static_cast<unsigned>(
      std::max<std::uint64_t>(1, (file.bytes + transfer->part_bytes - 1) / transfer->part_bytes));
  if (transfer->count == 1) {
    missing.push_back(1);
  } else {
    transfer->upload = {.name = file.name, .id = begun.id};
    if (!find_parts(*transfer, missing)) return nullptr;
  }
  transfer->left = missing.size();
  if (missing.empty()) complete(*transfer);
  return transfer;
}

/// Finds the parts that the server lacks; begins an upload if it has none. Returns false if the file is
/// there.
bool Sender::find_parts(Transfer& transfer, std::vector<unsigned>& missing) {
  std::optional<BucketFolder::Parts> there;
  if (!transfer.upload.id.empty()) {
    there = folder_.parts(transfer.upload);
    if (!there && is_complete(transfer)) {
      finish(transfer);
      return false;
    }
  }
  if (!there && !begin_upload(transfer)) there = folder_.parts(transfer.upload);
  if (!there) there.emplace();
  const auto known = journal_.begun(transfer.file.name).parts;
  for (unsigned number = 1; number <= transfer.count; ++number) {
    const auto part = there->find(number);
    if (part == there->end() || !is_known(transfer, number, part->second, known)) missing.push_back(number);
  }
  return true;
}

/// True if the server has this part of the file; then the transfer has it, too.
bool Sender::is_known(Transfer& transfer, unsigned number, const BucketFolder::Part& part,
                      const std::map<unsigned, SendingJournal::Part>& parts) {
  if (part.bytes != transfer.bytes_of(number)) return false;
  const auto known = parts.find(number);
  std::uint64_t crc = 0;
  if (known != parts.end() && known->second.etag == without_quotes(part.etag)) {
    crc = known->second.crc;
  } else {
    // The answer was lost.
    const std::string bytes = transfer.read_part(number);
    crc = crc64(as_bytes(bytes));
    if (!is_same_part(part, bytes, crc)) return false;
  }
  transfer.parts[number] = part;
  transfer.crcs[number] = crc;
  report(part.bytes);
  return true;
}

/// True if the object is there: then the answer to its completion was lost.
bool Sender::is_complete(Transfer& transfer) {
  const auto object = folder_.find(transfer.file.name);
  if (!object || object->bytes != transfer.file.bytes) return false;
  const auto parts = journal_.begun(transfer.file.name).parts;
  for (unsigned number = 1; number <= transfer.count; ++number) {
    const auto known = parts.find(number);
    if (known != parts.end()) {
      transfer.parts[number].etag = known->second.etag;
      transfer.crcs[number] = known->second.crc;
      continue;
    }
    const std::string bytes = transfer.read_part(number);
    transfer.parts[number].etag = usual_tag(bytes);
    transfer.crcs[number] = crc64(as_bytes(bytes));
  }
  transfer.tag = object->etag;
  if (!object->crc64.empty()) return object->crc64 == crc64_text(transfer.whole_crc());
  return without_quotes(object->etag) == transfer.joined_etag();
}

/// An upload of this name that is ours by all that is known: it was not there before, and an answer was lost.
std::optional<std::string> Sender::lost_upload(const std::string& name) {
  std::optional<std::string> found;
  for (const Upload& upload : folder_.uploads(name)) {
    if (upload.name != name || journal_.is_of_others(upload)) continue;
    if (found) {
      folder_.abort(upload);  // the request was sent twice
    } else {
      found = upload.id;
    }
  }
  return found;
}

/// Returns false if the upload had begun already, and the answer was lost, now or when a run was killed: then
/// the server must be asked which parts it has.
bool Sender::begin_upload(Transfer& transfer) {
  constexpr unsigned kAttempts = 9;
  const std::string& name = transfer.file.name;
  const bool may_be_there = journal_.waits_for_answer(name);
  if (may_be_there) journal_.add({"lost", name});
  std::optional<std::string> id = may_be_there ? lost_upload(name) : std::nullopt;
  bool is_new = false;
  for (unsigned attempt = 1; !id; ++attempt) {
    if (attempt > kAttempts)
      throw Error("cannot be written: the server does not begin an upload", at(folder_.address_of(name)),
                  "the server was asked several times; try again later");
    journal_.add({"asks", name});
    id = folder_.begin_upload(name);
    is_new = id.has_value();
    if (is_new) break;
    journal_.add({"lost", name});
    id = lost_upload(name);
    if (!id) wait_for(wait_before(attempt, {}), {});
  }
  journal_.add({"upload", name, *id, std::to_string(transfer.part_bytes)});
  transfer.upload = {.name = name, .id = *id};
  return is_new;
}

void Sender::send_part(Transfer& transfer, unsigned number, std::string& bytes) {
  transfer.read_part(number, bytes);
  const std::string& name = transfer.file.name;
  const std::uint64_t crc = crc64(as_bytes(bytes));
  if (transfer.upload.id.empty()) {
    transfer.tag = folder_.write(name, bytes);
    transfer.crcs[number] = crc;
  } else {
    BucketFolder::Part part = folder_.write_part(transfer.upload, number, bytes, crc);
    const std::string etag(without_quotes(part.etag));
    journal_.add({"part", name, std::to_string(number), etag, fmt::format("{:x}", crc)}, false);
    const std::lock_guard lock(mutex_);
    transfer.parts[number] = std::move(part);
    transfer.crcs[number] = crc;
  }
  report(bytes.size());
}

void Sender::complete(Transfer& transfer) {
  if (!transfer.upload.id.empty()) {
    const auto tag = folder_.complete(transfer.upload, transfer.parts, transfer.whole_crc());
    if (tag) transfer.tag = *tag;
    if (tag && tag->empty()) {
      if (const auto object = folder_.find(transfer.file.name)) transfer.tag = object->etag;
    }
    if (!tag && !is_complete(transfer)) {
      throw Error("cannot be written: another program ended its upload",
                  at(folder_.address_of(transfer.file.name)), "run the same command again");
    }
  }
  finish(transfer);
}

void Sender::finish(const Transfer& transfer) {
  const FileToSend& file = transfer.file;
  check_arrived(folder_, transfer);
  journal_.add({"done", file.name, std::to_string(file.bytes), fmt::format("{:x}", transfer.whole_crc()),
                std::string(without_quotes(transfer.tag))});
  if (file.may_go) remove_file(file.path);
}

std::vector<SentFile> Sender::sent() const {
  std::vector<SentFile> files;
  for (const auto& [name, done] : journal_.done())
    files.push_back({.name = name, .crc64 = done.crc, .tag = done.tag});
  return files;
}

/// Asks for uploads that began after all, though there was no answer.
void Sender::end_lost_uploads() {
  const auto begun = journal_.begun();
  const bool is_any_lost =
      std::any_of(begun.begin(), begun.end(), [](const auto& each) { return each.second.was_lost; });
  if (!is_any_lost) return;
  for (const Upload& upload : folder_.uploads()) {
    const auto ours = begun.find(upload.name);
    if (ours != begun.end() && ours->second.was_lost && !journal_.is_of_others(upload)) folder_.abort(upload);
  }
}

/// All but the last files must be there, those of earlier calls, too.
void Sender::check_there(const BucketFolder::Objects& there, const std::vector<FileToSend>& files) const {
  std::set<std::string> last;
  for (const FileToSend* file : of_turn(files, Turn::last)) last.insert(file->name);
  for (const auto& [name, done] : journal_.done()) {
    const auto found = there.find(name);
    if (last.contains(name)) continue;
    const auto is_same = [&done = done](const BucketFolder::Object& object) {
      const std::string_view tag = without_quotes(object.etag);
      return object.bytes == done.bytes && (tag.empty() || done.tag.empty() || tag == done.tag);
    };
    if (found != there.end() && is_same(found->second)) continue;
    const bool is_gone = found == there.end();
    throw LostFile(
        Error(is_gone ? "is not there, though it was sent" : "is another file than the one that was sent",
              at(folder_.address_of(name)), "make sure that no other program writes there"),
        is_gone);
  }
}

void Sender::give_up() {
  if (!journal_.has_begun()) return;
  for (const auto& [name, done] : journal_.done()) folder_.remove(name);
  for (const auto& [name, begun] : journal_.begun()) {
    if (!begun.id.empty()) folder_.abort({.name = name, .id = begun.id});
    if (begun.id.empty()) {
      if (const auto id = lost_upload(name)) folder_.abort({.name = name, .id = *id});
    }
  }
  end_lost_uploads();
}

}  // namespace

void send_files(const BucketFolder& folder, const std::vector<FileToSend>& files,
                const SendingOptions& options) {
  Sender(folder, options).send(files);
}

void give_up_sending(const BucketFolder& folder, const std::string& journal) {
  if (!exists(journal)) return;
  Sender(folder, {.journal = journal}).give_up();
  remove_file(journal);
}

}  // namespace shardmill::base
