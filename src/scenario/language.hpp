// A scenario as its file has it: steps at times, on chosen GPUs of chosen nodes. read.hpp makes it, plan.hpp decides
// what of it concerns one machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenario/condition.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::scenario {

// Which GPUs. Draws depend on the seed, the node and `key`.
struct GpuChoice {
  std::vector<std::string> named = {"all"};  // what follows `gpu=`; drawn from these
  std::optional<std::uint32_t> count;        // so many of them
  std::optional<double> fraction;            // or such a part of them
  std::string group;                         // the GPUs of this group instead
  std::string key;
  sim::Place place;
};

// Which nodes: those that match all of it.
struct NodeChoice {
  std::vector<std::string> names;                           // with * and ?; one has to match
  std::vector<std::pair<std::string, std::string>> labels;  // values with * and ?; all have to match
  std::vector<std::string> pools;                           // with * and ?; one has to match
  std::optional<double> fraction;                           // of all nodes, by their names
};

// A command without the word `nvmlkit`.
struct Line {
  std::vector<std::string> words;
  bool names_target = false;   // else the GPUs of the step are to be put behind the verb
  std::size_t verb_words = 1;  // 2: mig create, process start
  std::string text;
  sim::Place place;
};

struct Step {
  std::string name;  // empty: none
  sim::Place place;
  bool after = false;  // the times below count from the end of the step before, else from the beginning
  double earliest_s = 0, latest_s = 0;  // a time between them is drawn
  std::optional<double> every_s;
  std::optional<std::uint32_t> rounds;  // without it, and with `every_s`, without end
  std::optional<double> chance;
  std::optional<Condition> only_if, when;
  std::optional<GpuChoice> gpus;
  std::optional<NodeChoice> nodes;
  std::vector<Line> lines;
  std::string from;     // a recording, whose workload is to stand in place of the step
  bool one_of = false;  // of the lines
  std::vector<Condition> expect;
  std::optional<double> within_s;
  std::optional<double> hold_s;  // then what the lines did is taken back

  bool endless() const { return every_s && !rounds; }
};

struct Scenario {
  std::string file;  // what messages call it
  std::string name;  // of the file where it has none
  std::string description;
  std::string seed;  // the name where it has none
  bool undo = true;
  std::optional<double> end_s;
  GpuChoice gpus;
  NodeChoice nodes;
  std::map<std::string, GpuChoice> groups;
  std::vector<Step> steps;
};

// What a step is called where it has no name: "step 3".
std::string title_of(const Step& step, std::size_t index);

}  // namespace nvmlkit::scenario
