#include "base/remote/sending_journal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

constexpr std::string_view kHead = "shardmill sends";

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const auto end = std::min(line.find('\t', begin), line.size());
    fields.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

void SendingJournal::take(const std::vector<std::string>& fields) {
  const std::string& step = fields.front();
  if (step == "begins" && fields.size() == 1) has_begun_ = true;
  if (step == "other" && fields.size() == 3) others_.insert({.name = fields[1], .id = fields[2]});
  if (step == "done" && fields.size() == 5) {
    Done done{.bytes = count_in(fields[2]).value_or(0), .tag = fields[4]};
    std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), done.crc, 16);
    done_[fields[1]] = std::move(done);
  }
  if (step == "gone" && fields.size() == 2) {
    done_.erase(fields[1]);
    begun_.erase(fields[1]);
  }
  if (step == "asks" && fields.size() == 2) begun_[fields[1]] = Begun{.was_lost = begun_[fields[1]].was_lost};
  if (step == "lost" && fields.size() == 2) begun_[fields[1]].was_lost = true;
  if (step == "upload" && fields.size() == 4) {
    begun_[fields[1]].id = fields[2];
    begun_[fields[1]].part_bytes = count_in(fields[3]).value_or(0);
  }
  if (step == "part" && fields.size() == 5) {
    Part part{.etag = fields[3]};
    std::from_chars(fields[4].data(), fields[4].data() + fields[4].size(), part.crc, 16);
    begun_[fields[1]].parts[static_cast<unsigned>(count_in(fields[2]).value_or(0))] = std::move(part);
  }
}

SendingJournal::SendingJournal(const std::string& path, const std::string& address) {
  const std::string head = fmt::format("{}\t{}\n", kHead, address);
  std::string text = exists(path) ? read_text(path) : "";
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  if (!text.starts_with(head)) text.clear();
  for (std::size_t begin = head.size(); begin < text.size();) {
    const auto end = text.find('\n', begin);
    take(fields_of(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  file_ = File::open_update(path);
  file_.truncate(text.size());
  file_.seek(text.size());
  if (text.empty()) file_.write(as_bytes(head));
  file_.sync();
}

std::map<std::string, SendingJournal::Done> SendingJournal::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

std::map<std::string, SendingJournal::Begun> SendingJournal::begun() const {
  const std::lock_guard lock(mutex_);
  return begun_;
}

SendingJournal::Begun SendingJournal::begun(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = begun_.find(name);
  return found == begun_.end() ? Begun() : found->second;
}

bool SendingJournal::waits_for_answer(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = begun_.find(name);
  return found != begun_.end() && found->second.id.empty();
}

bool SendingJournal::is_done(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return done_.contains(name);
}

void SendingJournal::add(const std::vector<std::string>& fields, bool durable) {
  const std::lock_guard lock(mutex_);
  file_.write(as_bytes(fmt::format("{}\n", fmt::join(fields, "\t"))));
  if (durable) file_.sync();
  take(fields);
}

}  // namespace shardmill::base
