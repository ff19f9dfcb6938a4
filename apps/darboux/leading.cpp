#include "leading.hpp"

#include "copies.hpp"
#include "interrupt.hpp"
#include "run/plan_together.hpp"

namespace darboux::cli {

int lead_or_follow(std::optional<int> threads, const std::function<int(const Lead& lead, int threads)>& task) {
  Group& group = started_group();
  use_common_kernels(group);
  const int fair = threads_of_process(group), own = threads.value_or(fair);
  if (group.is_first()) return task(Lead(group), own);
  catch_signals();  // the first one gets them too, and knows what to do
  follow(group, own);
  return 0;
}

}  // namespace darboux::cli
