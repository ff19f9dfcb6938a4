#pragma once

namespace darboux {

/// Of a stretch, since its step size was about right.
struct Proposals {
  double count = 0.0, accepted = 0.0, hopeless = 0.0, refused = 0.0;

  Proposals& operator+=(const Proposals& more) {
    count += more.count;
    accepted += more.accepted;
    hopeless += more.hopeless;
    refused += more.refused;
    return *this;
  }
  /// Of those that were not refused.
  [[nodiscard]] double acceptance_of_others() const { return refused < count ? accepted / (count - refused) : 0.0; }
  [[nodiscard]] double hopeless_of_others() const {
    return refused < count ? (hopeless - refused) / (count - refused) : 0.0;
  }
  template <class Archive>
  void archive(Archive& fields) {
    fields(count, accepted, hopeless, refused);
  }
};

}  // namespace darboux
