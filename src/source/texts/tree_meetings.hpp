// TreeRecordings: what corpora of long recordings have in common, a table from a recording to its segments.
// TreeMeetings: what corpora of meetings have in common, a TextGrid for each recording, with who said what
// and when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text/text_arena.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

class TreeRecordings : public TreeCorpus {
 public:
  explicit TreeRecordings(TreeOptions options) : options_(std::move(options)) {}

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override;
  void report_rest(const Lose& lose) const override;

 protected:
  struct Segment {
    std::string_view key;
    std::string_view text;
    std::string_view facts;    // members of a manifest line
    std::string_view subsets;  // with blanks between them
    double begin_seconds = 0;
    double end_seconds = 0;
    std::uint64_t line = 0;
  };
  struct Recording {
    std::string_view place;  // the text that names it
    std::vector<Segment> segments;
    bool is_found = false;
    bool is_listed_only = false;  // nothing in it is wanted
  };

  const TreeOptions& options() const noexcept { return options_; }
  std::string_view keep(std::string_view text) { return texts_.keep(text); }
  /// The recording with this id, which may be new.
  Recording& recording(std::string_view id, const TreeText& text);
  bool has(std::string_view id) const { return recordings_.contains(std::string(id)); }
  /// That the one text that lists all recordings was read.
  void set_read() { is_read_ = true; }

  /// What says of an audio file where its segments are: "TALK.stm".
  virtual std::string cut_by(std::string_view audio) const = 0;
  /// The id of the recording that an audio file is.
  virtual std::string id_of(std::string_view audio) const;
  /// What the path says, for segments that have no subset of their own.
  virtual std::string_view subset_of(std::string_view audio) const {
    (void)audio;
    return {};
  }
  /// The key of a segment; recordings of several microphones need different ones.
  virtual std::string key_of(std::string_view audio, const Segment& segment) const {
    (void)audio;
    return std::string(segment.key);
  }

 private:
  TreeOptions options_;
  base::TextArena texts_;
  std::vector<std::string> order_;
  std::unordered_map<std::string, Recording> recordings_;
  std::unordered_map<std::string, std::string> taken_;  // by id and file name: the path that was answered for
  bool is_read_ = false;
};

/// An interval that holds text.
struct GridInterval {
  std::string tier;
  std::string text;
  double begin_seconds = 0;
  double end_seconds = 0;
  std::uint64_t line = 0;
  std::size_t number = 0;  // in its tier, those without text counted, from 0
};

/// Throws Error, with file and line, for a text that is not a TextGrid and for one that is cut.
std::vector<GridInterval> read_text_grid(const TreeText& text);

/// A number of seconds, as texts have it. Throws Error, without a place, for anything else.
double seconds_from(std::string_view text);

class TreeMeetings : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override;
  std::string_view awaited(std::string_view path) const override;
  void read(const TreeText& text) override;

 protected:
  struct Speaker {
    std::string name;
    std::string gender;
  };
  /// By the name of a tier and that of its recording.
  virtual Speaker speaker_of(const std::string& id, const std::string& tier) const = 0;
  /// The id of the recording that a TextGrid belongs to.
  virtual std::string grid_id(std::string_view path) const;

 private:
  std::string cut_by(std::string_view audio) const override;
  std::string key_of(std::string_view audio, const Segment& segment) const override;
};

}  // namespace shardmill::source
