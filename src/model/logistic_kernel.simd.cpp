#include "logistic_kernel.hpp"

#include <math.h>

#include "linalg/vector_math.hpp"

namespace darboux::DARBOUX_TARGET {
namespace {

using Size = std::size_t;
constexpr Size tile = 3;                      // vectors of rows that are in registers together
constexpr Size columns_in_first_cache = 128;  // of panels
constexpr Size columns_in_second_cache = 5000;
constexpr Size line_bytes = 64;
constexpr Size bytes_ahead = 168 * line_bytes;  // about a panel; whole pages were slower

Size smaller(Size a, Size b) { return a < b ? a : b; }

/// The places of a vector brought together, always half with half.
template <class Number, Size places, class Combine>
inline Number fold(Vector<Number, places> v, Combine combine) {
  if constexpr (places == 2) {
    return combine(v[0], v[1]);
  } else {
    Vector<Number, places / 2> half[2];
    __builtin_memcpy(half, &v, sizeof v);
    return fold<Number, places / 2>(combine(half[0], half[1]), combine);
  }
}
template <class Number>
inline Number sum(NativeVector<Number> v) {
  return fold<Number, native_width<Number>>(v, [](auto a, auto b) { return a + b; });
}

/// (1 + a)(1 + b) − 1: for products that stay accurate where all factors are close to 1.
template <class Number>
inline Number excess_of_product(Number a, Number b) {
  return a * b + (a + b);
}

/// Π (1 + eᵗ) over the rows of a block, from Σ max(t, 0) and Π (1 + e^{−|t|}) ≤ 2¹⁰⁰⁸: one logarithm serves all rows.
struct Factors {
  using V = NativeVector<double>;

  void include(V t, V exp_minus_abs) {
    positive_part += t < 0.0 ? V{} : t;
    excess = excess_of_product(excess, exp_minus_abs);
  }
  [[nodiscard]] double log_of_product() const {
    const auto product = [](auto a, auto b) { return excess_of_product(a, b); };
    return sum<double>(positive_part) + log1p(fold<double, native_width<double>>(excess, product));
  }
  V positive_part{}, excess{};
};

/// L lanes. Rows are the places of vectors, so that a lane needs no others beside it: every sum over rows is kept as a vector,
/// to which rows are added in their order, whatever L.
template <class Number, Size L, bool with_value, bool with_gradient>
class Lanes {
 public:
  using Task = LogisticTask<Number>;

  Lanes(const Task& task, Size first_lane)
      : task_(task),
        first_lane_(first_lane),
        beta_(task.beta + first_lane * task.columns),
        terms_(task.scratch),
        totals_(task.scratch + Task::panels_at_once * panel_rows * Task::group + first_lane * task.columns * width) {}

  void clear() const {
    for (Size i = 0; i < task_.columns * L; ++i) store(V{}, totals_ + i * width);
    for (Size l = 0; with_value && l < L; ++l) task_.log_likelihood[first_lane_ + l] = 0.0;
  }

  /// Adds the terms of a block of panels.
  void add(Size first, Size end) const {
    Factors factors[L];
    if (L == 1 && task_.panel_count * task_.columns <= Task::columns_in_last_cache)
      add_one_by_one(first, end, factors);
    else
      add_several_at_once(first, end, factors);
    for (Size l = 0; with_value && l < L; ++l) task_.log_likelihood[first_lane_ + l] -= factors[l].log_of_product();
  }

  /// log σ(−t) = −max(t, 0) − log(1 + e^{−|t|}) of every row, for one lane: neither overflows nor cancels.
  void evaluate_by_rows() const {
    static_assert(L == 1);
    for (Size panel = 0; panel < task_.panel_count; ++panel) {
      Number* const rows = task_.log_likelihood + panel * panel_rows;
      predict(panel, rows);
      for (Size i = 0; i < panel_rows; i += tile * width) {
        V t[tile], e[tile];
        for (Size u = 0; u < tile; ++u) t[u] = load<V>(rows + i + u * width);
        for (Size u = 0; u < tile; ++u) e[u] = minus_abs(V(t[u]));
        exp_of_negative<Number, width>(e);
        for (Size u = 0; u < tile; ++u)
          store(-((t[u] < Number{0} ? V{} : t[u]) + log1p_of_fraction(e[u])), rows + i + u * width);
      }
    }
  }

  void finish() const {
    for (Size i = 0; with_gradient && i < task_.columns * L; ++i)
      task_.gradient[first_lane_ * task_.columns + i] = -sum<Number>(load<V>(totals_ + i * width));
  }

 private:
  using V = NativeVector<Number>;
  static constexpr Size width = native_width<Number>, panel_rows = Task::panel_rows;
  static constexpr Size vectors = panel_rows / width;  // of rows in a panel

  const Number* column(Size panel, Size j) const { return task_.panels + (panel * task_.columns + j) * panel_rows; }

  /// terms = t: the lanes of one vector of rows, then those of the next.
  void predict(Size panel, Number* terms) const {
    for (Size first = 0; first < vectors; first += tile) {
      V eta[tile][L] = {};
      const Number* x = column(panel, 0) + first * width;
      for (Size j = 0; j < task_.columns; ++j, x += panel_rows) add_column(x, beta_ + j * L, eta);
      store_terms(eta, terms + first * L * width);
    }
  }
  static void add_column(const Number* x, const Number* beta, V (&eta)[tile][L]) {
    for (Size v = 0; v < tile; ++v) {
      const V rows = load<V>(x + v * width);
      for (Size l = 0; l < L; ++l) eta[v][l] = fma(rows, all<V>(beta[l]), eta[v][l]);
    }
  }
  static void store_terms(const V (&eta)[tile][L], Number* terms) {
    for (Size v = 0; v < tile; ++v)
      for (Size l = 0; l < L; ++l) store(eta[v][l], terms + (v * L + l) * width);
  }

  /// From t: the factor 1 + eᵗ, and 1/(1 + e^{−t}) in place of t.
  void respond(Size panel, Number* terms, Factors (&factors)[L]) const {
    constexpr Size several = L < tile ? tile * L : L;  // whose exp are computed together
    for (Size i = 0; i < vectors * L; i += several) {
      V t[several], e[several];
      for (Size u = 0; u < several; ++u) {
        t[u] = load<V>(terms + (i + u) * width);
        e[u] = minus_abs(t[u]);
      }
      exp_of_negative<Number, width>(e);
      for (Size u = 0; u < several; ++u) {
        if constexpr (with_value) {
          const V sign = load<V>(task_.signs + panel * panel_rows + (i + u) / L * width);
          factors[u % L].include(t[u], sign * sign * e[u]);
        }
        if (with_gradient)
          store((t[u] < Number{0} ? e[u] : all<V>(Number{1})) / (Number{1} + e[u]), terms + (i + u) * width);
      }
    }
  }

  /// totals += Xᵀ terms, for several columns at a time.
  void add_gradient(Size first, Size end, const Number* terms) const {
    if (!with_gradient) return;
    constexpr Size registers = vector_bytes == 64 ? 24 : 12, several = L == 1 ? 8 : registers / L;
    Size j = 0;
    for (; j + several <= task_.columns; j += several) add_gradient_of<several>(first, end, terms, j);
    add_gradient_of_last<several - 1>(first, end, terms, j);
  }
  template <Size most>
  void add_gradient_of_last(Size first, Size end, const Number* terms, Size j) const {
    if constexpr (most > 0) {
      if (task_.columns - j == most) return add_gradient_of<most>(first, end, terms, j);
      add_gradient_of_last<most - 1>(first, end, terms, j);
    }
  }
  template <Size columns>
  void add_gradient_of(Size first, Size end, const Number* terms, Size j) const {
    Number* const totals = totals_ + j * L * width;
    V total[columns][L];
    for (Size c = 0; c < columns; ++c)
      for (Size l = 0; l < L; ++l) total[c][l] = load<V>(totals + (c * L + l) * width);
    for (Size panel = first; panel < end; ++panel) {
      const Number* x = column(panel, j);
      for (Size v = 0; v < vectors; ++v, terms += L * width) {
        V rows[columns];
        for (Size c = 0; c < columns; ++c) rows[c] = load<V>(x + c * panel_rows + v * width);
        for (Size l = 0; l < L; ++l) {
          const V term = load<V>(terms + l * width);
          for (Size c = 0; c < columns; ++c) total[c][l] = fma(rows[c], term, total[c][l]);
        }
      }
    }
    for (Size c = 0; c < columns; ++c)
      for (Size l = 0; l < L; ++l) store(total[c][l], totals + (c * L + l) * width);
  }

  void add_several_at_once(Size first, Size end, Factors (&factors)[L]) const {
    const Size parts = (end - first + Task::panels_at_once - 1) / Task::panels_at_once;
    const Size length = (end - first + parts - 1) / parts;  // equal, so that none is short
    for (; first < end; first += length) {
      const Size last = smaller(first + length, end);
      for (Size panel = first; panel < last; ++panel) {
        Number* const terms = terms_ + (panel - first) * panel_rows * L;
        predict(panel, terms);
        respond(panel, terms, factors);
      }
      add_gradient(first, last, terms_);
    }
  }

  /// For one lane: while one panel comes from memory, another is added, and if there is room for a third in the first-level
  /// cache, that waits for its exp.
  void add_one_by_one(Size first, Size end, Factors (&factors)[L]) const {
    const Size lag = 3 * task_.columns <= columns_in_first_cache ? 1 : 0;
    const bool is_far = task_.panel_count * task_.columns > columns_in_second_cache;
    const auto terms = [&](Size panel) { return terms_ + panel % 3 * panel_rows; };
    predict(first, terms(first));
    for (Size panel = first; panel < end; ++panel) {
      respond(panel, terms(panel), factors);
      const Size next = panel + 1;
      if (with_gradient && next < end && panel >= first + lag) {
        if (is_far)
          add_gradient_and_predict<true>(panel - lag, terms(panel - lag), next, terms(next));
        else
          add_gradient_and_predict<false>(panel - lag, terms(panel - lag), next, terms(next));
      } else if (next < end) {
        predict(next, terms(next));
      }
    }
    for (Size panel = end - smaller(lag + 1, end - first); panel < end; ++panel)
      add_gradient(panel, panel + 1, terms(panel));
  }
  /// What is far comes from the last-level cache, and this loop would wait for it: lines are asked into the second-level cache
  /// ahead of time, a few with every column, since many in a row hold up the loads behind them.
  template <bool is_far>
  void add_gradient_and_predict(Size panel, const Number* terms, Size predicted_panel, Number* predicted) const {
    const Size columns = task_.columns;  // a copy: for all the compiler knows, totals might overwrite the original
    for (Size first = 0; first < vectors; first += tile) {
      V eta[tile][L] = {}, term[tile];
      for (Size v = 0; v < tile; ++v) term[v] = load<V>(terms + (first + v) * width);
      const Number* x = column(panel, 0) + first * width;
      const Number* next = column(predicted_panel, 0) + first * width;
      for (Size j = 0; j < columns; ++j, x += panel_rows, next += panel_rows) {
        if (is_far && first == 0) fetch_column(reinterpret_cast<const char*>(next) + bytes_ahead);
        add_column(next, beta_ + j, eta);
        V total = load<V>(totals_ + j * width);
        for (Size v = 0; v < tile; ++v) total = fma(load<V>(x + v * width), term[v], total);
        store(total, totals_ + j * width);
      }
      store_terms(eta, predicted + first * width);
    }
  }
  static void fetch_column(const char* x) {
    for (Size at = 0; at < panel_rows * sizeof(Number); at += line_bytes) __builtin_prefetch(x + at, 0, 2);
  }

  const Task& task_;
  Size first_lane_;
  const Number* beta_;
  Number* terms_;   // of the panels at work
  Number* totals_;  // the gradient, every component as a vector
};

/// Panels that stay in the second-level cache while all lanes pass over them; no more than one product of factors takes.
Size block_of(Size columns) {
  const Size fit = 2500 / columns;
  return fit < 10 ? 10 : smaller(fit, 1008 / LogisticTask<double>::panel_rows);
}

template <class Number, bool with_value, bool with_gradient>
void evaluate(const LogisticTask<Number>& task) {
  const auto for_all_lanes = [&](auto visit) {
    LogisticTask<Number>::for_each_group(task.lanes, [&]<Size width>(Size first) {
      visit(Lanes<Number, width, with_value, with_gradient>(task, first));
    });
  };
  for_all_lanes([](const auto& lanes) { lanes.clear(); });
  const Size block = block_of(task.columns);
  for (Size first = 0; first < task.panel_count; first += block) {
    const Size end = smaller(first + block, task.panel_count);
    for_all_lanes([=](const auto& lanes) { lanes.add(first, end); });
  }
  for_all_lanes([](const auto& lanes) { lanes.finish(); });
}

}  // namespace

void evaluate_logistic(const LogisticTask<double>& task) {
  if (task.gradient == nullptr)
    evaluate<double, true, false>(task);
  else if (task.log_likelihood == nullptr)
    evaluate<double, false, true>(task);
  else
    evaluate<double, true, true>(task);
}

void evaluate_logistic_by_rows(const LogisticTask<double>& task) {
  Lanes<double, 1, false, false>(task, 0).evaluate_by_rows();
}

void evaluate_logistic_in_single_precision(const LogisticTask<float>& task) { evaluate<float, false, true>(task); }

}  // namespace darboux::DARBOUX_TARGET
