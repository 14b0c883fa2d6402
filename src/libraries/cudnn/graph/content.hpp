// What a descriptor of the graph interface holds: attributes, checked against the rules of its kind.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::graph {

using Kind = cudnnBackendDescriptorType_t;
using Name = cudnnBackendAttributeName_t;
using AttributeType = cudnnBackendAttributeType_t;

struct Program;
struct Content;

struct Value {
  AttributeType type = CUDNN_TYPE_INT64;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;
  std::vector<std::shared_ptr<const Content>> children;  // of descriptors
};

// A tensor of a graph, when its descriptor is final.
struct TensorView {
  std::int64_t id = 0;
  dnn::Layout layout;
  bool is_virtual = false, is_by_value = false;
};

// Once final, it changes no more.
struct Content {
  Kind kind{};
  bool is_final = false;
  std::map<Name, Value> values;
  TensorView tensor;                       // of a tensor
  std::shared_ptr<const Program> program;  // of an operation graph

  bool has(Name name) const { return values.contains(name); }
  const Content* child(Name name) const {
    const auto at = values.find(name);
    return at == values.end() || at->second.children.empty() ? nullptr : at->second.children[0].get();
  }
  const TensorView* tensor_of(Name name) const {
    const Content* const found = child(name);
    return found ? &found->tensor : nullptr;
  }
  // The first element of an attribute, or `otherwise`.
  template <class T>
  T get(Name name, T otherwise = T{}) const {
    const auto at = values.find(name);
    if (at == values.end() || at->second.bytes.size() < sizeof(T)) return otherwise;
    T out;
    std::memcpy(&out, at->second.bytes.data(), sizeof out);
    return out;
  }
  // A number that is of float or double.
  double number(Name name, double otherwise) const;
  std::vector<std::int64_t> integers(Name name) const;
};

// Bytes of an element of an attribute.
std::size_t size_of(AttributeType type);

enum class Role { setting, input, output };

// An attribute of a kind of descriptor.
struct Rule {
  Kind kind;
  Name name;
  AttributeType type;
  std::int64_t least, most;  // elements; least 0: it may be left out
  Role role = Role::setting;
  bool is_number = false;  // float or double
};
const Rule* rule_of(Kind kind, Name name);
// Those of a kind: work(rule).
std::vector<const Rule*> rules_of(Kind kind);
bool is_kind(Kind kind);
bool is_operation(Kind kind);
const char* name_of(Kind kind);

cudnnStatus_t set(Content& content, Name name, AttributeType type, std::int64_t count, const void* elements);
cudnnStatus_t get(const Content& content, Name name, AttributeType type, std::int64_t requested, std::int64_t* count,
                  void* elements);
cudnnStatus_t finalize(Content& content);

}  // namespace nvmlkit::cudnn::graph
