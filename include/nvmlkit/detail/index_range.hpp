// The common part of ranges whose elements are made from an index at each access.
#pragma once

#include <cstddef>
#include <iterator>
#include <nvmlkit/session.hpp>

namespace nvmlkit::nvml::detail {

template <class Range, class Element>
class IndexIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Element;

  IndexIterator() = default;
  IndexIterator(const Range* range, unsigned int index) noexcept : range_(range), index_(index) {}
  Element operator*() const { return (*range_)[index_]; }
  IndexIterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  IndexIterator operator++(int) noexcept {
    IndexIterator before = *this;
    ++index_;
    return before;
  }
  bool operator==(const IndexIterator& other) const noexcept { return index_ == other.index_; }

 private:
  const Range* range_ = nullptr;
  unsigned int index_ = 0;
};

// The base of such a range, which brings operator[](unsigned int).
template <class Range, class Element>
class IndexRange {
 public:
  using iterator = IndexIterator<Range, Element>;

  unsigned int size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  iterator begin() const noexcept { return {static_cast<const Range*>(this), 0}; }
  iterator end() const noexcept { return {static_cast<const Range*>(this), count_}; }

 protected:
  IndexRange(SessionPtr session, unsigned int count) noexcept : session_(std::move(session)), count_(count) {}

  SessionPtr session_;

 private:
  unsigned int count_;
};

}  // namespace nvmlkit::nvml::detail
