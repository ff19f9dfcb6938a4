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

struct Product {
  const BatchProductTask& task;

  template <class V, Size vectors>
  void tile(Size lane) const {
    Size backward = 0;
    for (Size l = lane; task.backward != Backward::same && l < lane + vectors * places<V>; ++l)
      backward += task.dt[l] < 0.0 ? 1 : 0;
    if (backward == 0)
      all_rows<V, vectors, most_rows, Backward::same>(lane, task.matrix);
    else if (task.backward == Backward::negated)
      all_rows<V, vectors, most_rows, Backward::negated>(lane, task.matrix);
    else if (backward == vectors * places<V>)
      all_rows<V, vectors, most_rows, Backward::same>(lane, task.other);
    else
      all_rows<V, vectors, most_rows / 2, Backward::other>(lane, task.matrix);
  }

 private:
  using Backward = BatchProductTask::Backward;
  static constexpr Size most_rows = 6;  // whose sums are in registers together, for two vectors of lanes

  template <class V, Size vectors, Size together, Backward backward>
  void all_rows(Size lane, const double* matrix) const {
    Size i = 0;
    for (; i + together <= task.rows; i += together) some_rows<V, vectors, together, backward>(lane, matrix, i);
    last_rows<V, vectors, together - 1, backward>(lane, matrix, i);
  }
  template <class V, Size vectors, Size most, Backward backward>
  void last_rows(Size lane, const double* matrix, Size i) const {
    if constexpr (most > 0) {
      if (task.rows - i == most) return some_rows<V, vectors, most, backward>(lane, matrix, i);
      last_rows<V, vectors, most - 1, backward>(lane, matrix, i);
    }
  }

  template <class V, Size vectors, Size rows, Backward backward>
  void some_rows(Size lane, const double* matrix, Size i) const {
    V sum[rows][vectors] = {}, other_sum[rows][vectors] = {};
    const double* x = task.x.data + lane;
    for (Size j = 0; j < task.columns; ++j, x += task.x.stride) {
      V lanes[vectors];
      for (Size v = 0; v < vectors; ++v) lanes[v] = load<V>(x + v * places<V>);
      for (Size r = 0; r < rows; ++r) {
        const Size at = (i + r) * task.columns + j;
        for (Size v = 0; v < vectors; ++v) {
          sum[r][v] = fma(lanes[v], all<V>(matrix[at]), sum[r][v]);
          if constexpr (backward == Backward::other)
            other_sum[r][v] = fma(lanes[v], all<V>(task.other[at]), other_sum[r][v]);
        }
      }
    }
    for (Size r = 0; r < rows; ++r)
      for (Size v = 0; v < vectors; ++v) {
        double* const y = task.y.data + (i + r) * task.y.stride + lane + v * places<V>;
        V result = sum[r][v];
        if constexpr (backward != Backward::same) {
          const V turned = backward == Backward::other ? other_sum[r][v] : -result;
          result = load<V>(task.dt + lane + v * places<V>) < 0.0 ? turned : result;
        }
        store(task.add ? load<V>(y) + result : result, y);
      }
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
  struct {
    Size lanes;
  } task;
  LaneRows<const double> x, y;
  Size rows;
  double tolerance;
  double* out;

  template <class V, Size vectors>
  void tile(Size lane) const {
    V largest[vectors], not_finite[vectors] = {};
    for (V& each : largest) each = all<V>(-tolerance);
    for (Size j = 0; j < rows; ++j)
      for (Size v = 0; v < vectors; ++v) {
        const V size = load<V>(x.data + j * x.stride + lane + v * places<V>);
        const V reference = -minus_abs(load<V>(y.data + j * y.stride + lane + v * places<V>));
        const V excess = -minus_abs(size) - tolerance * (reference < 1.0 ? all<V>(1.0) : reference);
        largest[v] = excess > largest[v] ? excess : largest[v];
        not_finite[v] += 0.0 * size;
      }
    for (Size v = 0; v < vectors; ++v) store(largest[v] + not_finite[v], out + lane + v * places<V>);
  }
};

template <class Update>
void update_lanes(const LaneUpdateTask& task, Update update) {
  over_lanes<2>(LaneUpdate<Update>{task, update});
}

}  // namespace

void batch_product(const BatchProductTask& task) { over_lanes<2>(Product{task}); }

void add_scaled(const LaneUpdateTask& task) {
  update_lanes(task, [](auto y, auto x, auto step, auto) { return fma(step, x, y); });
}

void add_where(const LaneUpdateTask& task) {
  update_lanes(task, [](auto y, auto x, auto, auto factor) { return fma(factor, x, y); });
}

void assign_where(const LaneUpdateTask& task) {
  update_lanes(task, [](auto, auto x, auto, auto factor) { return factor * x; });
}

void turn_difference(const TurnTask& task) { over_lanes<1>(Turn{task}); }

void largest_excess(const LaneRows<const double>& x, const LaneRows<const double>& y, Size rows, Size lanes,
                    double tolerance, double* out) {
  over_lanes<2>(LargestExcess{{lanes}, x, y, rows, tolerance, out});
}

}  // namespace darboux::DARBOUX_TARGET
