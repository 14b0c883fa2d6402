#include "recording/report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/problem/text.hpp"

namespace nvmlkit::recording {
namespace {

std::string percent_words(double share) {
  std::array<char, 32> out{};
  const double percent = share * 100;
  const int digits = percent == 0 || percent >= 10 ? 0 : 2;
  const auto end = std::to_chars(out.data(), out.data() + out.size(), percent, std::chars_format::fixed, digits);
  return std::string(out.data(), end.ptr) + " %";
}

std::string count_words(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

void append_name(std::string& list, std::string_view name) {
  list += list.empty() ? "" : ", ";
  list += name;
}

}  // namespace

std::string number_words(double number) {
  std::array<char, 32> out{};
  const auto end = std::to_chars(out.data(), out.data() + out.size(), number);
  return {out.data(), end.ptr};
}

std::string time_words(std::int64_t ms) {
  std::string out;
  const auto add = [&](std::int64_t unit_ms, const char* unit) {
    if (ms < unit_ms) return;
    out += std::to_string(ms / unit_ms) + unit;
    ms %= unit_ms;
  };
  add(3'600'000, "h");
  add(60'000, "m");
  if (ms % 1000 == 0 && (ms != 0 || out.empty()))
    out += std::to_string(ms / 1000) + "s";
  else if (ms != 0)
    out += number_words(static_cast<double>(ms) / 1000) + "s";
  return out;
}

std::vector<std::string> describe(const Recording& recording, const Timeline& timeline) {
  std::set<Quantity> quantities;
  std::set<std::size_t> gpus;
  for (const auto& value : timeline.values()) {
    quantities.insert(value.quantity);
    gpus.insert(value.place);
  }
  const auto frames = timeline.frames();
  std::uint64_t xids = 0;
  for (const auto& frame : frames) xids += frame.xids.size();
  std::string names;
  for (const auto quantity : quantities) append_name(names, name_of(quantity));
  std::vector<std::string> out;
  out.push_back(count_words(std::max(gpus.size(), recording.gpus.size()), "GPU") + ", " +
                count_words(timeline.values().size(), "value") + " at " + count_words(frames.size(), "time") +
                " over " + time_words(timeline.duration_ms()));
  if (!names.empty()) out.push_back("recorded: " + names);
  if (xids != 0) out.push_back("Xids in kernel logs: " + std::to_string(xids));
  return out;
}

std::vector<std::string> summary_of(const Recording& recording, const Drive& drive) {
  std::vector<std::string> out;
  std::string left;
  for (const auto& [quantity, fate] : drive.fates()) {
    const bool set = row_of(quantity).way == Way::setting || row_of(quantity).way == Way::total;
    if (fate.values > fate.refused && fate.pinned == 0 && !set && quantity != Quantity::xid)
      append_name(left, name_of(quantity));
  }
  if (!left.empty()) out.push_back("given by the physics: " + left);
  for (const auto& [quantity, fate] : drive.fates())
    if (fate.pinned != 0)
      out.push_back("pinned: " + std::string(name_of(quantity)) + ", " + std::to_string(fate.pinned) + " of " +
                    count_words(fate.values, "value") + ", " + time_words(fate.pinned_ms) + " of " +
                    time_words(fate.driven_ms) + " of all GPUs");
  std::string set;
  for (const auto& [quantity, fate] : drive.fates()) {
    const auto way = row_of(quantity).way;
    if (fate.values > fate.refused && (way == Way::setting || way == Way::total)) append_name(set, name_of(quantity));
    if (fate.refused != 0)
      out.push_back("left out: " + std::string(name_of(quantity)) + ", " + count_words(fate.refused, "value") + ": " +
                    sim::text_of(*fate.refusal));
  }
  if (!set.empty()) out.push_back("set: " + set);
  if (drive.xids() != 0) out.push_back("Xids raised: " + std::to_string(drive.xids()));
  if (drive.xid_refusal()) out.push_back("an Xid could not be raised: " + sim::text_of(*drive.xid_refusal()));
  std::string names;
  for (const auto& [name, count] : recording.not_replayed)
    append_name(names, name + " (" + std::to_string(count) + ")");
  if (!names.empty()) out.push_back("no field of a machine: " + names);
  return out;
}

std::vector<std::string> summary_of(const Check& check) {
  std::vector<std::string> out;
  std::uint64_t values = 0, off = 0, away = 0;
  double worst = 0;
  for (const auto& [quantity, held] : check.held()) {
    values += held.values;
    off += held.off;
    away += held.out_of_reach;
    worst = std::max(worst, held.worst);
    if (held.off != 0)
      out.push_back("off: " + std::string(name_of(quantity)) + ", " + std::to_string(held.off) + " of " +
                    count_words(held.values, "value") + "; " + held.first_off);
  }
  if (away != 0) out.push_back("of GPUs out of reach, which show nothing: " + count_words(away, "value"));
  out.push_back("check: " + count_words(values - away, "value") + " read back, " + std::to_string(off) +
                " off by more than 1 %, the largest difference " + percent_words(worst));
  return out;
}

nlohmann::ordered_json as_json(const Recording& recording, const Timeline& timeline, const Drive& drive,
                               const Check* check) {
  nlohmann::ordered_json out = {{"gpus", recording.gpus.size()},
                                {"values", timeline.values().size()},
                                {"duration_s", static_cast<double>(timeline.duration_ms()) / 1000},
                                {"xids", drive.xids()},
                                {"fields", nlohmann::ordered_json::array()},
                                {"no_field", recording.not_replayed}};
  for (const auto& [quantity, fate] : drive.fates()) {
    nlohmann::ordered_json field = {{"field", name_of(quantity)},
                                    {"values", fate.values},
                                    {"pinned", fate.pinned},
                                    {"pinned_s", static_cast<double>(fate.pinned_ms) / 1000},
                                    {"driven_s", static_cast<double>(fate.driven_ms) / 1000},
                                    {"left_out", fate.refused}};
    if (fate.refused != 0) field["why"] = sim::text_of(*fate.refusal);
    if (check != nullptr)
      if (const auto held = check->held().find(quantity); held != check->held().end()) {
        field["off"] = held->second.off;
        field["largest_difference"] = held->second.worst;
      }
    out["fields"].push_back(std::move(field));
  }
  if (check != nullptr) out["check"] = check->holds();
  return out;
}

}  // namespace nvmlkit::recording
