#pragma once

#include <memory>
#include <string>

#include "model/logistic_data.hpp"
#include "model/logistic_shard.hpp"

/// A logistic regression whose rows lie with several processes: the first has the model and all that is made of it, and asks the others for
/// their part of each sum. They know nothing of chains; what may differ between processes, clocks and signals, decides nothing there.
namespace darboux {

/// Among the facts of the data: what tells a table from others that have the same name.
inline constexpr const char* fingerprint_key = "fingerprint";

/// What the first process of a group has while the others are in follow(): at the end of its life they are let go, whatever happened.
class Lead {
 public:
  explicit Lead(Group& group) : group_(group) {}
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;
  ~Lead();

  /// The regression of a table, a file or a pattern of files, of which each process reads a part. Its evaluators are used by one thread at a time;
  /// `threads` are for the rows of this process. Draws depend neither on processes nor on threads. Throws InputError as logistic_from_file
  /// does, for what any process finds. One model at a time.
  [[nodiscard]] std::shared_ptr<const Model> open_logistic(const std::string& data, const RegressionOptions& options,
                                                           int threads) const;
  /// What the others are to say should this process end without a word: it follows on what has happened.
  void leave_word(const std::string& words) const;
  [[nodiscard]] Group& group() const noexcept { return group_; }

 private:
  Group& group_;
};

/// What the other processes do, on so many threads: their part of what the first asks for, until it lets them go.
void follow(Group& group, int threads);

}  // namespace darboux
