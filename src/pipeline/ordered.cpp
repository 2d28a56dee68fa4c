#include "pipeline/ordered.hpp"

#include <tbb/parallel_pipeline.h>

namespace shardmill::pipeline {

namespace {

void run_alone(const std::function<void*()>& take, const std::vector<AnyStage>& stages) {
  while (void* const item = take()) {
    for (const AnyStage& stage : stages) stage.work(item);
  }
}

}  // namespace

void run_stages(std::size_t items, Workers& workers, const std::function<void*()>& take,
                const std::vector<AnyStage>& stages) {
  if (!Workers::may_use_threads()) return run_alone(take, stages);
  using tbb::filter_mode;
  tbb::filter<void, void*> chain =
      tbb::make_filter<void, void*>(filter_mode::serial_in_order, [&take](tbb::flow_control& flow) {
        void* const item = take();
        if (item == nullptr) flow.stop();
        return item;
      });
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    const AnyStage& stage = stages[i];
    chain &= tbb::make_filter<void*, void*>(
        stage.in_order ? filter_mode::serial_in_order : filter_mode::parallel, [&stage](void* item) {
          stage.work(item);
          return item;
        });
  }
  const auto last = tbb::make_filter<void*, void>(filter_mode::parallel, stages.back().work);
  workers.run([&] { tbb::parallel_pipeline(items, chain & last); });
}

}  // namespace shardmill::pipeline
