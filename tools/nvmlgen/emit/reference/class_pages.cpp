// docs/reference/classes/*.md: a page per class of the bindings, with every method.
#include <map>
#include <set>
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/method.hpp"
#include "emit/bindings/text.hpp"
#include "emit/text/markdown.hpp"
#include "registry/names.hpp"

namespace nvmlgen {
namespace {

struct CFunction {
  const Function* function;
  const FunctionSemantics* meaning;
};

struct Entry {
  std::string name;
  std::string subject;
  std::vector<CFunction> functions;  // several where one method takes the place of all
  std::optional<Method> method;      // generated
  std::vector<const PublicMember*> by_hand;
};

struct Page {
  const PublicClass* declared = nullptr;
  std::vector<Entry> entries;               // in the order of nvml.h
  std::vector<const PublicMember*> others;  // of the bindings' own
};

constexpr const char* kFreeFunctions = "Free functions";
constexpr const char* kPlainTypes = "Plain types";

class Pages {
 public:
  Pages(const Registry& registry, const PublicHeaders& headers) : registry_(registry), headers_(headers) {
    for (const auto& function : registry.facts.functions) {
      const auto found = registry.semantics.functions.find(function.name);
      if (found != registry.semantics.functions.end()) place(function, found->second);
    }
    for (const auto& c : headers.classes) place_others(c.name, c.members);
    place_others(kFreeFunctions, headers.functions);
    place_others(kPlainTypes, headers.types);
    for (auto& [name, page] : pages) page.declared = headers.find(name);
  }

  std::map<std::string, Page> pages;

 private:
  void place(const Function& function, const FunctionSemantics& meaning) {
    if (!meaning.by_hand.empty()) return place_by_hand(function, meaning);
    if (meaning.on.empty()) return;
    auto method = method_for(registry_.facts, registry_.semantics, meaning);
    if (!method && !meaning.chained_by.empty()) return;
    const std::string name = method ? method->name : meaning.as.empty() ? function.name : meaning.as;
    pages[meaning.on].entries.push_back({name, meaning.file, {{&function, &meaning}}, std::move(method), {}});
  }

  void place_by_hand(const Function& function, const FunctionSemantics& meaning) {
    const auto colons = meaning.by_hand.find("::");
    const bool free = colons == std::string::npos;
    const std::string owner = free ? kFreeFunctions : meaning.by_hand.substr(0, colons);
    const std::string name = free ? meaning.by_hand : meaning.by_hand.substr(colons + 2);
    for (auto& e : pages[owner].entries)
      if (e.name == name && !e.method) return e.functions.push_back({&function, &meaning});
    Entry entry{name, meaning.file, {{&function, &meaning}}, {}, {}};
    if (free) {
      for (const auto& f : headers_.functions)
        if (f.name == name) entry.by_hand.push_back(&f);
    } else if (const PublicClass* c = headers_.find(owner)) {
      entry.by_hand = c->find(name);
    }
    pages[owner].entries.push_back(std::move(entry));
  }

  // What the page of a class lacks so far.
  void place_others(const std::string& owner, const std::vector<PublicMember>& members) {
    const auto page = pages.find(owner);
    std::set<std::string> known;
    if (page != pages.end())
      for (const auto& e : page->second.entries) known.insert(e.name);
    for (const auto& member : members)
      if (!known.count(member.name) && (member.name[0] != '~' || !member.c_functions.empty()))
        pages[owner].others.push_back(&member);
  }

  const Registry& registry_;
  const PublicHeaders& headers_;
};

std::string since(const Function* function) {
  return function && !function->first_seen.empty() ? " (since " + function->first_seen + ")" : "";
}

std::string c_functions(const Facts& facts, const Entry& e) {
  std::string out;
  for (const auto& [function, meaning] : e.functions) {
    out += (out.empty() ? "`" : ", `") + function->name + '`' + since(function);
    for (const auto& name : meaning->chain)
      if (name != function->name) out += ", `" + name + '`' + since(facts.function(name));
  }
  return out;
}

std::string needs(const CFunction& c) {
  std::string out;
  if (!c.meaning->since.empty()) out += " Needs " + c.meaning->since + " or newer.";
  if (c.meaning->root) out += " Needs root.";
  if (!c.meaning->restricted_by.empty()) out += " An administrator can restrict it to root.";
  if (c.function->deprecated) out += " Deprecated by NVIDIA.";
  return out.empty() ? out : out.substr(1);
}

std::string errors(const CFunction& c) {
  std::string out;
  for (const auto& code : c.function->returns)
    if (code != "NVML_SUCCESS") out += (out.empty() ? "`" : ", `") + lower_without("NVML_ERROR_", code) + '`';
  return out;
}

void write_by_hand(std::ostream& out, const PublicMember& member) {
  out << "```c++\n" << member.declaration << "\n```\n";
  if (!member.doc.empty()) out << '\n' << markdown(member.doc) << '\n';
}

void write_entry(std::ostream& out, const Registry& registry, const Entry& e) {
  const CFunction& first = e.functions.front();
  out << "\n### " << e.name << "\n\n";
  if (e.method) {
    out << "```c++\n" << e.method->nested;
    out << "Result<" << e.method->answer << "> " << e.name << '(' << e.method->parameters << ") const\n```\n\n";
  }
  if (!first.meaning->doc.empty()) out << markdown(first.meaning->doc) << "\n\n";
  std::string spelled = e.method ? e.method->answer + ' ' + e.method->parameters : "";
  for (const PublicMember* member : e.by_hand) {
    write_by_hand(out, *member);
    out << '\n';
    spelled += ' ' + member->declaration;
  }
  if (!first.meaning->provisional.empty()) out << "Provisional: " << markdown(first.meaning->provisional) << "\n\n";
  if (!e.method && e.by_hand.empty()) out << "No method: reached with `Library::call`.\n\n";
  out << "* C: " << c_functions(registry.facts, e) << '\n';
  if (const std::string text = needs(first); !text.empty()) out << "* " << text << '\n';
  if (const std::string text = errors(first); !text.empty()) out << "* Errors: " << text << '\n';
  if (const std::string text = value_links(registry.semantics.values, spelled); !text.empty())
    out << "* Values: " << text << '\n';
}

void write_other(std::ostream& out, const PublicMember& member) {
  out << "\n### " << member.name << "\n\n";
  write_by_hand(out, member);
  if (!member.c_functions.empty()) out << '\n';
  for (std::size_t i = 0; i < member.c_functions.size(); ++i)
    out << (i ? ", `" : "* C: `") << member.c_functions[i] << '`' << (i + 1 == member.c_functions.size() ? "\n" : "");
}

// `methods`: those of Device.
std::string text_of(const Registry& registry, const std::string& name, const Page& page,
                    const std::set<std::string>& methods) {
  std::ostringstream out;
  out << "<!-- Generated by nvmlgen from registry/ and the headers. Do not edit. -->\n# " << name << "\n\n";
  if (page.declared) {
    if (!page.declared->doc.empty()) out << markdown(page.declared->doc) << "\n\n";
    out << "`#include <nvmlkit/" << page.declared->header << ">`\n";
    if (name == "MigDevice") {
      out << "\nAs on [Device](device.md):";
      for (const auto& used : page.declared->used)
        if (methods.count(used)) out << " [" << used << "](device.md#" << used << ')';
      out << '\n';
    }
  } else {
    out << "What the bindings have beside classes, in the namespace `nvmlkit::nvml`.\n";
  }
  if (!page.others.empty()) out << "\n## Of the bindings\n";
  for (const PublicMember* member : page.others) write_other(out, *member);
  std::set<std::string> subjects;
  for (const auto& e : page.entries) subjects.insert(e.subject);
  for (const auto& subject : subjects) {
    out << "\n## " << subject << '\n';
    for (const auto& e : page.entries)
      if (e.subject == subject) write_entry(out, registry, e);
  }
  return out.str();
}

std::string first_sentence(const std::string& text) {
  const auto end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

}  // namespace

std::vector<ClassPage> emit_class_pages(const Registry& registry, const PublicHeaders& headers) {
  const Pages all(registry, headers);
  std::vector<ClassPage> pages;
  std::ostringstream index;
  index
      << "<!-- Generated by nvmlgen from registry/ and the headers. Do not edit. -->\n# Classes\n\n"
      << "One page per class of the bindings. By C name: [symbols](../symbols.md). What methods answer with and take: "
         "[values](../values.md).\n\n"
      << "| Class | What | Entries |\n|---|---|---|\n";
  std::set<std::string> methods;
  for (const auto& e : all.pages.at("Device").entries) methods.insert(e.name);
  for (const auto& [name, page] : all.pages) {
    const std::string file = page_file(name);
    pages.push_back({file, text_of(registry, name, page, methods)});
    index << "| [" << name << "](" << file << ".md) | "
          << (page.declared ? markdown(first_sentence(page.declared->doc)) : "") << " | "
          << page.entries.size() + page.others.size() << " |\n";
  }
  pages.push_back({"index", index.str()});
  return pages;
}

}  // namespace nvmlgen
