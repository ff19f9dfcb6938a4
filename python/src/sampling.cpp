#include "sampling.hpp"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "darboux/core/error.hpp"
#include "python_model.hpp"
#include "run/draws_content.hpp"

namespace darboux::python {

namespace {

/// The context variables of the thread that makes it, such as NumPy's error state, for another thread to run with.
class Context {
 public:
  Context()
      : context_(std::make_shared<const Kept>(nanobind::module_::import_("contextvars").attr("copy_context")())) {}

  /// Called and returned from without the lock.
  template <class F>
  auto run(const F& f) const {
    std::optional<decltype(f())> result;
    std::exception_ptr failure;
    const nanobind::gil_scoped_acquire lock;
    context_->get().attr("run")(nanobind::cpp_function([&] {
      const nanobind::gil_scoped_release unlocked;
      try {
        result = f();
      } catch (...) {
        failure = std::current_exception();
      }
    }));
    if (failure) std::rethrow_exception(failure);
    return *std::move(result);
  }

 private:
  std::shared_ptr<const Kept> context_;
};

}  // namespace

class Sampling::Counter final : public DrawSink {
 public:
  Counter(Index chains, const std::atomic<bool>& paused) : chains_(at(chains)), paused_(paused) {}

  void draw(const Draw& draw) override {
    Chain& chain = chains_[at(draw.chain)];
    const auto add = [](std::atomic<std::int64_t>& sum, std::int64_t more) {
      sum.fetch_add(more, std::memory_order_relaxed);
    };
    add(draw.phase == Phase::warmup ? chain.warmup : chain.draws, 1);
    add(draw.phase == Phase::warmup ? chain.warmup_gradients : chain.gradients, draw.transition.gradients);
    chain.step_size.store(draw.transition.step_size, std::memory_order_relaxed);
    if (draw.phase == Phase::sampling && draw.transition.status == Status::diverged) add(chain.divergences, 1);
    paused_.wait(true);
  }
  [[nodiscard]] bool wants_values(Phase /*phase*/, int /*iteration*/) const override { return false; }
  void end_warmup(const SampleResult& so_far) override {
    const std::scoped_lock lock(knowing_);
    known_ = so_far;
    end_of_warmup_ = Clock::now();
  }

  [[nodiscard]] std::vector<ChainProgress> now() const {
    std::vector<ChainProgress> out;
    for (const Chain& c : chains_)
      out.push_back({.warmup = c.warmup,
                     .draws = c.draws,
                     .divergences = c.divergences,
                     .gradients = c.warmup_gradients + c.gradients,
                     .step_size = c.step_size});
    return out;
  }

  /// As far as it is known of a run that goes on.
  [[nodiscard]] SampleResult result() const {
    const std::scoped_lock lock(knowing_);
    SampleResult out = known_;
    out.end = SampleEnd::interrupted;
    for (const Chain& c : chains_) {
      if (!end_of_warmup_) out.warmup_gradients += c.warmup_gradients;
      out.sampling_gradients += c.gradients;
    }
    (end_of_warmup_ ? out.sampling_seconds : out.warmup_seconds) = seconds_since(end_of_warmup_.value_or(begin_));
    return out;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }
  struct alignas(cache_line) Chain {
    std::atomic<std::int64_t> warmup{0}, draws{0}, divergences{0}, warmup_gradients{0}, gradients{0};
    std::atomic<double> step_size{0.0};
  };
  std::vector<Chain> chains_;
  const std::atomic<bool>& paused_;
  const Clock::time_point begin_ = Clock::now();
  mutable std::mutex knowing_;
  SampleResult known_;
  std::optional<Clock::time_point> end_of_warmup_;
};

Sampling::Sampling(std::shared_ptr<const Model> model, RunConfig config)
    : config_(std::move(config)),
      process_(::getpid()),
      counter_(std::make_shared<Counter>(std::max<Index>(config_.chains, 1), paused_)),
      end_(std::async(std::launch::async, [this, model = std::move(model), context = Context()] {
             const KnownToPython introduced;
             return context.run([&] { return run(model); });
           }).share()) {}

Draws Sampling::run(const std::shared_ptr<const Model>& model) {
  SamplePlan plan = plan_with_model(config_, for_chains(model, config_.chains));
  planned_ = {
      .warmup = plan.settings.warmup, .draws = most_draws(plan.asked), .open_ended = plan.asked.target_ess.has_value()};
  content_ = std::make_shared<Draws::Content>(std::move(plan));
  is_planned_ = true;
  return sample_into(content_, {.sink = counter_.get(), .stop = &stop_});
}

std::optional<Iterations> Sampling::planned() const { return is_planned_ ? std::optional(planned_) : std::nullopt; }

Sampling::~Sampling() {
  stop();
  if (is_elsewhere()) {  // nobody will ever fulfil it here, and to let it go would wait for that
    (void)new std::shared_future<Draws>(std::move(end_));
    return;
  }
  const nanobind::gil_scoped_release unlocked;
  end_.wait();
}

bool Sampling::is_elsewhere() const noexcept { return process_ != ::getpid(); }

void Sampling::require_here() const {
  if (is_elsewhere())
    throw Error(
        fmt::format("the run goes on in process {}, which this one was forked from: wait for it there", process_));
}

bool Sampling::wait(double seconds) const {
  require_here();
  return end_.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
}

Draws Sampling::draws() const {
  try {
    return end_.get();
  } catch (const nanobind::python_error& failure) {
    // Whoever hands it to Python empties it, and it is shared by all who wait.
    const nanobind::gil_scoped_acquire lock;
    PyErr_SetRaisedException(failure.value().inc_ref().ptr());
    throw nanobind::python_error();
  }
}

std::vector<ChainProgress> Sampling::progress() const { return counter_->now(); }

Draws Sampling::so_far() const {
  require_here();
  if (!is_planned_) throw Error("the run is looking for starting points: wait until it is planned");
  return finished_so_far(*content_, counter_->result());
}

}  // namespace darboux::python
