/// Evaluators own their memory: after the first block they allocate nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "model_cases.hpp"

namespace {
std::atomic<long> allocations{0};

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace darboux::testing {
namespace {

TEST(Allocation, NoneAfterTheFirstBlock) {
  for (const ModelCase& which : model_cases()) {
    const Index dim = which.model->dim();
    const OwnedBatch q(dim, 16);
    OwnedBatch gradient(dim, 16);
    std::vector<double> log_density(16);
    std::vector<Status> status(16);
    const auto evaluator = which.model->make_evaluator();
    const auto evaluate = [&](Index lanes, bool with_gradient) {
      const auto size = static_cast<std::size_t>(lanes);
      evaluator->evaluate(
          {.q = {q.view().row(0), dim, lanes, 16}, .active = {}, .value = true, .gradient = with_gradient},
          {.log_density = {log_density.data(), size},
           .gradient = {gradient.view().row(0), dim, lanes, 16},
           .status = {status.data(), size}});
    };
    evaluate(16, true);
    evaluate(16, false);
    const long before = allocations;
    for (int repetition = 0; repetition < 3; ++repetition)
      for (const Index lanes : {16, 3, 1}) {
        evaluate(lanes, true);
        evaluate(lanes, false);
      }
    EXPECT_EQ(allocations, before) << which.name;
  }
  EXPECT_GT(allocations, 0) << "the counter is not in use";
}

}  // namespace
}  // namespace darboux::testing
