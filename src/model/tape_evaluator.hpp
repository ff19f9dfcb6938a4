#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "darboux/model/model.hpp"
#include "darboux/model/recorded.hpp"
#include "model/tape.hpp"

namespace darboux {

/// The tapes that the evaluators of a model have recorded, the latest first. There is one for each path through the function that
/// was taken lately, so that a function without branches is recorded once. Evaluators share them.
class TapeLibrary {
 public:
  using Tapes = std::vector<std::shared_ptr<const Tape>>;
  static constexpr std::size_t most = 4;

  [[nodiscard]] Tapes all() const;
  void add(std::shared_ptr<const Tape> tape);

 private:
  mutable std::mutex mutex_;
  Tapes tapes_;
};

/// Whether the library has room for all paths that a function takes at the origin and at eight points near it. Where it has not,
/// every point would have to be recorded anew. Depends on the function alone. The tapes found are added to the library.
[[nodiscard]] bool keeps_to_few_paths(Index dim, const RecordableFunction& f, TapeLibrary& library);

/// Log density and gradient of a recorded function: the tape forwards, then backwards, for groups of lanes. A lane whose
/// comparisons come out otherwise than on one tape tries the others, and has its own recorded where none suits: its numbers are
/// those of the tape of its own path, whatever was there before. A point with a coordinate that is not finite has NaN. An
/// evaluator calls a copy of f of its own, which it makes when it has to record.
[[nodiscard]] std::unique_ptr<Evaluator> make_tape_evaluator(Index dim, std::shared_ptr<const RecordableFunction> f,
                                                             std::shared_ptr<TapeLibrary> library);

}  // namespace darboux
