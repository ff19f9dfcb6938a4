#include "cluster/framed_group.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "support/expect.hpp"

namespace darboux {
namespace {

/// A process that says this at the head of its first frame, whatever the other one gives.
class Stranger final : public Carrier {
 public:
  Stranger(std::int64_t state, std::int64_t bytes) : state_(state), bytes_(bytes) {}
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 2; }
  void exchange(const void* mine, std::span<const int> blocks, void* all) override {
    const std::size_t own = 8 * static_cast<std::size_t>(blocks[0]), others = 8 * static_cast<std::size_t>(blocks[1]);
    auto* const theirs = static_cast<char*>(all) + own;
    std::memcpy(all, mine, own);
    std::memset(theirs, 0, others);
    std::memcpy(theirs, &state_, sizeof state_);
    std::memcpy(theirs + sizeof state_, &bytes_, sizeof bytes_);
  }
  [[nodiscard]] std::string describe(int rank) const override { return "rank " + std::to_string(rank); }

 private:
  std::int64_t state_, bytes_;
};

struct Head {
  std::int64_t state, bytes;
};

/// A launcher may start another version of the program on another machine.
TEST(FramedGroup, RefusesWhatAnotherProgramSays) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const auto& [state, bytes] : {Head{0, -1}, Head{0, most}, Head{3, 0}, Head{-1, 8}}) {
    FramedGroup group(std::make_unique<Stranger>(state, bytes));
    const std::string said = testing::message_of<PeerFailure>([&] { (void)group.gather("mine"); });
    EXPECT_TRUE(testing::mentions(said, {"rank 1", "the same version"}));
    EXPECT_THROW((void)group.gather("mine"), PeerFailure) << "there is nothing to be said to it any more";
    group.leave();
  }
  FramedGroup group(std::make_unique<Stranger>(0, 0));
  EXPECT_EQ(group.gather("mine"), (std::vector<std::string>{"mine", ""}));
}

}  // namespace
}  // namespace darboux
