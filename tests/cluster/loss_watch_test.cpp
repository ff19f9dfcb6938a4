#include "cluster/loss_watch.hpp"

#include <gtest/gtest.h>

#include <future>
#include <optional>

#include "cluster/group.hpp"

namespace darboux {
namespace {

/// A group that somebody leaves when the test says so.
class Watched : public Group {
 public:
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 2; }
  [[nodiscard]] std::vector<std::string> gather(std::string_view) override { throw PeerFailure("rank 1 is gone"); }
  [[nodiscard]] std::span<double> gather(std::span<const double>, std::span<const Index>) override { return {}; }
  void fail(std::string_view) noexcept override {}
  void leave() noexcept override {}
  [[nodiscard]] std::string describe(int) const override { return ""; }
  [[nodiscard]] Traffic traffic() const noexcept override { return {}; }
  [[nodiscard]] LossWatch* watch() noexcept override { return &watch_; }

  void lose() { one_is_lost_ = true; }
  /// What this process says at its end, if it comes to one soon.
  [[nodiscard]] std::optional<std::string> end() {
    if (said_.wait_for(std::chrono::seconds(1)) != std::future_status::ready) return std::nullopt;
    return said_.get();
  }

 private:
  std::atomic<bool> one_is_lost_{false};
  std::promise<std::string> says_;
  std::future<std::string> said_ = says_.get_future();
  LossWatch watch_{[this] { return std::string(one_is_lost_ ? "rank 1 is gone" : ""); },
                   [this](const std::string& message) { says_.set_value(message); }};
};

TEST(LossWatches, EndAProcessThatIsApartAsAnExceptionWould) {
  Watched group;
  const AtLoss outer(group, [](std::string& message) { message += ", outer"; });
  const AtLoss inner(group, [](std::string& message) { message += ", inner"; });
  {
    const AtLoss over(group, [](std::string& message) { message += ", over"; });
  }
  const Apart apart(group);
  EXPECT_EQ(group.end(), std::nullopt) << "all are there";
  group.lose();
  EXPECT_EQ(group.end(), "rank 1 is gone, inner, outer");
}

TEST(LossWatches, SayWhatWentWrongAtTheEnd) {
  Watched group;
  const AtLoss outer(group, [](std::string& message) { message += ", outer"; });
  const AtLoss fails(group, [](std::string&) { throw Error("the disk is full"); });
  const Apart apart(group);
  group.lose();
  EXPECT_EQ(group.end(), "the disk is full, outer");
}

/// What it is about may be half done: it ends when it is apart again, unless it meets the others before, who are told to throw.
TEST(LossWatches, LetAProcessThatIsNotApartGoOn) {
  Watched group;
  {
    const Apart apart(group);
  }
  group.lose();
  EXPECT_EQ(group.end(), std::nullopt);
  EXPECT_TRUE(group.watch()->has_loss());
  EXPECT_EQ(group.watch()->loss(), "rank 1 is gone");
  const Apart apart(group);
  EXPECT_EQ(group.end(), "rank 1 is gone");
}

TEST(LossWatches, LastWordsAreSaidWhicheverWayALossIsLearned) {
  const auto then = [](std::string& message) { message += ": go on"; };
  Watched meets, computes;
  try {
    with_last_words(meets, [&] { meet(meets); }, then);
    FAIL() << "it went on";
  } catch (const PeerFailure& e) {
    EXPECT_STREQ(e.what(), "rank 1 is gone: go on");
  }
  with_last_words(
      computes,
      [&] {
        const Apart apart(computes);
        computes.lose();
        EXPECT_EQ(computes.end(), "rank 1 is gone: go on");
      },
      then);
}

}  // namespace
}  // namespace darboux
