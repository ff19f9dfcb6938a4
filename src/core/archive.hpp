#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "darboux/core/error.hpp"

namespace darboux {

/// States as bytes, to the last bit. A type has one list of what it consists of, for both ways, as a member
///
///     template <class Archive> void archive(Archive& fields) { fields(count_, mean_); }
///
/// or, for a type that is not ours to change, as a function archive(fields, x) beside it. Bytes are those of this machine's
/// numbers; what they mean is up to who reads them: there are no names.
template <class Self>
class ArchiveOf {
 public:
  template <class... T>
  void operator()(T&... fields) {
    (field(fields), ...);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }

  template <class T>
  static constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

  template <class T>
  void field(T& x) {
    if constexpr (is_plain<T>)
      self().bytes(&x, sizeof(T));
    else if constexpr (requires { x.archive(self()); })
      x.archive(self());
    else
      archive(self(), x);
  }
  template <class T>
  void field(std::optional<T>& x) {
    bool is_there = x.has_value();
    field(is_there);
    if (!is_there) return x.reset();
    if (!x) x.emplace();
    field(*x);
  }
  void field(std::string& x) {
    x.resize(self().count(x.size(), 1));
    self().bytes(x.data(), x.size());
  }
  template <class T, class Allocator>
  void field(std::vector<T, Allocator>& x) {
    x.resize(self().count(x.size(), is_plain<T> ? sizeof(T) : 1));
    if constexpr (is_plain<T>)
      self().bytes(x.data(), x.size() * sizeof(T));
    else
      for (T& entry : x) field(entry);
  }
};

class ArchiveWriter : public ArchiveOf<ArchiveWriter> {
 public:
  static constexpr bool reads = false;
  [[nodiscard]] std::string take() { return std::move(written_); }
  /// What another writer wrote.
  void append(std::string_view written) { written_ += written; }

 private:
  friend ArchiveOf<ArchiveWriter>;
  void bytes(const void* from, std::size_t size) { written_.append(static_cast<const char*>(from), size); }
  std::size_t count(std::size_t entries, std::size_t /*size*/) {
    const std::uint64_t n = entries;
    bytes(&n, sizeof n);
    return entries;
  }

  std::string written_;
};

/// Throws Error where there are fewer bytes than fields.
class ArchiveReader : public ArchiveOf<ArchiveReader> {
 public:
  static constexpr bool reads = true;
  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}
  /// Throws Error unless all was read.
  void require_end() const {
    if (!rest_.empty()) throw Error("there is more of it than there should be");
  }

 private:
  friend ArchiveOf<ArchiveReader>;
  void bytes(void* to, std::size_t size) {
    if (size > rest_.size()) throw Error("it ends too early");
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::size_t count(std::size_t /*entries*/, std::size_t size) {
    std::uint64_t n = 0;
    bytes(&n, sizeof n);
    if (n > rest_.size() / size) throw Error("it ends too early");
    return n;
  }

  std::string_view rest_;
};

template <class State>
[[nodiscard]] std::string bytes_of(State& state) {
  ArchiveWriter writer;
  writer(state);
  return writer.take();
}

template <class State>
void read_bytes(std::string_view bytes, State& state) {
  ArchiveReader reader(bytes);
  reader(state);
  reader.require_end();
}

}  // namespace darboux
