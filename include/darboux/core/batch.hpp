#pragma once

// Views of numbers for many chains at once: coordinate j of all chains is one contiguous run.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "darboux/core/export.hpp"

namespace darboux {

using Index = std::ptrdiff_t;
/// An index as the standard library counts.
[[nodiscard]] constexpr std::size_t at(Index i) noexcept { return static_cast<std::size_t>(i); }

constexpr std::size_t cache_line = 64;  // bytes

/// A view of m chains ("lanes") of some dimension. Coordinate j of all chains is one contiguous run, so that small models
/// vectorise over chains and dense ones become matrix products: element (j, lane) is data[j * stride + lane].
template <class T>
class BasicBatch {
 public:
  BasicBatch() = default;
  BasicBatch(T* data, Index rows, Index lanes, Index stride) noexcept
      : data_(data), rows_(rows), lanes_(lanes), stride_(stride) {}

  /// A Batch is also a ConstBatch.
  template <class U>
    requires(std::is_same_v<T, const U>)
  BasicBatch(const BasicBatch<U>& other) noexcept  // NOLINT(google-explicit-constructor): as T* to const T*
      : data_(other.row(0)), rows_(other.rows()), lanes_(other.lanes()), stride_(other.stride()) {}

  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index lanes() const noexcept { return lanes_; }
  [[nodiscard]] Index stride() const noexcept { return stride_; }
  [[nodiscard]] bool empty() const noexcept { return rows_ == 0 || lanes_ == 0; }

  [[nodiscard]] T* row(Index j) const noexcept { return data_ + j * stride_; }
  T& operator()(Index j, Index lane) const noexcept { return data_[j * stride_ + lane]; }

  /// The rows first, …, first + count − 1: half of a stacked (q, p), for instance.
  [[nodiscard]] BasicBatch middle_rows(Index first, Index count) const noexcept {
    return {row(first), count, lanes_, stride_};
  }

 private:
  T* data_ = nullptr;
  Index rows_ = 0;
  Index lanes_ = 0;
  Index stride_ = 0;
};

using Batch = BasicBatch<double>;
using ConstBatch = BasicBatch<const double>;

/// Memory in whole cache lines, for whole-vector loads.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{cache_line};
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor): allocator rebind
  T* allocate(std::size_t n) {
    const std::size_t lines = (n * sizeof(T) + cache_line - 1) / cache_line;
    return static_cast<T*>(::operator new(lines * cache_line, alignment));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, alignment); }
  bool operator==(const CacheLineAllocator&) const noexcept { return true; }
};

/// Something of every lane, or what else a block of lanes writes often, on cache lines of its own: threads that work on
/// different blocks would wait for each other's writes to a line that they share.
template <class T>
using LaneVector = std::vector<T, CacheLineAllocator<T>>;

/// A batch that owns its numbers, all zero at first. Rows are padded to whole cache lines.
class OwnedBatch {
 public:
  OwnedBatch() = default;
  OwnedBatch(Index rows, Index lanes)
      : rows_(rows),
        lanes_(lanes),
        stride_((lanes + 7) / 8 * 8),
        data_(static_cast<std::size_t>(rows * stride_), 0.0) {}

  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index lanes() const noexcept { return lanes_; }
  [[nodiscard]] bool empty() const noexcept { return data_.empty(); }

  [[nodiscard]] Batch view() noexcept { return {data_.data(), rows_, lanes_, stride_}; }
  [[nodiscard]] ConstBatch view() const noexcept { return {data_.data(), rows_, lanes_, stride_}; }
  operator Batch() noexcept { return view(); }             // NOLINT(google-explicit-constructor): a batch is its view
  operator ConstBatch() const noexcept { return view(); }  // NOLINT(google-explicit-constructor)

  double& operator()(Index j, Index lane) noexcept { return data_[static_cast<std::size_t>(j * stride_ + lane)]; }
  double operator()(Index j, Index lane) const noexcept { return data_[static_cast<std::size_t>(j * stride_ + lane)]; }

 private:
  Index rows_ = 0;
  Index lanes_ = 0;
  Index stride_ = 0;
  LaneVector<double> data_;
};

/// to = from, all lanes.
DARBOUX_API void copy(ConstBatch from, Batch to);

/// One flag per lane: whether it takes part. An empty mask means that all do.
using LaneMask = std::span<const std::uint8_t>;

[[nodiscard]] inline bool is_on(LaneMask mask, Index lane) noexcept {
  return mask.empty() || mask[static_cast<std::size_t>(lane)] != 0;
}

}  // namespace darboux
