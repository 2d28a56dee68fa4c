// read_archive: an archive as it was downloaded, read from front to back as the tree of a corpus.
#pragma once

#include <memory>

#include "pipeline/intake/source_reader.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

enum class Texts {
  awaited,  // audio waits until its text has come
  left_out  // nothing waits; for estimates
};

/// `file` must have a tree, and outlive the reader and its units. Throws Error when it cannot be opened.
/// `threads`: as for open_source().
std::unique_ptr<SourceReader> read_archive(const source::SourceFile& file, Texts texts,
                                           source::OtherThreads* threads);

}  // namespace shardmill::pipeline
