// Error: the one exception of the library. It says what went wrong, where, and what to do about it.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace shardmill {

/// The place that an error or a finding is about. Messages leave out empty fields.
struct Where {
  std::string path{};                     // the file, as the user named it
  std::string member{};                   // the file inside the tar
  std::optional<std::uint64_t> offset{};  // in bytes, in the file on disk
  std::optional<std::uint64_t> block{};   // index of the compressed block, counted from 0
};

/// A place that is a whole file.
inline Where at(std::string path) {
  return Where{.path = std::move(path)};
}

/// "path: member 'm': block 3 at offset 123", with those parts that are known. Control characters are
/// escaped.
std::string to_string(const Where& where);

/// An option of the work that helps against an error. The command line says it with the names of its options.
enum class Remedy {
  none,
  start_over,               // make the dataset again, and drop the files of an unfinished run: `force`
  skip_bad_samples,         // leave out samples that are damaged or cannot be read
  allow_losses,             // say how many samples may be left out before a run counts as failed
  allow_any_loss,           // the same, where their number is unknown
  skip_any_loss,            // leave out bad samples, and accept the loss of any number
  choose_duplicate,         // say which of several samples with one key is taken
  replace_changed,          // the same, where a source has another sample than the dataset
  one_audio_form,           // bring all audio to one sample rate and one number of channels
  allow_missing_text,       // leave out samples without text, or take them
  require_text,             // leave out samples without text
  choose_subset,            // say which subsets of a corpus are taken
  more_memory,              // the advice says how much
  fewer_threads,            // start fewer of them
  other_folder,             // write the results into another folder
  other_work_folder,        // make a dataset for a bucket in another folder
  not_replaced,             // the same: `force` replaces only files that shardmill wrote
  other_folder_or_replace,  // the same, or replace the results that are there
  replace,                  // replace the result that is there
  make_again,               // make all of a finished dataset again
  ignore_free_space,        // begin although the disk may be too small
  plain_shards,             // write shards that are not compressed
  list_root,                // say below which folder lists name the shards
  one_audio_form_or_stop,   // bring all audio to one form, or let a mix be an error
  other_depfile,            // write the dependencies to another file
  no_depfile,               // write no dependencies
  go_on_in_parts,           // run the parts that are left
  plan_again,               // plan the run in parts again: `force`
  not_in_parts,             // run without parts
  split_by_key,             // split without regard to speakers, or leave out samples of unknown speakers
  split_by_amounts,         // say how much of the audio each split gets
  give_labels,              // say which stretches of the audio are samples
  allow_commands,           // run the commands that a corpus names
  allow_audio_alone,        // take audio without text
  allow_lost_audio,         // go on without the audio that is missing
  fewer_open_files,         // the advice says how many, and how much memory will do instead
  give_table,               // join the tables NAME=FILE, one a line of the advice
  give_audio_list,          // read the table that the advice names as the source of this dataset
  give_labels_beside,       // read the samples from the tables NAME=FILE, one a line of the advice
  name_text_field           // say which field of a dataset, which the advice names, has its transcripts
};

class Error : public std::exception {
 public:
  explicit Error(std::string problem, Where where = {}, std::string advice = {},
                 Remedy remedy = Remedy::none);
  Error(std::string problem, Where where, Remedy remedy)
      : Error(std::move(problem), std::move(where), {}, remedy) {}

  const std::string& problem() const noexcept { return problem_; }
  /// What to do, in words; it may be empty.
  const std::string& advice() const noexcept { return advice_; }
  Remedy remedy() const noexcept { return remedy_; }
  const Where& where() const noexcept { return where_; }

  /// The same error with its empty fields filled from `outer`. For callers that know more about the place.
  Error within(const Where& outer) const;

  /// One line: "where: problem (advice)".
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string problem_;
  Where where_;
  std::string advice_;
  Remedy remedy_;
  std::string text_;
};

/// Invalid options or arguments.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The work stopped because Observer::stop_requested() returned true.
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal_number);
  /// The signal that asked for it, or 0.
  int signal_number() const noexcept { return signal_number_; }

 private:
  int signal_number_;
};

}  // namespace shardmill
