#include "cluster/framed_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// Gives up the second exchange, as where a process has ended meanwhile, and remembers what it was about.
class Unfinished final : public Carrier {
 public:
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }
  void exchange(const void* mine, std::span<const int> blocks, void* all) override {
    const std::size_t bytes = 8 * static_cast<std::size_t>(blocks.front());
    if (is_begun_) {
      own = {static_cast<const char*>(mine), bytes};
      received = {static_cast<char*>(all), bytes};
      throw PeerFailure("rank 1 has ended");
    }
    is_begun_ = true;
    std::memcpy(all, mine, bytes);
  }
  [[nodiscard]] std::string describe(int rank) const override { return "rank " + std::to_string(rank); }

  std::span<const char> own{};
  std::span<char> received{};

 private:
  bool is_begun_ = false;
};

/// A network that carries by itself reads and writes late.
TEST(FramedGroup, KeepsWhatAnUnfinishedExchangeUses) {
  for (const bool of_numbers : {false, true}) {
    auto carrier = std::make_unique<Unfinished>();
    const Unfinished& unfinished = *carrier;
    FramedGroup group(std::move(carrier));
    std::vector<double> mine(100, 0.5);
    const std::vector<double> given = mine;
    const std::string_view bytes(reinterpret_cast<const char*>(mine.data()), 8 * mine.size());
    const std::vector<Index> counts{std::ssize(mine)};
    if (of_numbers)
      EXPECT_THROW((void)group.gather(mine, counts), PeerFailure);
    else
      EXPECT_THROW((void)group.gather(bytes), PeerFailure);
    mine.assign(mine.size(), 2.0);  // which the caller has for other things now
    group.leave();
    ASSERT_EQ(unfinished.own.size(), bytes.size());
    EXPECT_EQ(std::memcmp(unfinished.own.data(), given.data(), bytes.size()), 0);
    std::ranges::fill(unfinished.received, 'x');  // which AddressSanitizer looks at
  }
}

}  // namespace
}  // namespace darboux
