#include "node/keeper.hpp"

#include <algorithm>
#include <utility>

#include "node/compare.hpp"

namespace nvmlkit::node {
namespace fs = std::filesystem;

namespace {

bool lost_a_file(const std::string& folder, const std::vector<std::string>& erased) {
  return std::any_of(erased.begin(), erased.end(), [&](const auto& path) { return path.starts_with(folder + '/'); });
}

}  // namespace

Keeper::Keeper(Folder& folder, root::Tree fixed, std::set<std::string> parts, std::set<std::string> others)
    : folder_(folder), fixed_(std::move(fixed)), parts_(std::move(parts)), others_(std::move(others)) {}

root::Tree Keeper::read(const root::Tree& wanted) const {
  auto parts = parts_;
  for (const auto& [path, entry] : wanted) parts.insert(path.substr(0, path.find('/')));
  return folder_.read(parts, others_, wanted);
}

std::vector<fs::filesystem_error> Keeper::keep(const root::Tree& moving, const std::function<void()>& between) {
  std::vector<fs::filesystem_error> problems;
  const auto attempt = [&](const auto& change) {
    try {
      change();
      return true;
    } catch (const fs::filesystem_error& error) {
      problems.push_back(error);
      return false;
    }
  };
  root::Tree all;
  if (!there_) {
    all = moving;
    all.insert(fixed_.begin(), fixed_.end());
    if (!attempt([&] { there_ = read(all); })) return problems;
  }
  const auto& wanted = all.empty() ? moving : all;
  const auto difference = compare(wanted, *there_);
  const auto made = [&](const std::string& path) { there_->insert_or_assign(path, wanted.at(path)); };
  for (auto& problem : folder_.put(difference.put, wanted, made)) problems.push_back(std::move(problem));
  attempt(between);
  for (const auto& path : difference.erase)
    if (attempt([&] { folder_.erase(path); })) there_->erase(path);
  // A folder goes with the last file in it, also one that has to be there.
  for (const auto* tree : {&wanted, &std::as_const(fixed_)})
    for (const auto& file : *tree)
      if (std::holds_alternative<root::Directory>(file.second) && lost_a_file(file.first, difference.erase))
        attempt([&] { folder_.put(file.first, file.second); });
  if (all.empty()) return problems;
  if (!problems.empty())
    there_.reset();
  else
    for (const auto& [path, entry] : fixed_) there_->erase(path);
  return problems;
}

void Keeper::remove() {
  for (const auto& path : compare({}, read(fixed_)).erase) folder_.erase(path);
  there_.reset();
}

}  // namespace nvmlkit::node
