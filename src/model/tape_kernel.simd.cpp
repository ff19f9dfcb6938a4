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

/// L lanes. Every function has a copy of the task for itself, since the compiler takes a store of a vector for one that might change
/// the original.
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
    run.operation < Operation::reciprocal ? slopes_backward<2>(run) : slopes_backward<1>(run);
  }

 private:
  static constexpr Size width = native_width<double> < L ? native_width<double> : L;
  static constexpr Size vectors = L / width;
  using V = Vector<double, width>;
  struct Lanes {
    V v[vectors];
  };

  static void add(double factor, const double* x, Lanes& sum) {
    for (Size i = 0; i < vectors; ++i) sum.v[i] = fma(all<V>(factor), load<V>(x + i * width), sum.v[i]);
  }
  /// Terms are added to two sums in turn, so that one does not wait for the other.
  void linear(const TapeRun& run) const {
    const TapeTask task = task_;
    const Size last = run.first + run.count;
    for (Size node = run.first; node < last; ++node) {
      Lanes even, odd = {};
      for (Size i = 0; i < vectors; ++i) even.v[i] = all<V>(task.constants[node]);
      const Size end = task.second[node];
      const auto term = [&](Size t, Lanes& sum) { add(task.factors[t], task.values + task.factor_nodes[t] * L, sum); };
      Size t = task.first[node];
      for (; t + 1 < end; t += 2) {
        term(t, even);
        term(t + 1, odd);
      }
      if (t < end) term(t, even);
      for (Size i = 0; i < vectors; ++i) store(even.v[i] + odd.v[i], task.values + node * L + i * width);
    }
  }
  void linear_backward(const TapeRun& run) const {
    const TapeTask task = task_;
    const Size first = run.first;
    for (Size node = first + run.count; node-- > first;) {
      Lanes a;
      for (Size i = 0; i < vectors; ++i) a.v[i] = load<V>(task.adjoints + node * L + i * width);
      const Size end = task.second[node];
      for (Size t = task.first[node]; t < end; ++t) {
        double* const to = task.adjoints + task.factor_nodes[t] * L;
        const V factor = all<V>(task.factors[t]);
        for (Size i = 0; i < vectors; ++i) store(fma(factor, a.v[i], load<V>(to + i * width)), to + i * width);
      }
    }
  }

  void product(const TapeRun& run) const {
    const TapeTask task = task_;
    const Size last = run.first + run.count;
    for (Size node = run.first; node < last; ++node) {
      const double *x = task.values + task.first[node] * L, *y = task.values + task.second[node] * L;
      double* const out = task.values + node * L;
      for (Size i = 0; i < vectors; ++i) store(load<V>(x + i * width) * load<V>(y + i * width), out + i * width);
    }
  }
  void product_backward(const TapeRun& run) const {
    const TapeTask task = task_;
    const Size first = run.first;
    for (Size node = first + run.count; node-- > first;) {
      const Size x = task.first[node], y = task.second[node];
      const double* const a = task.adjoints + node * L;
      pass_on(a, task.values + y * L, task.adjoints + x * L);
      pass_on(a, task.values + x * L, task.adjoints + y * L);
    }
  }
  template <Size slopes>
  void slopes_backward(const TapeRun& run) const {
    const TapeTask task = task_;
    const Size first = run.first, first_slope = run.first_slope;
    for (Size k = run.count; k-- > 0;) {
      const Size node = first + k;
      const double *a = task.adjoints + node * L, *slope = task.slopes + (first_slope + k * slopes) * L;
      pass_on(a, slope, task.adjoints + task.first[node] * L);
      if constexpr (slopes == 2) pass_on(a, slope + L, task.adjoints + task.second[node] * L);
    }
  }
  /// to += adjoint × slope.
  static void pass_on(const double* adjoint, const double* slope, double* to) {
    for (Size i = 0; i < vectors; ++i) {
      const V a = load<V>(adjoint + i * width);
      store(load<V>(to + i * width) + (a == 0.0 ? V{} : a * load<V>(slope + i * width)), to + i * width);
    }
  }

  template <Operation operation, bool with_slopes>
  void apply(const TapeRun& run) const {
    const TapeTask task = task_;
    const Size first = run.first, count = run.count;
    double* slope = with_slopes ? task.slopes + run.first_slope * L : nullptr;
    for (Size k = 0; k < count; ++k) {
      const double* const x = task.values + task.first[first + k] * L;
      double* const out = task.values + (first + k) * L;
      for (Size i = 0; i < vectors; ++i) {
        const auto y = function_of<operation>(load<V>(x + i * width));
        store(y.value, out + i * width);
        if constexpr (with_slopes) store(y.slope, slope + k * L + i * width);
      }
    }
  }

  /// The second number where takes_second says so, else the first.
  template <bool with_slopes, class TakesSecond>
  void choose(const TapeRun& run, TakesSecond takes_second) const {
    const TapeTask task = task_;
    for (Size k = 0; k < run.count; ++k) {
      const Size node = run.first + k;
      for (Size i = 0; i < vectors; ++i) {
        const V a = load<V>(task.values + task.first[node] * L + i * width),
                b = load<V>(task.values + task.second[node] * L + i * width);
        const auto second = takes_second(a, b);
        store(second ? b : a, task.values + node * L + i * width);
        if constexpr (with_slopes) {
          double* const slope = task.slopes + (run.first_slope + 2 * k) * L + i * width;
          store(second ? V{} : all<V>(1.0), slope);
          store(second ? all<V>(1.0) : V{}, slope + L);
        }
      }
    }
  }

  void call(const TapeRun& run) const {
    const TapeTask task = task_;
    const auto slope = [&](Size at) { return task.slopes == nullptr ? nullptr : task.slopes + at * L; };
    for (Size k = 0; k < run.count; ++k) {
      const Size node = run.first + k;
      const double* const x = task.values + task.first[node] * L;
      double* const out = task.values + node * L;
      if (run.called_on_one != nullptr)
        run.called_on_one(x, task.constants[node], out, slope(run.first_slope + k), L);
      else
        run.called_on_two(x, task.values + task.second[node] * L, out, slope(run.first_slope + 2 * k),
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
