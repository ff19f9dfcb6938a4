#include "batch_kernel.hpp"

#include "vector.hpp"

namespace darboux::DARBOUX_TARGET {
namespace {

using Size = std::size_t;

template <class V>
constexpr Size places = sizeof(V) / sizeof(double);
/// Half as many places.
template <class V>
struct NarrowerThan {
  using type = Vector<double, places<V> / 2>;
};
template <>
struct NarrowerThan<Vector<double, 2>> {
  using type = double;
};

/// Calls work.tile<V, vectors>(lane) for all lanes: as many and as wide vectors at a time as fit, then fewer and narrower.
template <Size vectors, class V = NativeVector<double>, class Work>
inline void over_lanes(const Work& work, Size lane = 0) {
  for (; lane + vectors * places<V> <= work.task.lanes; lane += vectors * places<V>)
    work.template tile<V, vectors>(lane);
  if constexpr (vectors > 1)
    over_lanes<1, V>(work, lane);
  else if constexpr (places<V> > 1)
    over_lanes<1, typename NarrowerThan<V>::type>(work, lane);
}

template <class V>
concept CanPick = requires(V v) { pick(v, v, v < v); };

/// Two vectors of lanes sorted by direction, those that go forward first: at most one of the two has both directions.
template <class V>
struct Sorted {
  using Places = decltype(V{} < V{});
  using Place = decltype(Places{}[0] + Places{}[0]);

  Places from[2];      // which lanes the vectors have
  Places to[2];        // where in them the lanes are
  Places is_other[2];  // where the first goes backward, where the second goes forward: nowhere, in one of them
  Size forward = 0;    // how many lanes do

  explicit Sorted(const double* dt) {
    for (Size l = 0, backward = 2 * places<V>; l < 2 * places<V>; ++l) {
      const Size place = dt[l] < 0.0 ? --backward : forward++;
      to[l / places<V>][l % places<V>] = static_cast<Place>(place);
      from[place / places<V>][place % places<V>] = static_cast<Place>(l);
    }
    for (Size l = 0; l < places<V>; ++l) {
      is_other[0][l] = l >= forward ? -1 : 0;
      is_other[1][l] = places<V> + l < forward ? -1 : 0;
    }
  }
};

struct Product {
  const BatchProductTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    Size backward = 0;
    for (Size l = lane; task.backward != Backward::same && l < lane + vectors * places<V>; ++l)
      backward += task.dt[l] < 0.0 ? 1 : 0;
    if (backward == 0) return plain<V, vectors, Backward::same>(lane, task.matrix);
    if (task.backward == Backward::negated) return plain<V, vectors, Backward::negated>(lane, task.matrix);
    if (backward == vectors * places<V>) return plain<V, vectors, Backward::same>(lane, task.matrix + task.to_other);
    if constexpr (vectors == 2 && CanPick<V>) return sorted(lane, Sorted<V>(task.dt + lane));
    plain<V, vectors, Backward::other>(lane, task.matrix);
  }

 private:
  using Backward = BatchProductTask::Backward;
  static constexpr Size most_rows =
      6;  // whose sums are in registers together, for two vectors of lanes; twice as many for one

  /// Calls some.operator()<rows>(i) for all rows, `most` of them at a time.
  template <Size most, class Some>
  void all_rows(const Some& some, Size i = 0) const {
    for (; i + most <= task.rows; i += most) some.template operator()<most>(i);
    if constexpr (most > 1)
      if (i < task.rows) all_rows<most - 1>(some, i);
  }

  template <class V, Size vectors, Backward backward>
  void plain(Size lane, const double* matrix) const {
    constexpr Size together = most_rows * (2 / vectors);
    all_rows<backward == Backward::other ? together / 2 : together>(
        [=, this]<Size rows>(Size i) { this->template some_rows<V, vectors, rows, backward>(lane, matrix, i); });
  }
  template <class V, Size vectors, Size rows, Backward backward>
  void some_rows(Size lane, const double* matrix, Size i) const {
    V sum[rows][vectors], other_sum[rows][vectors];
    for (Size r = 0; r < rows; ++r)
      for (Size v = 0; v < vectors; ++v) sum[r][v] = other_sum[r][v] = V{};
    const double* x = task.x.data + lane;
    for (Size j = 0; j < task.columns; ++j, x += task.x.stride) {
      V lanes[vectors];
      for (Size v = 0; v < vectors; ++v) lanes[v] = load<V>(x + v * places<V>);
      for (Size r = 0; r < rows; ++r) {
        const double* const row = matrix + (i + r) * task.columns;
        for (Size v = 0; v < vectors; ++v) {
          sum[r][v] = fma(lanes[v], all<V>(row[j]), sum[r][v]);
          if constexpr (backward == Backward::other)
            other_sum[r][v] = fma(lanes[v], all<V>(row[j + task.to_other]), other_sum[r][v]);
        }
      }
    }
    for (Size v = 0; v < vectors; ++v) {
      const V dt = steps<V>(lane + v * places<V>), sign = dt < 0.0 ? all<V>(-1.0) : all<V>(1.0);
      for (Size r = 0; r < rows; ++r) {
        V result = sum[r][v];
        if constexpr (backward == Backward::negated) result *= sign;
        if constexpr (backward == Backward::other) result = dt < 0.0 ? other_sum[r][v] : result;
        put(result, dt, i + r, lane + v * places<V>);
      }
    }
  }

  template <class V>
  void sorted(Size lane, const Sorted<V>& order) const {
    if (order.forward == places<V>)
      all_rows<most_rows>([&, this]<Size rows>(Size i) { this->template sorted_rows<V, rows, -1>(lane, order, i); });
    else if (order.forward < places<V>)
      all_rows<most_rows>([&, this]<Size rows>(Size i) { this->template sorted_rows<V, rows, 0>(lane, order, i); });
    else
      all_rows<most_rows>([&, this]<Size rows>(Size i) { this->template sorted_rows<V, rows, 1>(lane, order, i); });
  }
  /// The first vector times M, the second times the other matrix; and the one that has both directions (or none, −1) times
  /// the matrix that it lacks.
  template <class V, Size rows, int both>
  void sorted_rows(Size lane, const Sorted<V>& order, Size i) const {
    V sum[rows][2], other_sum[rows];
    for (Size r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = other_sum[r] = V{};
    const double* x = task.x.data + lane;
    for (Size j = 0; j < task.columns; ++j, x += task.x.stride) {
      const V low = load<V>(x), high = load<V>(x + places<V>);
      const V lanes[2] = {pick(low, high, order.from[0]), pick(low, high, order.from[1])};
      for (Size r = 0; r < rows; ++r) {
        const double* const row = task.matrix + (i + r) * task.columns;
        const double entry[2] = {row[j], row[j + task.to_other]};
        for (Size v = 0; v < 2; ++v) sum[r][v] = fma(lanes[v], all<V>(entry[v]), sum[r][v]);
        if constexpr (both >= 0) other_sum[r] = fma(lanes[both], all<V>(entry[1 - both]), other_sum[r]);
      }
    }
    if constexpr (both >= 0)
      for (Size r = 0; r < rows; ++r) sum[r][both] = order.is_other[both] ? other_sum[r] : sum[r][both];
    for (Size v = 0; v < 2; ++v) {
      const V dt = steps<V>(lane + v * places<V>);
      for (Size r = 0; r < rows; ++r) put(pick(sum[r][0], sum[r][1], order.to[v]), dt, i + r, lane + v * places<V>);
    }
  }

  template <class V>
  V steps(Size lane) const {
    return task.dt != nullptr ? load<V>(task.dt + lane) : all<V>(1.0);
  }
  template <class V>
  [[gnu::always_inline]] void put(V result, V dt, Size row, Size lane) const {
    double* const y = task.y.data + row * task.y.stride + lane;
    if (!task.add && task.dt == nullptr) return store(result, y);  // needs no base
    if (task.diagonal != nullptr) {
      result = fma(load<V>(task.scaled.data + row * task.scaled.stride + lane), all<V>(task.diagonal[row]), result);
      if (task.base.data == nullptr) return store(result, y);
    }
    const V base = load<V>(task.base.data + row * task.base.stride + lane);
    if (task.add) result += base;
    store(dt != 0.0 ? result : base, y);
  }
};

struct Difference {
  const DifferenceTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    const double *x = task.x.data + lane, *y = task.y.data + lane, *z = task.z.data + lane;
    double* out = task.out.data + lane;
    for (Size j = 0; j < task.rows; ++j) {
      for (Size l = 0; l < vectors * places<V>; l += places<V>)
        store(load<V>(x + l) + (load<V>(y + l) - load<V>(z + l)), out + l);
      x += task.x.stride, y += task.y.stride, z += task.z.stride, out += task.out.stride;
    }
  }
};

struct Negate {
  const NegateTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    V scale[vectors], not_finite[vectors];
    for (Size v = 0; v < vectors; ++v) {
      scale[v] = load<V>(task.scale + lane + v * places<V>);
      not_finite[v] = V{};
    }
    const double* x = task.x.data + lane;
    double* y = task.y.data + lane;
    for (Size j = 0; j < task.rows; ++j, x += task.x.stride, y += task.y.stride)
      for (Size v = 0; v < vectors; ++v) {
        const V given = load<V>(x + v * places<V>), before = load<V>(y + v * places<V>);
        not_finite[v] = fma(given, V{}, not_finite[v]);
        store(scale[v] != 0.0 ? -given : before, y + v * places<V>);
      }
    for (Size v = 0; v < vectors; ++v) store(not_finite[v], task.not_finite + lane + v * places<V>);
  }
};

/// y = update(y, x, scale) where the scale is not 0.
template <class Update>
struct LaneUpdate {
  const LaneUpdateTask& task;
  Update update;

  template <class V, Size vectors>
  void tile(Size lane) const {
    const V factor = all<V>(task.factor);
    V scale[vectors], step[vectors];
    for (Size v = 0; v < vectors; ++v) {
      scale[v] = load<V>(task.scale + lane + v * places<V>);
      step[v] = factor * scale[v];
    }
    const double* x = task.x.data + lane;
    double* y = task.y.data + lane;
    for (Size j = 0; j < task.rows; ++j, x += task.x.stride, y += task.y.stride)
      for (Size v = 0; v < vectors; ++v) {
        const V before = load<V>(y + v * places<V>),
                after = update(before, load<V>(x + v * places<V>), step[v], factor);
        store(scale[v] != 0.0 ? after : before, y + v * places<V>);
      }
  }
};

struct DotProducts {
  const DotProductsTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    V xx[vectors] = {}, xy[vectors] = {}, yy[vectors] = {};
    const double *x = task.x.data + lane, *y = task.y.data + lane;
    for (Size j = 0; j < task.rows; ++j, x += task.x.stride, y += task.y.stride)
      for (Size v = 0; v < vectors; ++v) {
        const V a = load<V>(x + v * places<V>), b = load<V>(y + v * places<V>);
        xx[v] = fma(a, a, xx[v]);
        xy[v] = fma(a, b, xy[v]);
        yy[v] = fma(b, b, yy[v]);
      }
    for (Size v = 0; v < vectors; ++v) {
      store(xx[v], task.xx + lane + v * places<V>);
      store(xy[v], task.xy + lane + v * places<V>);
      store(yy[v], task.yy + lane + v * places<V>);
    }
  }
};

struct Combination {
  const CombinationTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    V scale[vectors], of_x[vectors], of_y[vectors];
    for (Size v = 0; v < vectors; ++v) {
      scale[v] = load<V>(task.scale + lane + v * places<V>);
      of_x[v] = load<V>(task.of_x + lane + v * places<V>);
      of_y[v] = load<V>(task.of_y + lane + v * places<V>);
    }
    const double* x = task.x.data + lane;
    double* y = task.y.data + lane;
    for (Size j = 0; j < task.rows; ++j, x += task.x.stride, y += task.y.stride)
      for (Size v = 0; v < vectors; ++v) {
        const V before = load<V>(y + v * places<V>);
        const V after = fma(of_x[v], load<V>(x + v * places<V>), of_y[v] * before);
        store(scale[v] != 0.0 ? after : before, y + v * places<V>);
      }
  }
};

struct Turn {
  const TurnTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    const V dt = load<V>(task.dt + lane), cosine = all<V>(task.cosine), zero{};
    const V sine = dt < 0.0 ? all<V>(-task.sine) : all<V>(task.sine);
    const auto moves = dt != zero;
    const auto place = [=](const LaneRows<double>& batch, Size j) { return batch.data + j * batch.stride + lane; };
    for (Size j = 0; j < task.rows; ++j) {
      const V q1 = load<V>(place(task.first_q, j)), q2 = load<V>(place(task.second_q, j));
      const V p1 = load<V>(place(task.first_p, j)), p2 = load<V>(place(task.second_p, j));
      const V q_turned = fma(sine, p1 - p2, cosine * (q1 - q2)), p_turned = fma(-sine, q1 - q2, cosine * (p1 - p2));
      store(moves ? 0.5 * (q1 + q2 + q_turned) : q1, place(task.first_q, j));
      store(moves ? 0.5 * (q1 + q2 - q_turned) : q2, place(task.second_q, j));
      store(moves ? 0.5 * (p1 + p2 + p_turned) : p1, place(task.first_p, j));
      store(moves ? 0.5 * (p1 + p2 - p_turned) : p2, place(task.second_p, j));
    }
  }
};

struct LargestExcess {
  const ExcessTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    const V one = all<V>(1.0), tolerance = all<V>(task.tolerance);
    V largest[vectors], not_finite[vectors] = {};
    for (V& each : largest) each = -tolerance;
    const double *x = task.x.data + lane, *y = task.y.data + lane;
    for (Size j = 0; j < task.rows; ++j, x += task.x.stride, y += task.y.stride)
      for (Size v = 0; v < vectors; ++v) {
        const V reference = load<V>(y + v * places<V>), difference = load<V>(x + v * places<V>) - reference;
        const V allowed = tolerance * larger(-minus_abs(reference), one);
        largest[v] = larger(-minus_abs(difference) - allowed, largest[v]);
        not_finite[v] = fma(difference, V{}, not_finite[v]);
      }
    for (Size v = 0; v < vectors; ++v) store(largest[v] + not_finite[v], task.out + lane + v * places<V>);
  }
};

template <class Update>
void update_lanes(const LaneUpdateTask& task, Update update) {
  over_lanes<2>(LaneUpdate<Update>{task, update});
}

}  // namespace

void batch_product(const BatchProductTask& task) { over_lanes<2>(Product{task}); }

void add_difference(const DifferenceTask& task) { over_lanes<2>(Difference{task}); }

void negate_where(const NegateTask& task) { over_lanes<2>(Negate{task}); }

void add_scaled(const LaneUpdateTask& task) {
  update_lanes(task, [](auto y, auto x, auto step, auto) { return fma(step, x, y); });
}

void add_where(const LaneUpdateTask& task) {
  update_lanes(task, [](auto y, auto x, auto, auto factor) { return fma(factor, x, y); });
}

void assign_where(const LaneUpdateTask& task) {
  update_lanes(task, [](auto, auto x, auto, auto factor) { return factor * x; });
}

void dot_products(const DotProductsTask& task) { over_lanes<2>(DotProducts{task}); }

void combine_where(const CombinationTask& task) { over_lanes<2>(Combination{task}); }

void turn_difference(const TurnTask& task) { over_lanes<1>(Turn{task}); }

void largest_excess(const ExcessTask& task) { over_lanes<2>(LargestExcess{task}); }

}  // namespace darboux::DARBOUX_TARGET
