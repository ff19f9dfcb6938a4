#include "tape_kernel.hpp"

#include "linalg/vector_math.hpp"

namespace darboux::DARBOUX_TARGET {
namespace {

using Size = std::size_t;

template <class V>
struct ValueAndSlope {
  V value, slope;
};

/// A function of one number and its derivative. What is not used is not computed.
template <Operation operation, class V>
inline ValueAndSlope<V> function_of(V x) {
  if constexpr (operation == Operation::reciprocal) {
    const V y = 1.0 / x;
    return {y, -y * y};
  } else if constexpr (operation == Operation::square) {
    return {x * x, x + x};
  } else if constexpr (operation == Operation::abs) {
    return {-minus_abs(x), x > 0.0 ? all<V>(1.0) : (x < 0.0 ? all<V>(-1.0) : V{})};
  } else if constexpr (operation == Operation::sqrt) {
    const V y = sqrt_of(x);
    return {y, 0.5 / y};
  } else if constexpr (operation == Operation::exp) {
    const V y = exp_of(x);
    return {y, y};
  } else if constexpr (operation == Operation::log) {
    return {log_of(x), 1.0 / x};
  } else if constexpr (operation == Operation::log1p) {
    return {log1p_of(x), 1.0 / (1.0 + x)};
  } else if constexpr (operation == Operation::log1p_exp) {
    const V e = exp_of(minus_abs(x));  // nothing is lost on either side
    return {(x < 0.0 ? V{} : x) + log1p_of_fraction(e), (x < 0.0 ? e : all<V>(1.0)) / (1.0 + e)};
  } else {
    static_assert(operation == Operation::inv_logit);
    const V e = exp_of(minus_abs(x)), ratio = 1.0 / (1.0 + e);
    return {(x < 0.0 ? e : all<V>(1.0)) * ratio, e * ratio * ratio};
  }
}

/// L lanes.
template <Size L>
class Group {
 public:
  explicit Group(const TapeTask& task) : task_(task) {}

  template <bool with_slopes>
  void forward(const TapeRun& run) const {
    switch (run.operation) {
      case Operation::linear: return linear(run);
      case Operation::product: return product(run);
      case Operation::maximum: return choose<with_slopes>(run, [](V a, V b) { return a < b; });
      case Operation::minimum: return choose<with_slopes>(run, [](V a, V b) { return b < a; });
      case Operation::reciprocal: return apply<Operation::reciprocal, with_slopes>(run);
      case Operation::square: return apply<Operation::square, with_slopes>(run);
      case Operation::abs: return apply<Operation::abs, with_slopes>(run);
      case Operation::sqrt: return apply<Operation::sqrt, with_slopes>(run);
      case Operation::exp: return apply<Operation::exp, with_slopes>(run);
      case Operation::log: return apply<Operation::log, with_slopes>(run);
      case Operation::log1p: return apply<Operation::log1p, with_slopes>(run);
      case Operation::log1p_exp: return apply<Operation::log1p_exp, with_slopes>(run);
      case Operation::inv_logit: return apply<Operation::inv_logit, with_slopes>(run);
      default: return call(run);
    }
  }

  void backward(const TapeRun& run) const {
    if (run.operation == Operation::linear) return linear_backward(run);
    if (run.operation == Operation::product) return product_backward(run);
    const bool has_two = run.operation < Operation::reciprocal;
    for (Size i = run.count; i-- > 0;) {
      const Size node = run.first + i;
      const double* slope = task_.slopes + (run.first_slope + i * (has_two ? 2 : 1)) * L;
      pass_on(node, task_.first[node], slope);
      if (has_two) pass_on(node, task_.second[node], slope + L);
    }
  }

 private:
  static constexpr Size width = native_width<double> < L ? native_width<double> : L;
  static constexpr Size vectors = L / width;
  using V = Vector<double, width>;
  struct Lanes {
    V v[vectors];
  };

  static Lanes load_lanes(const double* from) {
    Lanes out;
    for (Size i = 0; i < vectors; ++i) out.v[i] = load<V>(from + i * width);
    return out;
  }
  static void store_lanes(const Lanes& lanes, double* to) {
    for (Size i = 0; i < vectors; ++i) store(lanes.v[i], to + i * width);
  }
  double* value(Size node) const { return task_.values + node * L; }
  double* adjoint(Size node) const { return task_.adjoints + node * L; }

  /// Terms are added to two sums in turn, so that one does not wait for the other.
  void linear(const TapeRun& run) const {
    const double* const factors = task_.factors;
    const std::uint32_t* const nodes = task_.factor_nodes;
    for (Size node = run.first; node < run.first + run.count; ++node) {
      Lanes even, odd = {};
      for (Size i = 0; i < vectors; ++i) even.v[i] = all<V>(task_.constants[node]);
      Size t = task_.first[node];
      const Size end = task_.second[node];
      for (; t + 1 < end; t += 2) {
        add(factors[t], value(nodes[t]), even);
        add(factors[t + 1], value(nodes[t + 1]), odd);
      }
      if (t < end) add(factors[t], value(nodes[t]), even);
      for (Size i = 0; i < vectors; ++i) store(even.v[i] + odd.v[i], value(node) + i * width);
    }
  }
  static void add(double factor, const double* x, Lanes& sum) {
    for (Size i = 0; i < vectors; ++i) sum.v[i] = fma(all<V>(factor), load<V>(x + i * width), sum.v[i]);
  }

  void linear_backward(const TapeRun& run) const {
    for (Size node = run.first + run.count; node-- > run.first;) {
      const Lanes a = load_lanes(adjoint(node));
      const Size end = task_.second[node];
      for (Size t = task_.first[node]; t < end; ++t) {
        double* const to = adjoint(task_.factor_nodes[t]);
        const V factor = all<V>(task_.factors[t]);
        for (Size i = 0; i < vectors; ++i) store(fma(factor, a.v[i], load<V>(to + i * width)), to + i * width);
      }
    }
  }

  void product(const TapeRun& run) const {
    for (Size node = run.first; node < run.first + run.count; ++node) {
      const double *x = value(task_.first[node]), *y = value(task_.second[node]);
      for (Size i = 0; i < vectors; ++i)
        store(load<V>(x + i * width) * load<V>(y + i * width), value(node) + i * width);
    }
  }
  void product_backward(const TapeRun& run) const {
    for (Size node = run.first + run.count; node-- > run.first;) {
      pass_on(node, task_.first[node], value(task_.second[node]));
      pass_on(node, task_.second[node], value(task_.first[node]));
    }
  }

  /// adjoint(to) += adjoint(node) × slope.
  void pass_on(Size node, Size to, const double* slope) const {
    for (Size i = 0; i < vectors; ++i) {
      const V a = load<V>(adjoint(node) + i * width);
      double* const sum = adjoint(to) + i * width;
      store(load<V>(sum) + (a == 0.0 ? V{} : a * load<V>(slope + i * width)), sum);
    }
  }

  template <Operation operation, bool with_slopes>
  void apply(const TapeRun& run) const {
    for (Size k = 0; k < run.count; ++k) {
      const Size node = run.first + k;
      const double* const x = value(task_.first[node]);
      for (Size i = 0; i < vectors; ++i) {
        const auto y = function_of<operation>(load<V>(x + i * width));
        store(y.value, value(node) + i * width);
        if constexpr (with_slopes) store(y.slope, task_.slopes + (run.first_slope + k) * L + i * width);
      }
    }
  }

  /// The second number where takes_second says so, else the first.
  template <bool with_slopes, class TakesSecond>
  void choose(const TapeRun& run, TakesSecond takes_second) const {
    for (Size k = 0; k < run.count; ++k) {
      const Size node = run.first + k;
      for (Size i = 0; i < vectors; ++i) {
        const V a = load<V>(value(task_.first[node]) + i * width), b = load<V>(value(task_.second[node]) + i * width);
        const auto second = takes_second(a, b);
        store(second ? b : a, value(node) + i * width);
        if constexpr (with_slopes) {
          double* const slope = task_.slopes + (run.first_slope + 2 * k) * L + i * width;
          store(second ? V{} : all<V>(1.0), slope);
          store(second ? all<V>(1.0) : V{}, slope + L);
        }
      }
    }
  }

  void call(const TapeRun& run) const {
    for (Size k = 0; k < run.count; ++k) {
      const Size node = run.first + k;
      const double* const x = value(task_.first[node]);
      const auto slope = [&](Size at) { return task_.slopes == nullptr ? nullptr : task_.slopes + at * L; };
      if (run.called_on_one != nullptr)
        run.called_on_one(x, task_.constants[node], value(node), slope(run.first_slope + k), L);
      else
        run.called_on_two(x, value(task_.second[node]), value(node), slope(run.first_slope + 2 * k),
                          slope(run.first_slope + 2 * k + 1), L);
    }
  }

  const TapeTask& task_;
};

template <class Visit>
void with_group(const TapeTask& task, const Visit& visit) {
  if (task.lanes == 16) return visit(Group<16>(task));
  if (task.lanes == 8) return visit(Group<8>(task));
  visit(Group<4>(task));
}

}  // namespace

void replay_forward(const TapeTask& task) {
  with_group(task, [&](const auto& group) {
    for (Size r = 0; r < task.run_count; ++r) {
      if (task.slopes == nullptr)
        group.template forward<false>(task.runs[r]);
      else
        group.template forward<true>(task.runs[r]);
    }
  });
}

void replay_backward(const TapeTask& task) {
  with_group(task, [&](const auto& group) {
    for (Size r = task.run_count; r-- > 0;) group.backward(task.runs[r]);
  });
}

}  // namespace darboux::DARBOUX_TARGET
