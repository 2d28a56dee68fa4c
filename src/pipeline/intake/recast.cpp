#include "pipeline/intake/recast.hpp"

#include <utility>

#include "audio/probe.hpp"

namespace shardmill::pipeline {

namespace {

/// Makes the header true.
void mend(Member& audio, const AudioInfo& info, Recast& done) {
  auto mended = audio::mended(audio.bytes, info);
  if (!mended) return;
  done.source_xxh3 = base::xxh3_128(audio.bytes);
  done.mended = true;
  audio.bytes = std::move(*mended);
}

}  // namespace

Recast recast(Member& audio, AudioInfo& info, const audio::WantedForm& form, const Bytes* decoded) {
  Recast done;
  if (!form.decodes()) {
    mend(audio, info, done);
    return done;
  }
  auto transformed = audio::transform(audio.bytes, info, form, decoded);
  if (transformed && !transformed->problem.empty()) {
    done.problem = std::move(transformed->problem);
    return done;
  }
  if (transformed) done.heard = transformed->heard;
  const bool is_changed = transformed && !transformed->is_unchanged;
  if (is_changed) {
    done.source_xxh3 = base::xxh3_128(audio.bytes);
    done.clipped = transformed->clipped;
    audio.bytes = std::move(transformed->bytes);
    info = std::move(transformed->info);
  }
  if (!is_changed) mend(audio, info, done);
  // Audio that was not changed keeps its name, unless its extension is that of another container.
  if (is_changed || form.container != audio::WantedForm::Container::keep)
    audio.extension = info.format.substr(0, info.format.find('/'));
  return done;
}

}  // namespace shardmill::pipeline
