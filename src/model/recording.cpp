#include "model/recording.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "darboux/core/error.hpp"
#include "model/tape_functions.hpp"

namespace darboux {

namespace {

std::uint32_t checked(std::size_t size) {
  if (size >= std::numeric_limits<std::uint32_t>::max())
    throw Error(
        "a log density takes more than four billion steps, too many to record. Write its gradient by hand, and make a "
        "FunctionModel of both");
  return static_cast<std::uint32_t>(size);
}

}  // namespace

std::size_t Recording::Hash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = 0;
  for (const std::uint64_t part :
       {std::uint64_t{key.what} << 32U | key.first, std::uint64_t{key.second}, std::bit_cast<std::uint64_t>(key.factor),
        std::bit_cast<std::uint64_t>(key.constant)})
    hash = (std::rotl(hash, 5) ^ part) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

template <class Make>
std::uint32_t Recording::shared(const Key& key, Make make) {
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const std::uint32_t node = make();
  known_.emplace(key, node);
  return node;
}

Recording::Recording(std::span<const double> q) {
  tape_.variables = checked(q.size());
  for (const double x : q) {
    add_node(Operation::linear, 0, 0, 0.0);
    values_.insert(values_.end(), lanes, x);
  }
}

std::vector<Recorded> Recording::variables() {
  std::vector<Recorded> out;
  for (std::uint32_t j = 0; j < tape_.variables; ++j) out.push_back(view(j));
  return out;
}

Tape Recording::finish(const Recorded& result) {
  tape_.result = node_of(result);
  return scheduled(tape_);
}

Tape Recording::refuse() {
  tape_.refuses = true;
  return scheduled(tape_);
}

Recording& Recording::of(const Recorded& a, const Recorded& b) {
  return a.recording_ != nullptr ? *a.recording_ : *b.recording_;
}

Recorded Recording::view(std::uint32_t node, double factor) {
  Recorded out;
  out.recording_ = this;
  out.index_ = node;
  out.factor_ = factor;
  return out;
}

/// 0 × a variable is 0: points have finite coordinates.
Recorded Recording::scaled(Recorded a, double factor) {
  const bool is_variable =
      a.recording_ != nullptr && a.sum_ == Recorded::no_sum && a.index_ < a.recording_->tape_.variables;
  if (factor == 0.0 && is_variable) return 0.0 * a.constant_;
  a.factor_ *= factor;
  a.constant_ *= factor;
  return a;
}

Recorded Recording::bare(const Recorded& a) {
  Recorded out = a;
  out.factor_ = 1.0;
  out.constant_ = 0.0;
  return out;
}

Recorded Recording::sum(const Recorded& a, const Recorded& b) {
  Recorded out = a.recording_ == nullptr ? b : a;
  out.constant_ = a.constant_ + b.constant_;
  if (a.recording_ == nullptr || b.recording_ == nullptr) return out;
  Recording& recording = of(a, b);
  const bool second_is_longer = recording.grows(b) && (!recording.grows(a) || b.index_ > a.index_);
  const Recorded &longer = second_is_longer ? b : a, &other = second_is_longer ? a : b;
  if (recording.grows(longer)) {
    out.sum_ = longer.sum_;
  } else {
    out.sum_ = checked(recording.sums_.size());
    recording.sums_.emplace_back();
    recording.append(longer, out.sum_);
  }
  recording.append(other, out.sum_);
  out.index_ = checked(recording.sums_[out.sum_].terms.size());
  out.factor_ = 1.0;
  return out;
}

bool Recording::grows(const Recorded& a) const {
  return a.sum_ != Recorded::no_sum && a.factor_ == 1.0 && a.index_ == sums_[a.sum_].terms.size();
}

/// The terms of a, or a node as one term; without its constant.
void Recording::append(const Recorded& a, std::uint32_t sum) {
  if (a.sum_ != Recorded::no_sum && a.index_ <= short_sum && sums_[a.sum_].computed_terms != a.index_) {
    for (std::uint32_t t = 0; t < a.index_; ++t) {
      const Term term = sums_[a.sum_].terms[t];
      sums_[sum].terms.push_back({.factor = a.factor_ * term.factor, .node = term.node});
    }
  } else {
    const std::uint32_t node = node_of(bare(a));
    sums_[sum].terms.push_back({.factor = a.factor_, .node = node});
  }
}

Recorded Recording::product(const Recorded& a, const Recorded& b) {
  if (b.recording_ == nullptr) return a.recording_ == nullptr ? a.constant_ * b.constant_ : scaled(a, b.constant_);
  if (a.recording_ == nullptr) return scaled(b, a.constant_);
  Recording& recording = of(a, b);
  double factor_a = 1.0, factor_b = 1.0;
  const std::uint32_t first = recording.node_up_to_factor(a, factor_a);
  const std::uint32_t second = recording.node_up_to_factor(b, factor_b);
  const auto [low, high] = std::minmax(first, second);
  const Operation operation = low == high ? Operation::square : Operation::product;
  return recording.view(recording.function_node(operation, low, high), factor_a * factor_b);
}

/// By way of 1/b, which other quotients may share.
Recorded Recording::quotient(const Recorded& a, const Recorded& b) {
  if (b.recording_ == nullptr) {
    Recorded out = a;
    out.factor_ /= b.constant_;
    out.constant_ /= b.constant_;
    return out;
  }
  double factor = 1.0;
  const std::uint32_t node = b.recording_->node_up_to_factor(b, factor);
  const Recorded inverse = function(Operation::reciprocal, b.recording_->view(node));
  return product(a, scaled(inverse, 1.0 / factor));
}

Recorded Recording::power(const Recorded& base, const Recorded& exponent) {
  if (exponent.recording_ != nullptr) return function(Operation::pow, base, exponent);
  const double c = exponent.constant_;
  if (base.recording_ == nullptr) return std::pow(base.constant_, c);
  if (c == 0.0) return 1.0;
  if (c == 1.0) return base;
  if (c == 2.0) return base * base;
  if (c == 3.0) return base * base * base;
  if (c == 4.0) return (base * base) * (base * base);
  if (c == -1.0) return 1.0 / base;
  Recording& recording = *base.recording_;
  const std::uint32_t node = recording.node_of(base);
  return recording.view(recording.function_node(Operation::constant_power, node, node, c));
}

Recorded Recording::function(Operation operation, const Recorded& a) {
  if (a.recording_ == nullptr) return value_at(operation, a.constant_);
  Recording& recording = *a.recording_;
  const std::uint32_t node = recording.node_of(a);
  return recording.view(recording.function_node(operation, node, node));
}

Recorded Recording::function(Operation operation, const Recorded& a, const Recorded& b) {
  if (a.recording_ == nullptr && b.recording_ == nullptr) return value_at(operation, a.constant_, b.constant_);
  Recording& recording = of(a, b);
  const std::uint32_t first = recording.node_of(a), second = recording.node_of(b);
  return recording.view(recording.function_node(operation, first, second));
}

std::int8_t Recording::compare(RecordedComparison::Kind kind, const Recorded& a, const Recorded& b) {
  if (a.recording_ == nullptr && b.recording_ == nullptr)
    return RecordedComparison::answer_for(kind, a.constant_, b.constant_);
  Recording& recording = of(a, b);
  RecordedComparison asked{.kind = kind, .first = recording.node_of(a), .second = recording.node_of(b), .answer = 0};
  asked.answer = RecordedComparison::answer_for(kind, recording.value(asked.first), recording.value(asked.second));
  recording.tape_.comparisons.push_back(asked);
  return asked.answer;
}

std::uint32_t Recording::node_up_to_factor(const Recorded& a, double& factor) {
  if (a.constant_ != 0.0) return node_of(a);
  factor = a.factor_;
  return node_of(bare(a));
}

std::uint32_t Recording::node_of(const Recorded& a) {
  if (a.recording_ == nullptr)
    return shared({.what = plain_number, .constant = a.constant_}, [&] {
      const std::uint32_t end = checked(tape_.factors.size());
      return add_node(Operation::linear, end, end, a.constant_);
    });
  const bool is_bare = a.factor_ == 1.0 && a.constant_ == 0.0;
  if (a.sum_ != Recorded::no_sum) return node_of_sum(a);
  if (is_bare) return a.index_;
  return shared({.what = view_of_node, .first = a.index_, .factor = a.factor_, .constant = a.constant_}, [&] {
    const std::uint32_t begin = checked(tape_.factors.size());
    tape_.factors.push_back(a.factor_);
    tape_.factor_nodes.push_back(a.index_);
    return add_node(Operation::linear, begin, begin + 1, a.constant_);
  });
}

/// A sum continues from where it was last made a node. One that is long as well as moved or scaled is first made a node as it is,
/// for others may continue from there.
std::uint32_t Recording::node_of_sum(const Recorded& a) {
  const bool is_bare = a.factor_ == 1.0 && a.constant_ == 0.0;
  const Key key{.what = view_of_sum, .first = a.sum_, .second = a.index_, .factor = a.factor_, .constant = a.constant_};
  return shared(key, [&] {
    const bool continues = sums_[a.sum_].computed_terms > 0 && sums_[a.sum_].computed_terms <= a.index_;
    const std::uint32_t from = continues ? sums_[a.sum_].computed_terms : 0;
    if (!is_bare && a.index_ - from > short_sum) {
      const std::uint32_t node = node_of(bare(a));
      Recorded rest = view(node, a.factor_);
      rest.constant_ = a.constant_;
      return node_of(rest);
    }
    Sum& sum = sums_[a.sum_];
    const std::uint32_t begin = checked(tape_.factors.size());
    place_.resize(tape_.size(), 0);
    if (continues) add_term(begin, a.factor_, sum.node);
    for (std::uint32_t t = from; t < a.index_; ++t) add_term(begin, a.factor_ * sum.terms[t].factor, sum.terms[t].node);
    const std::uint32_t node = add_node(Operation::linear, begin, checked(tape_.factors.size()), a.constant_);
    if (is_bare) {
      sum.computed_terms = a.index_;
      sum.node = node;
    }
    return node;
  });
}

std::uint32_t Recording::function_node(Operation operation, std::uint32_t first, std::uint32_t second,
                                       double constant) {
  const Key key{.what = static_cast<std::uint32_t>(operation), .first = first, .second = second, .constant = constant};
  return shared(key, [&] { return add_node(operation, first, second, constant); });
}

std::uint32_t Recording::add_node(Operation operation, std::uint32_t first, std::uint32_t second, double constant) {
  const std::uint32_t node = checked(tape_.size());
  tape_.operations.push_back(operation);
  tape_.first.push_back(first);
  tape_.second.push_back(second);
  tape_.constants.push_back(constant);
  return node;
}

/// A node that is there already gets the sum of both factors.
void Recording::add_term(std::uint32_t begin, double factor, std::uint32_t node) {
  const std::uint32_t place = place_[node];
  if (place >= begin && place < tape_.factors.size() && tape_.factor_nodes[place] == node) {
    tape_.factors[place] += factor;
    return;
  }
  place_[node] = checked(tape_.factors.size());
  tape_.factors.push_back(factor);
  tape_.factor_nodes.push_back(node);
}

double Recording::value(std::uint32_t node) {
  const std::size_t computed = values_.size() / lanes;
  if (node >= computed) {
    values_.resize(tape_.size() * lanes);
    TapeTask task = tape_.task();
    task.lanes = lanes;
    task.values = values_.data();
    task.run_count = 1;
    for (std::size_t i = computed; i < tape_.size(); ++i) {
      const TapeRun run = run_of(tape_.operations[i], static_cast<std::uint32_t>(i), 1, 0);
      task.runs = &run;
      DARBOUX_KERNEL(replay_forward)(task);
    }
  }
  return values_[node * lanes];
}

}  // namespace darboux
