#include <algorithm>
#include <iterator>

#include "scenario/condition.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/problem/names.hpp"
#include "sim/steering/paths.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::scenario {
namespace {

using namespace sim;

struct Operator {
  std::string_view word;
  Comparison comparison;
};
// Longer ones first.
constexpr Operator kOperators[] = {
    {"<=", Comparison::at_most}, {">=", Comparison::at_least}, {"==", Comparison::equal}, {"!=", Comparison::different},
    {"<", Comparison::less},     {">", Comparison::greater},   {"=", Comparison::equal}};
constexpr const char* kExample = "a condition such as gpu=0 thermal.gpu > 85";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

// Takes the first word away.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(" \t"), text.size());
  const auto word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

// [any] [gpu=0 | gpu 0] in front.
void take_gpus(std::string_view& text, Condition& out) {
  auto rest = text;
  if (take_word(rest) == "any") {
    out.any = true;
    text = rest;
  } else {
    rest = text;
  }
  const auto word = take_word(rest);
  if (word.starts_with("gpu=")) {
    out.gpus = word;
  } else if (word == "gpu") {
    out.gpus = "gpu=" + std::string(take_word(rest));
  } else {
    return;
  }
  text = rest;
}

const Operator* find_operator(std::string_view text, std::size_t& at) {
  at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) return nullptr;
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const auto& each) { return text.substr(at).starts_with(each.word); });
  return found == std::end(kOperators) ? nullptr : found;
}

bool is_ordered(Comparison comparison) {
  return comparison != Comparison::equal && comparison != Comparison::different;
}

bool is_number(model::Type type) {
  using model::Type;
  return type == Type::u32 || type == Type::u64 || type == Type::i32 || type == Type::i64 || type == Type::f64 ||
         type == Type::hex32 || type == Type::hex64;
}

// Is the value one that the field can have?
Expected<void> check_value(const Condition& condition, const model::FieldDescriptor& field) {
  if (!field.scalar() || field.type == model::Type::native)
    return fail(wrong_value("a field with one value", quote(condition.field)));
  if (condition.value == "N/A" && !is_ordered(condition.comparison)) return {};
  if (is_number(field.type)) {
    if (condition.number) return {};
    return fail(wrong_value("a number to compare " + std::string(field.name()) + " with", quote(condition.value)));
  }
  if (is_ordered(condition.comparison))
    return fail(wrong_value("== or != for " + std::string(field.name()) + ", which is no number"));
  if (field.type == model::Type::string) return {};
  std::vector<std::byte> value(std::max<std::size_t>(field.value_size, 16));
  return text::parse_scalar({condition.value, true}, field, value.data());
}

}  // namespace

Expected<Condition> parse_condition(std::string_view given) {
  Condition out;
  out.text = trimmed(given);
  std::string_view text = out.text;
  take_gpus(text, out);
  std::size_t at = 0;
  const auto* found = find_operator(text, at);
  if (found == nullptr) return fail(wrong_value(kExample, quote(given)));
  out.comparison = found->comparison;
  const auto field = trimmed(text.substr(0, at));
  out.field = steering::full_path(field);
  out.value = trimmed(text.substr(at + found->word.size()));
  if (out.value.size() > 1 && (out.value.front() == '"' || out.value.front() == '\'') &&
      out.value.front() == out.value.back())
    out.value = out.value.substr(1, out.value.size() - 2);
  if (field.empty() || out.value.empty() || field.find_first_of(" \t") != std::string_view::npos)
    return fail(wrong_value(kExample, quote(given)));
  out.number = sim::text::number_of<double>(out.value);
  if (out.field == kFaultField) {
    if (is_ordered(out.comparison)) return fail(wrong_value("== or != for fault, which is no number"));
    return out;
  }
  if (is_count(out.field)) {
    if (!out.number) return fail(wrong_value("a number to compare " + out.field + " with", quote(out.value)));
    return out;
  }
  const auto located = sim::text::locate(model::descriptor<model::Gpu>(), out.field);
  if (!located) return fail(located.error());
  if (auto good = check_value(out, *located->field); !good) return fail(std::move(good.error()));
  return out;
}

}  // namespace nvmlkit::scenario
