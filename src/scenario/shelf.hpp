// The scenarios of a folder, all running on one machine.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenario/memory.hpp"
#include "scenario/node.hpp"
#include "scenario/run.hpp"

namespace nvmlkit::scenario {

struct ShelfOptions {
  NodeIdentity node;
  std::filesystem::path memory;                      // the file in which the shelf remembers what was done
  std::function<void(const std::string&)> tell;      // what happened, a line each
  std::function<void(const std::string&)> complain;  // what is wrong, a line each
};

// A file and what became of it.
struct ShelfStatus {
  std::string file, scenario;
  std::string state;    // running, over or refused
  std::string problem;  // of one that is refused
  std::uint64_t counts[kOutcomes] = {};
  std::uint64_t pending = 0;  // steps that are not over
};

class Shelf {
 public:
  using Files = std::map<std::string, sim::Expected<std::string>>;  // names and contents

  // Continues what the memory says, once update() names the same files. The machine outlives the shelf.
  Shelf(const sim::Machine& machine, ShelfOptions options);

  // A new file begins; a changed one ends and begins anew; a file that is gone ends. An end takes back what was done,
  // unless the scenario has `undo: false`. A wrong file is refused; the one that was in its place before goes on.
  void update(const Files& files);

  // Does what is due.
  void advance();
  // How long, in real time, until advance() has something to do unless the machine changes; nothing: for ever.
  std::optional<std::chrono::milliseconds> next() const;

  std::vector<ShelfStatus> status() const;

 private:
  struct Entry {
    std::string hash;     // of the content that runs
    std::string refused;  // hash of a content that is wrong
    std::string problem;
    std::int64_t begin_ns = 0;
    std::unique_ptr<Run> run;  // null: nothing but wrong contents so far
  };

  void accept(const std::string& file, const sim::Expected<std::string>& text);
  void begin(const std::string& file, Entry& entry, const std::string& hash, Plan plan);
  void drop(const std::string& file, Entry& entry);
  void forget(const std::string& file);
  void remember();
  void show(const std::string& file, const Result& result);

  const sim::Machine& machine_;
  ShelfOptions options_;
  std::string machine_name_;
  Memory before_;  // of the program before, until update() knows the files
  std::map<std::string, Entry> entries_;
  std::string told_;  // the problem of the memory's file
};

}  // namespace nvmlkit::scenario
