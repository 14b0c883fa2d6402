#include "driver/trace/private_tables.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace nvmlkit::trace {
namespace {

constexpr std::size_t kMostWords = 8192;

struct Table {
  TableId id{};
  const void* const* inner = nullptr;
  std::vector<const void*>& outer = *new std::vector<const void*>();  // also after the exit handlers
  std::array<std::size_t, kMostSlots> functions{};

  std::uint32_t number() const {
    return static_cast<std::uint32_t>(id[0]) << 24 | static_cast<std::uint32_t>(id[1]) << 16 |
           static_cast<std::uint32_t>(id[2]) << 8 | id[3];
  }
};

// Written once each, before a program gets the table.
Table g_tables[kMostTables];
std::size_t g_table_count = 0;
std::mutex g_tables_mutex;

using SlotThunk = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

// More words than any slot takes: registers and memory of the caller that are passed on.
template <std::size_t table, std::size_t slot>
Word slot_thunk(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j) {
  const Word words[kSlotWords] = {a, b, c, d, e, f, g, h, i, j};
  const Table& own = g_tables[table];
  return on_slot({own.functions[slot], own.number(), static_cast<std::uint32_t>(slot), words,
                  own.inner ? own.inner[slot] : nullptr});
}

template <std::size_t table, std::size_t... slots>
constexpr std::array<SlotThunk, sizeof...(slots)> thunks_of(std::index_sequence<slots...>) {
  return {&slot_thunk<table, slots>...};
}

template <std::size_t... tables>
constexpr auto all_thunks(std::index_sequence<tables...>) {
  return std::array<std::array<SlotThunk, kMostSlots>, sizeof...(tables)>{
      thunks_of<tables>(std::make_index_sequence<kMostSlots>())...};
}

constexpr auto kThunks = all_thunks(std::make_index_sequence<kMostTables>());

// The first word of a table is its size in bytes.
std::size_t words_of(const void* table) {
  std::uintptr_t bytes = 0;
  std::memcpy(&bytes, table, sizeof bytes);
  const std::size_t words = bytes / sizeof(void*);
  return bytes % sizeof(void*) == 0 && words >= 1 && words <= kMostWords ? words : 0;
}

void find_functions(Table& table) {
  table.functions.fill(unknown_slot());
  for (std::size_t i = 0; i < private_slots().size(); ++i) {
    const PrivateSlot& slot = private_slots()[i];
    if (private_tables()[slot.table].id == table.id && slot.number < kMostSlots)
      table.functions[slot.number] = unknown_slot() - private_slots().size() + i;
  }
}

// With g_tables_mutex. Null where all places are taken.
Table* place_for(const TableId& id, bool& fresh) {
  for (std::size_t i = 0; i < g_table_count; ++i)
    if (g_tables[i].id == id) return &g_tables[i];
  if (g_table_count == kMostTables) return nullptr;
  fresh = true;
  Table& out = g_tables[g_table_count++];
  out.id = id;
  find_functions(out);
  return &out;
}

const void* thunk(const Table& table, std::size_t slot) {
  return reinterpret_cast<const void*>(kThunks[static_cast<std::size_t>(&table - g_tables)][slot]);
}

}  // namespace

void cut_values(const Shape& function, const Word* words, Word* out) noexcept {
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const Argument& argument = function.arguments[i];
    const bool narrow = argument.kind == ArgumentKind::value && argument.size != sizeof(Word);
    out[i] = narrow ? static_cast<std::uint32_t>(words[i]) : words[i];
  }
}

const void* wrap_table(const TableId& id, const void* inner) {
  const std::lock_guard lock(g_tables_mutex);
  const std::size_t words = words_of(inner);
  bool fresh = false;
  Table* table = words > 0 ? place_for(id, fresh) : nullptr;
  if (!table) return nullptr;
  if (!fresh) return table->inner == inner ? table->outer.data() : nullptr;
  table->inner = static_cast<const void* const*>(inner);
  table->outer.assign(table->inner, table->inner + words);
  for (std::size_t slot = 1; slot < std::min(words, kMostSlots); ++slot)
    if (table->outer[slot]) table->outer[slot] = thunk(*table, slot);
  return table->outer.data();
}

std::string describe_table(const void* inner) {
  const auto words = static_cast<std::uint32_t>(words_of(inner));
  std::string out(sizeof words + (words + 7) / 8, '\0');
  std::memcpy(out.data(), &words, sizeof words);
  for (std::uint32_t i = 1; i < words; ++i)
    if (static_cast<const void* const*>(inner)[i])
      out[sizeof words + i / 8] = static_cast<char>(out[sizeof words + i / 8] | 1 << i % 8);
  return out;
}

const void* make_table(const TableId& id, const std::string& description) {
  std::uint32_t words = 0;
  if (description.size() < sizeof words) return nullptr;
  std::memcpy(&words, description.data(), sizeof words);
  if (words < 1 || words > kMostWords || description.size() != sizeof words + (words + 7) / 8) return nullptr;
  const std::lock_guard lock(g_tables_mutex);
  bool fresh = false;
  Table* table = place_for(id, fresh);
  if (!table || !fresh) return table ? table->outer.data() : nullptr;
  table->outer.assign(words, nullptr);
  table->outer[0] = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(words) * sizeof(void*));
  for (std::size_t slot = 1; slot < std::min<std::size_t>(words, kMostSlots); ++slot)
    if (description[sizeof words + slot / 8] >> slot % 8 & 1) table->outer[slot] = thunk(*table, slot);
  return table->outer.data();
}

}  // namespace nvmlkit::trace
