#include "sim/problem/problem.hpp"

#include "sim/problem/names.hpp"

namespace nvmlkit::sim {

std::string Place::text() const {
  std::string out = named_by;
  if (!named_by.empty() && !file.empty()) out += ": ";
  out += file;
  if (file.empty() || line == 0) return out;
  out.append(":").append(std::to_string(line));
  if (column > 0) out.append(":").append(std::to_string(column));
  return out;
}

bool Owner::has_gpu(std::size_t index) const {
  return kind == Kind::all_gpus || (kind != Kind::machine && gpu == index);
}

Problem Problem::of_gpu(std::uint32_t gpu) && {
  owner = {Owner::Kind::gpu, gpu, 0};
  return std::move(*this);
}

Problem Problem::of_field(std::string_view path) && {
  field = path;
  return std::move(*this);
}

Problem Problem::of_item(std::string_view list, std::uint32_t item) && {
  field = list;
  part = {{item, {}}};
  return std::move(*this);
}

Problem Problem::at(Place where) && {
  place = std::move(where);
  return std::move(*this);
}

Problem wrong_value(Prose expected, Prose given) {
  return {.kind = ProblemKind::wrong_value, .expected = std::move(expected), .given = std::move(given)};
}

Problem missing(Prose expected) { return {.kind = ProblemKind::missing, .expected = std::move(expected)}; }

Problem contradiction(Prose what) { return {.kind = ProblemKind::contradiction, .what = std::move(what)}; }

Problem contradiction(Prose expected, Prose given) {
  return {.kind = ProblemKind::contradiction, .expected = std::move(expected), .given = std::move(given)};
}

Problem impossible(Prose what) { return {.kind = ProblemKind::impossible, .what = std::move(what)}; }

Problem unknown_name(std::string_view what, std::string_view given, std::span<const std::string_view> known) {
  Problem out{.kind = ProblemKind::unknown_name, .what = "unknown " + std::string(what) + " " + quote(given)};
  out.nearest = nearest(given, known);
  if (out.nearest.empty()) out.hint = valid_names(known);
  return out;
}

Problem unexpected_word(std::string_view word) {
  return {.kind = ProblemKind::unknown_name, .what = "unexpected " + quote(word)};
}

Problem unusable_file(std::string file, Prose why) {
  return {.kind = ProblemKind::unusable_file, .what = std::move(why), .place = {std::move(file), 0, 0}};
}

}  // namespace nvmlkit::sim
