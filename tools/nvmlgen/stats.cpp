#include "stats.hpp"

#include <fmt/format.h>

#include <map>

namespace nvmlgen {
namespace {

struct Counts {
  int read = 0;
  int code = 0;
  int unsupported = 0;
  int later = 0;
  int total() const { return read + code + unsupported + later; }
};

void count(Counts& counts, Answer answer) {
  switch (answer) {
    case Answer::read:
      ++counts.read;
      break;
    case Answer::code:
      ++counts.code;
      break;
    case Answer::unsupported:
      ++counts.unsupported;
      break;
    case Answer::later:
      ++counts.later;
      break;
  }
}

}  // namespace

std::string stats_text(const Registry& registry) {
  Counts all;
  std::map<std::string, Counts> groups;
  std::map<std::string, int> waiting;
  int declared = 0;
  int manual = 0;
  int provisional = 0;
  for (const auto& function : registry.facts.functions) {
    const auto& entry = registry.semantics.functions.at(function.name);
    declared += !function.library_only;
    manual += entry.call == Protocol::manual;
    provisional += !entry.provisional.empty();
    count(all, entry.sim.answer);
    count(groups[entry.file], entry.sim.answer);
    if (entry.sim.answer == Answer::later) ++waiting[entry.sim.reason];
  }
  int unread = 0;
  int inert = 0;
  int fields = 0;
  for (const auto& leaf : registry.model.leaves()) {
    ++fields;
    unread += leaf.field->visibility == Visibility::later;
    inert += leaf.field->visibility == Visibility::inert;
  }
  int field_ids_later = 0;
  for (const auto& id : registry.field_ids.ids) field_ids_later += !id.later.empty();

  std::string out;
  const auto line = [&](const std::string& what, int n) { out += fmt::format("{:<44}{:>5}\n", what, n); };
  line("functions", all.total());
  line("  declared by header " + registry.facts.newest_header, declared);
  line("  exported by drivers, declared nowhere", all.total() - declared);
  line("simulated", all.read + all.code);
  line("  generated, reads the model", all.read);
  line("  plain C++ behind generated checks", all.code);
  line("unsupported by nature", all.unsupported);
  line("not simulated yet", all.later);
  line("provisional, without a method", provisional);
  line("irregular, wrapper by hand in the bindings", manual);
  std::map<cuda::Answer, int> answers;
  for (const auto& function : registry.cuda.functions) ++answers[registry.cuda.meaning(function).answer];
  line("functions of the CUDA driver", static_cast<int>(registry.cuda.functions.size()));
  line("  simulated", answers[cuda::Answer::code]);
  line("  refused for good", answers[cuda::Answer::refused]);
  line("  not simulated yet", answers[cuda::Answer::later]);
  line("model fields", fields);
  line("  not read yet", unread);
  line("  read by no function of NVML", inert);
  line("field ids", static_cast<int>(registry.field_ids.ids.size()));
  line("  not simulated yet", field_ids_later);

  out +=
      fmt::format("\n{:<16}{:>6}{:>6}{:>6}{:>13}{:>9}\n", "subject", "all", "read", "code", "unsupported", "not yet");
  for (const auto& [name, c] : groups)
    out += fmt::format("{:<16}{:>6}{:>6}{:>6}{:>13}{:>9}\n", name, c.total(), c.read, c.code, c.unsupported, c.later);
  out += "\nnot simulated yet, by what they arrive with\n";
  for (const auto& [reason, n] : waiting) line("  " + reason, n);
  return out;
}

}  // namespace nvmlgen
