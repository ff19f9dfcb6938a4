#include "model/sharded_logistic.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "checks.hpp"
#include "core/archive.hpp"
#include "core/parallel.hpp"
#include "darboux/core/error.hpp"
#include "io/checksum.hpp"
#include "model/logistic_findings.hpp"

namespace darboux {

template <class Archive>
void archive(Archive& fields, RegressionOptions& o) {
  fields(o.response, o.positive, o.columns, o.drop, o.category, o.reference, o.na, o.separator, o.decimal, o.intercept,
         o.prior_scale, o.prior_intercept, o.standardise);
}

namespace {

/// What the first process asks of the others.
struct Request {
  enum class What : std::uint8_t { open, sum, sum_in_single_precision, close, leave_word, let_go };
  What what{};
  // To open:
  PiecedTable table{};
  RegressionOptions options{};
  // Of sums:
  Index lanes = 0;
  bool value = false, gradient = false;
  std::vector<double> beta{};
  std::vector<float> single_beta{};
  std::string words{};

  template <class Archive>
  void archive(Archive& fields) {
    fields(what);
    if (what == What::open) fields(table, options);
    if (what == What::sum) fields(lanes, value, gradient, beta);
    if (what == What::sum_in_single_precision) fields(lanes, single_beta);
    if (what == What::leave_word) fields(words);
  }
};

}  // namespace

template <>
inline constexpr auto names_of<Request::What> =
    std::to_array<Named<Request::What>>({{Request::What::open, "open"},
                                         {Request::What::sum, "sum"},
                                         {Request::What::sum_in_single_precision, "sum in single precision"},
                                         {Request::What::close, "close"},
                                         {Request::What::leave_word, "leave word"},
                                         {Request::What::let_go, "let go"}});

namespace {

void tell(Group& group, Request request) {
  if (!group.is_alone()) (void)of_first(group, bytes_of(request));
}

/// For destructors: there may be nobody left to tell.
void tell_at_the_end(Group& group, Request::What what) noexcept {
  try {
    tell(group, {.what = what});
  } catch (...) {
    return;
  }
}

/// The model's hold on the others.
struct Connection {
  explicit Connection(std::shared_ptr<LogisticShard> all_rows) : rows(std::move(all_rows)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { tell_at_the_end(rows->group(), Request::What::close); }
  std::shared_ptr<LogisticShard> rows;
};

/// The rows of all processes, as evaluators ask for them.
class RowsOfAll final : public LogisticRows {
 public:
  explicit RowsOfAll(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  void sum(const LogisticTask<double>& task) override {
    tell(connection_->rows->group(), {.what = Request::What::sum,
                                      .lanes = static_cast<Index>(task.lanes),
                                      .value = task.log_likelihood != nullptr,
                                      .gradient = task.gradient != nullptr,
                                      .beta = {task.beta, task.beta + task.lanes * task.columns}});
    connection_->rows->sum(task);
  }
  void sum(const LogisticTask<float>& task) override {
    tell(connection_->rows->group(), {.what = Request::What::sum_in_single_precision,
                                      .lanes = static_cast<Index>(task.lanes),
                                      .single_beta = {task.beta, task.beta + task.lanes * task.columns}});
    connection_->rows->sum(task);
  }

 private:
  std::shared_ptr<Connection> connection_;
};

class ShardedLogistic final : public StandardisedRegression {
 public:
  ShardedLogistic(ShardedRegression opened, const RegressionOptions& options)
      : StandardisedRegression(std::move(opened.table), options, std::move(opened.moments)),
        connection_(std::make_shared<Connection>(std::move(opened.rows))),
        names_(coefficient_names(logistic_options(table(), options), std::ssize(table().predictors))),
        precisions_(prior_precisions(logistic_options(table(), options), dim())) {}

  [[nodiscard]] Index dim() const noexcept override { return std::ssize(names_); }
  /// All chains are one block: every sum waits for all processes.
  [[nodiscard]] ModelTraits traits() const noexcept override {
    constexpr Index all_chains = 1'000'000;
    return {.preferred_lanes = all_chains,
            .least_lanes = all_chains,
            .max_concurrency = 1,
            .log_concave = true,
            .start = StartMethod::uniform,
            .single_precision_gradients = true};
  }
  [[nodiscard]] std::vector<std::string> names() const override { return names_; }
  [[nodiscard]] std::vector<ModelFact> describe() const override {
    std::vector<ModelFact> facts = StandardisedRegression::describe();
    std::string bytes;
    for (const auto* numbers : {&moments().means, &moments().scales})
      bytes.append(reinterpret_cast<const char*>(numbers->data()), numbers->size() * sizeof(double));
    facts.front().value.set(fingerprint_key, fmt::format("{:08x}, {} rows, {} positive", checksum(bytes), table().rows,
                                                         table().outcome.positives));
    return facts;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> found = findings_of_facts(table());
    if (!table().predictors.empty())
      found.emplace_back("With --shard rows collinear predictors and separated outcomes are not looked for.");
    return found;
  }
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> q) const override {
    return draw_normal_prior(precisions_, key, q);
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override {
    return logistic_evaluator(std::make_unique<RowsOfAll>(connection_), precisions_);
  }

 private:
  std::shared_ptr<Connection> connection_;
  std::vector<std::string> names_;
  std::vector<double> precisions_;
};

/// A process that the first one asks.
class Follower {
 public:
  Follower(Group& group, int threads) : group_(group), threads_(threads) {}

  void follow() {
    with_last_words(group_, [this] { heed(); }, [this](std::string& message) { message += words_; });
  }

 private:
  void heed() {
    for (;;) {
      Request request;
      read_bytes(of_first(group_, {}), request);
      switch (request.what) {
        case Request::What::open: open(request); break;
        case Request::What::sum: sum(request, request.beta, doubles_); break;
        case Request::What::sum_in_single_precision: sum(request, request.single_beta, singles_); break;
        case Request::What::close: rows_.reset(); break;
        case Request::What::leave_word: words_ = request.words; break;
        case Request::What::let_go: return;
      }
    }
  }
  /// What is wrong is thrown in the first process as well, which tells it.
  void open(const Request& request) {
    try {
      rows_ = open_sharded(group_, request.table, request.options, threads_).rows;
    } catch (const PeerFailure&) {
      throw;
    } catch (const Error&) {
      rows_.reset();
    }
  }

  template <class Number>
  void sum(const Request& request, const std::vector<Number>& beta, std::vector<Number>& gradient) {
    const auto lanes = static_cast<std::size_t>(request.lanes);
    const bool is_double = std::is_same_v<Number, double>;
    gradient.resize(std::max(gradient.size(), beta.size()));
    values_.resize(std::max(values_.size(), lanes));
    rows_->sum(LogisticTask<Number>{.panels = nullptr,
                                    .signs = nullptr,
                                    .panel_count = 0,
                                    .columns = beta.size() / lanes,
                                    .lanes = lanes,
                                    .beta = beta.data(),
                                    .gradient = request.gradient || !is_double ? gradient.data() : nullptr,
                                    .log_likelihood = request.value ? values_.data() : nullptr,
                                    .scratch = nullptr});
  }

  Group& group_;
  int threads_;
  std::string words_ = nothing_is_lost;
  std::shared_ptr<LogisticShard> rows_;
  std::vector<double> doubles_, values_;
  std::vector<float> singles_;
};

}  // namespace

Lead::~Lead() { tell_at_the_end(group_, Request::What::let_go); }

std::shared_ptr<const Model> Lead::open_logistic(const std::string& data, const RegressionOptions& options,
                                                 int threads) const {
  check::positive("prior_scale", options.prior_scale);
  check::positive("prior_intercept", options.prior_intercept);
  const PiecedTable table = find_pieces(data, csv_options(data, options));
  (void)deal_pieces(table, group_.size());  // before the others are bothered
  tell(group_, {.what = Request::What::open, .table = table, .options = options});
  std::shared_ptr<const Model> model;
  with_last_words(
      group_,
      [&] { model = std::make_shared<ShardedLogistic>(open_sharded(group_, table, options, threads), options); },
      [](std::string& message) { message += nothing_is_lost; });
  return model;
}

void Lead::leave_word(const std::string& words) const {
  tell(group_, {.what = Request::What::leave_word, .words = words});
}

void follow(Group& group, int threads) { Follower(group, threads).follow(); }

}  // namespace darboux
