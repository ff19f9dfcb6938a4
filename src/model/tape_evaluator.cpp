#include "model/tape_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "darboux/model/lane_evaluator.hpp"
#include "model/recording.hpp"

namespace darboux {

TapeLibrary::Tapes TapeLibrary::all() const {
  const std::scoped_lock lock(mutex_);
  return tapes_;
}

void TapeLibrary::add(std::shared_ptr<const Tape> tape) {
  const std::scoped_lock lock(mutex_);
  tapes_.insert(tapes_.begin(), std::move(tape));
  if (tapes_.size() > most) tapes_.pop_back();
}

namespace {

/// Along the path that the function takes at a point.
std::shared_ptr<const Tape> record(const RecordableFunction& f, std::span<const double> point) {
  Recording recording(point);
  const std::vector<Recorded> variables = recording.variables();
  try {
    return std::make_shared<const Tape>(recording.finish(f(variables)));
  } catch (const Reject&) {
    return std::make_shared<const Tape>(recording.refuse());
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Lanes are taken in groups of 16, 8 or 4; what is missing to a group is computed for nothing.
constexpr std::size_t largest_group = 16;
std::size_t group_for(std::size_t lanes) { return lanes > 11 ? largest_group : lanes > 4 ? 8 : 4; }

class TapeEvaluator final : public Evaluator {
 public:
  TapeEvaluator(Index dim, std::shared_ptr<const RecordableFunction> f, std::shared_ptr<TapeLibrary> library)
      : dim_(dim), original_(std::move(f)), library_(std::move(library)), tapes_(library_->all()), point_(at(dim)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(dim_, query, answer);
    find_lanes(query, answer);
    for (std::size_t k = 0; k < tapes_.size() && !lanes_.empty(); ++k) {
      const bool serves = replay(*tapes_[k], query, answer);
      const auto tape = tapes_.begin() + static_cast<Index>(k);
      if (serves) std::rotate(tapes_.begin(), tape, tape + 1);  // it may serve again
    }
    if (lanes_.empty()) return;
    for (const auto& tape : library_->all())
      if (!lanes_.empty() && std::ranges::find(tapes_, tape) == tapes_.end() && replay(*tape, query, answer))
        keep(tape);
    while (!lanes_.empty()) {  // the first of them keeps to the path that is recorded at it
      for (Index j = 0; j < dim_; ++j) point_[at(j)] = query.q(j, lanes_.front());
      if (!f_) f_ = *original_;
      const auto tape = record(f_, point_);
      library_->add(tape);
      keep(tape);
      replay(*tape, query, answer);
    }
  }

 private:
  /// lanes_ = those whose answer is wanted and has to be computed.
  void find_lanes(const Query& query, const Answer& answer) {
    const Index lanes = query.q.lanes();
    finite_.assign(at(lanes), 0.0);  // becomes NaN where a coordinate is not finite
    for (Index j = 0; j < dim_; ++j) {
      const double* const row = query.q.row(j);
      for (Index l = 0; l < lanes; ++l) finite_[at(l)] += row[l] - row[l];
    }
    lanes_.clear();
    for (Index lane = 0; lane < lanes; ++lane) {
      if (!is_on(query.active, lane)) continue;
      if (finite_[at(lane)] == 0.0)
        lanes_.push_back(lane);
      else
        leave_undefined(query, answer, lane, Status::ok);
    }
  }

  static void leave_undefined(const Query& query, const Answer& answer, Index lane, Status status) {
    answer.status[at(lane)] = status;
    if (query.value) answer.log_density[at(lane)] = nan;
    for (Index j = 0; query.gradient && j < query.q.rows(); ++j) answer.gradient(j, lane) = nan;
  }

  void keep(const std::shared_ptr<const Tape>& tape) {
    if (tapes_.size() == TapeLibrary::most) tapes_.pop_back();
    tapes_.insert(tapes_.begin(), tape);
  }

  /// Answers for those of lanes_ that keep to the path of the tape; the others stay. Says whether there was one.
  bool replay(const Tape& tape, const Query& query, const Answer& answer) {
    const auto make_room = [](LaneVector<double>& numbers, std::size_t rows) {
      if (numbers.size() < rows * largest_group) numbers.resize(rows * largest_group);
    };
    make_room(values_, tape.size());
    make_room(slopes_, query.gradient ? tape.slopes : 0);
    make_room(adjoints_, query.gradient ? tape.size() : 0);
    std::size_t left = 0;
    const std::size_t count = lanes_.size();
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t width = group_for(count - begin), end = std::min(begin + width, count);
      const TapeTask task = go_forward(tape, query, begin, end, width);
      kept_.clear();
      for (std::size_t l = begin; l < end; ++l) {
        if (keeps_to_path(tape, width, l - begin))
          kept_.push_back({.lane = lanes_[l], .place = l - begin});
        else
          lanes_[left++] = lanes_[l];
      }
      if (!kept_.empty()) answer_for_kept(tape, task, query, answer);
      begin = end;
    }
    lanes_.resize(left);
    return left < count;
  }

  /// Values of the lanes begin, …, end − 1 of lanes_; the last is repeated to fill the group.
  TapeTask go_forward(const Tape& tape, const Query& query, std::size_t begin, std::size_t end, std::size_t width) {
    for (Index j = 0; j < dim_; ++j) {
      const double* const row = query.q.row(j);
      double* const to = values_.data() + at(j) * width;
      for (std::size_t l = begin; l < end; ++l) to[l - begin] = row[lanes_[l]];
      std::fill(to + (end - begin), to + width, row[lanes_[end - 1]]);
    }
    TapeTask task = tape.task();
    task.lanes = width;
    task.values = values_.data();
    task.slopes = query.gradient ? slopes_.data() : nullptr;
    task.adjoints = adjoints_.data();
    DARBOUX_KERNEL(replay_forward)(task);
    return task;
  }

  [[nodiscard]] bool keeps_to_path(const Tape& tape, std::size_t width, std::size_t l) const {
    return std::ranges::all_of(tape.comparisons, [&](const RecordedComparison& c) {
      return RecordedComparison::answer_for(c.kind, values_[c.first * width + l], values_[c.second * width + l]) ==
             c.answer;
    });
  }

  void answer_for_kept(const Tape& tape, const TapeTask& task, const Query& query, const Answer& answer) {
    for (const Kept& kept : kept_) {
      if (tape.refuses) {
        leave_undefined(query, answer, kept.lane, Status::model_error);
        continue;
      }
      answer.status[at(kept.lane)] = Status::ok;
      if (query.value) answer.log_density[at(kept.lane)] = values_[tape.result * task.lanes + kept.place];
    }
    if (!query.gradient || tape.refuses) return;
    std::fill_n(adjoints_.begin(), tape.size() * task.lanes, 0.0);
    std::fill_n(adjoints_.begin() + static_cast<Index>(tape.result * task.lanes), task.lanes, 1.0);
    DARBOUX_KERNEL(replay_backward)(task);
    for (Index j = 0; j < dim_; ++j) {
      double* const row = answer.gradient.row(j);
      const double* const from = adjoints_.data() + at(j) * task.lanes;
      for (const Kept& kept : kept_) row[kept.lane] = from[kept.place];
    }
  }

  struct Kept {
    Index lane;
    std::size_t place;  // in the group
  };

  Index dim_;
  std::shared_ptr<const RecordableFunction> original_;
  RecordableFunction f_;  // a copy of it, once there was something to record
  std::shared_ptr<TapeLibrary> library_;
  TapeLibrary::Tapes tapes_;
  std::vector<double> point_;
  std::vector<Index> lanes_;  // without an answer so far
  std::vector<Kept> kept_;    // those of a group that keep to the path
  std::vector<double> finite_;
  LaneVector<double> values_, slopes_, adjoints_;
};

}  // namespace

bool keeps_to_few_paths(Index dim, const RecordableFunction& f, TapeLibrary& library) {
  constexpr int points = 8;
  const auto same_path = [](const Tape& a, const Tape& b) {
    return std::ranges::equal(a.comparisons, b.comparisons, {}, &RecordedComparison::answer,
                              &RecordedComparison::answer);
  };
  TapeLibrary::Tapes paths;
  std::vector<double> point(at(dim), 0.0);
  RandomStream random({.seed = 0});
  for (int k = 0; k <= points; ++k) {
    auto tape = record(f, point);
    if (std::ranges::none_of(paths, [&](const auto& path) { return same_path(*path, *tape); })) {
      if (paths.size() == TapeLibrary::most) return false;
      library.add(tape);
      paths.push_back(std::move(tape));
    }
    if (paths[0]->comparisons.empty()) break;  // there is no other
    for (double& x : point) x = -2.0 + 4.0 * random.uniform();
  }
  return true;
}

std::unique_ptr<Evaluator> make_tape_evaluator(Index dim, std::shared_ptr<const RecordableFunction> f,
                                               std::shared_ptr<TapeLibrary> library) {
  return std::make_unique<TapeEvaluator>(dim, std::move(f), std::move(library));
}

}  // namespace darboux
