#include "model/parallel_lanes.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace darboux {

namespace {

template <class T>
BasicBatch<T> one_lane(BasicBatch<T> batch, Index lane) {
  return batch.empty() ? batch : BasicBatch<T>(batch.row(0) + lane, batch.rows(), 1, batch.stride());
}

class ParallelEvaluator final : public Evaluator {
 public:
  ParallelEvaluator(const Model& model, int threads) : dim_(model.dim()), team_(threads) {
    for (int t = 0; t < threads; ++t) evaluators_.push_back(model.make_evaluator());
  }

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(dim_, query, answer);
    lanes_.clear();
    for (Index lane = 0; lane < query.q.lanes(); ++lane)
      if (is_on(query.active, lane)) lanes_.push_back(lane);
    // In their order, so that of several errors the first is told, as one thread would.
    const Index count = std::ssize(lanes_), shares = std::min(std::ssize(evaluators_), count);
    team_.for_each(shares, [&](Index share) {
      for (Index k = share * count / shares; k < (share + 1) * count / shares; ++k)
        evaluate_one(*evaluators_[at(share)], query, answer, lanes_[at(k)]);
    });
  }

 private:
  static void evaluate_one(Evaluator& evaluator, const Query& query, const Answer& answer, Index lane) {
    const auto of_lane = [&](auto values) { return values.empty() ? values : values.subspan(at(lane), 1); };
    Query own = query;
    own.q = one_lane(query.q, lane);
    own.active = {};
    evaluator.evaluate(own, {.log_density = of_lane(answer.log_density),
                             .gradient = one_lane(answer.gradient, lane),
                             .status = of_lane(answer.status)});
  }

  Index dim_;
  ThreadTeam team_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<Index> lanes_;  // that are active
};

}  // namespace

ParallelLanes::ParallelLanes(const Model& inner, int threads) : inner_(inner), threads_(threads) {
  const ModelTraits traits = inner.traits();
  if (traits.max_concurrency > 0) threads_ = std::min(threads_, traits.max_concurrency);
  if (traits.least_lanes > 1) threads_ = 1;  // points that are asked about together are cheaper
}

std::unique_ptr<Evaluator> ParallelLanes::make_evaluator() const {
  if (threads_ <= 1) return inner_.make_evaluator();
  return std::make_unique<ParallelEvaluator>(inner_, threads_);
}

}  // namespace darboux
