// Makes an LLVM function of the instructions from one on.
#pragma once

#include <map>
#include <vector>

#include "ptx/llvm/access_form.hpp"
#include "ptx/llvm/assumptions.hpp"
#include "ptx/llvm/begun.hpp"
#include "ptx/llvm/facts.hpp"
#include "ptx/llvm/near.hpp"
#include "ptx/llvm/parting.hpp"
#include "ptx/llvm/place.hpp"
#include "ptx/llvm/pure.hpp"
#include "ptx/llvm/region.hpp"
#include "ptx/llvm/turns.hpp"

namespace nvmlkit::ptx::jit {

struct Exchange;
struct Extreme;
struct PackedPlaces;
struct Run;
struct Window;

// What is known of registers at an instruction.
using Shapes = std::map<Key, Shape>;
// For each lane, by the bytes of a lane.
using BitsOfSize = std::map<unsigned, llvm::Value*>;

class Translator {
 public:
  Translator(const Function& function, std::uint32_t start, CodeFor lanes, Assumptions& assumptions, const Facts& facts,
             unsigned divisor);
  std::size_t instructions() const;
  void translate(llvm::Function& into);
  // Whether some lanes reach memory at addresses that nothing is known of.
  bool has_unknown_addresses() { return has_unknown_address(0, stretches_.size() - 1); }
  // Of the memory that instructions reached.
  std::uint32_t places() const { return places_; }

 private:
  // What is known before the code runs (shapes.cpp).
  void find_region();
  void find_shapes();
  std::set<Key> used_at(std::uint32_t at) const;  // what is needed there, of that which the code reads or writes
  bool stays(Key key) const { return !changed_.contains(key) && loaded_.contains(key); }
  // Adds a place where it is better to look at the values again (cuts.cpp).
  bool cut_further();
  void cut_before_writes();
  bool is_alone_in_block();
  bool passes_barrier() const;
  std::optional<std::size_t> variable_at(std::uint32_t at, const std::set<Key>& written) const;
  bool cut_loops();
  bool cut_ways_back();
  bool has_unknown_address(std::size_t first, std::size_t last);
  void pass(const Stretch& stretch, Shapes& shapes);
  void pass_instruction(std::uint32_t at, Shapes& shapes);
  void pass_result(std::uint32_t at, Key key, const Shape& shape, Shapes& shapes);
  Shape shape_of_operand(Operand operand, std::uint8_t size, const Shapes& shapes);
  Shape shape_of_pure(const Pure& pure, const Shapes& shapes);
  Shape shape_of_load(const MemoryAccess& access, const Shapes& shapes);
  Shape shape_of_address(const MemoryAccess& access, const Shapes& shapes);

  // The start (entry.cpp).
  void emit_entry();
  llvm::Value* load_common();  // whether it fits
  void check_registers(llvm::BasicBlock* goes_on, llvm::BasicBlock* stops, llvm::Value* fits);
  llvm::Value* load_known(llvm::Value* at, unsigned size, unsigned align, const Shape& shape, llvm::Value*& fits);
  void load_predicate(Key key, llvm::Value*& fits);
  void unpack_one(Key key);
  void load_register(Key key);
  void find_floats();
  PackedPlaces places_of(Key key);
  Lanes load_checked(llvm::Value* at, unsigned size, const Shape& shape, llvm::Value*& fits, BitsOfSize& unlike);
  llvm::Value* are_zero(const BitsOfSize& unlike);  // of the lanes that act
  llvm::Value* have_shapes(const std::set<Key>& registers);
  // A vector, with numbers in place of those of lanes that do not act.
  llvm::Value* of_lanes(llvm::Value* vector, llvm::Value* others);
  llvm::Value* first_lane();  // that acts
  llvm::Value* field(std::size_t offset, llvm::Type* type);
  void put_field(std::size_t offset, llvm::Value* value);

  // Stretches and how they end (translator.cpp).
  void begin_stretch(std::size_t number);
  void emit_instruction(std::uint32_t at);
  bool is_fence(std::uint32_t at) const;
  void end_stretch(std::size_t number);
  void go(std::size_t from, std::size_t to);
  void part_at(std::size_t number, llvm::Value* takes);
  void hand_over(std::size_t to);
  void add_to_phis(std::size_t to);
  void leave(std::uint32_t at, unsigned more_executed);
  void end_with(CodeEnd end);
  llvm::BasicBlock* new_block(const char* name);

  // From one warp of the block to the next (turns.cpp).
  bool end_turn(const Stretch& stretch);
  void end_turn(std::uint32_t at, unsigned more_executed, WholeWarp::State state);
  void stop_turn(const Stretch& stretch);
  void emit_end_of_turns();
  void begin_next_turn(const Turns::Last& last);

  // Lanes that part and meet again (partings.cpp).
  void pass_parting(std::size_t number, Shapes& shapes);
  bool may_part(std::size_t number, const Shapes& shapes);
  bool parts_only(std::size_t number) const { return !all_lanes_ && partings_.contains(number); }
  void leave_out_single_ways();
  void emit_parting(std::size_t number, llvm::Value* bits);
  bool emit_part(std::size_t number, bool has_lanes);
  void send_lanes(const Stretch& stretch);
  void join_part(llvm::BasicBlock* from, llvm::BasicBlock* done, const Values& before,
                 const std::map<std::uint32_t, llvm::Value*>& pending, llvm::Value* executed);
  void leave_parted(std::uint32_t at, unsigned more_executed);
  void leave_at_both_ways(const Stretch& stretch, llvm::Value* takes);
  void leave_in_parts(const std::vector<PlaceOfLanes>& places, unsigned more_executed);
  // Lanes that come to where others wait (arrivals.cpp).
  void note_arrival(std::size_t number);
  void emit_arrival(std::size_t number, llvm::Value* takes);
  void act_for_lanes();
  // Of a part of the lanes, the others keep what they need.
  Lanes of_part(Key key, const Lanes& lanes, const Lanes& before);

  // Instructions (instructions.cpp).
  void emit_pure(const Pure& pure, std::uint32_t at);
  void emit_by_interpreter(std::uint32_t at);
  void call_interpreter(std::uint32_t at, std::int32_t place);
  void reload(std::uint32_t at);
  void spill(Key key, const Lanes& raw);
  void spill_some(Key key, llvm::Value* at, llvm::Value* value);
  bool is_in_frame(Key key, const Lanes& lanes) const;
  void spill_new(const std::set<Key>& keys);  // those that are not in the frame yet
  Lanes operand(Operand operand, std::uint8_t size);
  Lanes raw_operand(Operand operand, std::uint8_t size);
  Lanes argument(const Argument& argument);
  std::optional<Lanes> guard_of(std::uint32_t at);
  void set(Key key, Lanes lanes, const std::optional<Lanes>& guarded);

  // Whether a result has the shape that follows from what its operands have (checks.cpp).
  void check_shape(const Pure& pure, const std::vector<Shape>& shapes, const std::vector<Lanes>& arguments,
                   std::uint32_t at);
  llvm::Value* is_inside(const Lanes& numbers, bool has_sign);
  llvm::Value* is_in_range(const Pure& pure, const std::vector<Lanes>& arguments);
  llvm::Value* is_as_expected(const Pure& pure, const Extreme& extreme, const std::vector<Lanes>& arguments);

  // What results are that are no number (no_number.cpp).
  Lanes in_form(Lanes lanes);
  void note_result(const Pure& pure, std::uint32_t at, const std::vector<llvm::Value*>& arguments, llvm::Value* out);
  llvm::Value* may_have_no_number(const std::vector<llvm::Value*>& results);
  llvm::Value* has_no_number(const std::vector<llvm::Value*>& results);
  void end_row(std::uint32_t end);

  // Exchanges between lanes and parts of registers (exchanges.cpp). False: it is none that is known.
  std::optional<Exchange> exchange_at(std::uint32_t at) const;
  bool pass_exchange(std::uint32_t at, Shapes& shapes);
  bool pass_parts(std::uint32_t at, Shapes& shapes);
  llvm::Value* vote(const Exchange& exchange);
  void match(const Exchange& exchange);
  llvm::Value* reduction(const Exchange& exchange);
  void shuffle(const Exchange& exchange);
  llvm::Value* shuffled(llvm::Value* all, llvm::Value* source);
  bool emit_exchange(std::uint32_t at);
  bool emit_parts(std::uint32_t at);

  // Sums with a carry (carry.cpp).
  bool emit_carry(std::uint32_t at);
  llvm::Value* high_of_product(llvm::Value* x, llvm::Value* y, bool with_signs);

  // Products of matrices (tensor.cpp).
  bool emit_tensor(std::uint32_t at);
  bool emit_matrix_load(std::uint32_t at);  // matrix_loads.cpp

  // Memory (memory.cpp, places.cpp, guarded.cpp; of scattered addresses, all at once: at_once.cpp).
  std::optional<MemoryAccess> access_at(std::uint32_t at) const;
  static bool is_at_once(const MemoryAccess& access, const Place& place);
  llvm::Value* gather_part(const MemoryAccess& access, const Place& place, unsigned part);
  void scatter(const MemoryAccess& access, const Place& place, const std::vector<Lanes>& values);
  void emit_access(const MemoryAccess& found, std::uint32_t at);
  void emit_guarded(const MemoryAccess& access, std::uint32_t at);
  void emit_all(const MemoryAccess& access, std::uint32_t at);
  void emit_lane_copy(const LaneCopy& copy, std::uint32_t at);  // lane_copies.cpp
  void copy_lanes(const LaneCopy& copy, std::int32_t number, llvm::BasicBlock* other);
  void copy_some_bytes(const LaneCopy& copy, std::int32_t number, llvm::BasicBlock* other);
  void clear_lanes(const LaneCopy& copy, llvm::BasicBlock* other);
  void for_lanes(llvm::Value* acts, llvm::function_ref<void()> each);
  llvm::Value* numbers_of(const Place& place, unsigned number);
  llvm::Value* host_by(const Place& place, llvm::Value* numbers, llvm::Value* lane);
  void for_each_acting(llvm::function_ref<void(llvm::Value* lane)> each);
  // What the targets of the access get.
  std::vector<llvm::Value*> reach(const MemoryAccess& access, Place place);
  void load_param(const MemoryAccess& access, std::uint32_t at);
  void reach_param_of_call(const MemoryAccess& access);
  Shape shape_of_base(const MemoryAccess& access);  // now
  Lanes address_of(const MemoryAccess& access);
  // Whether all lanes reach memory that is known; where it lies then.
  llvm::Value* find_place(const MemoryAccess& access, const Lanes& address, std::int32_t number, Place& out);
  llvm::Value* find_host(const MemoryAccess& access, const Lanes& address, const Room& where, Place& out);
  llvm::Value* load_matrix(const Place& rows, unsigned first, bool transposed);
  std::vector<llvm::Value*> load(const MemoryAccess& access, const Place& place);
  void store(const MemoryAccess& access, const Place& place);
  llvm::Value* change(const MemoryAccess& access, const Place& place);
  llvm::Value* change_lanes(const MemoryAccess& access, const Place& place, const ChangeOperands& all, bool is_plain);
  llvm::Value* change_one(const MemoryAccess& access, llvm::Value* at, const ChangeOperands& operands, bool is_plain);
  llvm::Value* changed(const MemoryAccess& access, llvm::Value* before, const ChangeOperands& operands);
  llvm::Value* sum_in_memory(const MemoryAccess& access, llvm::Value* before, llvm::Value* by);
  llvm::Value* change_at_once(const MemoryAccess& access, llvm::Value* at, const ChangeOperands& operands);
  void note_polls(std::uint32_t how);
  void note_look(const MemoryAccess& access);
  llvm::Value* left_in(Key key, const Shape& shape);
  void check_left(const MemoryAccess& access, std::uint32_t at);
  std::vector<llvm::Value*> load_lanes(const MemoryAccess& access, const Place& place);
  void lay_out(llvm::Value* hosts);
  llvm::Value* laid_out(llvm::Value* lane);
  llvm::Value* host_of_lane(const Place& place, unsigned lane, unsigned part);
  // By some lanes (acting.cpp, acting_stores.cpp).
  Extent extent_of(const Shape& shape);
  llvm::Value* stack(unsigned number);
  llvm::Value* of_lane_on_stack(unsigned number, llvm::Type* element, llvm::Value* lane);
  void for_acting(llvm::function_ref<void(llvm::Value* lane)> each);
  llvm::Value* host_at(const Place& place, llvm::Value* lane);
  std::vector<llvm::Value*> load_some(const MemoryAccess& access, const Place& place);
  std::vector<llvm::Value*> load_acting(const MemoryAccess& access, const Place& place);
  llvm::Value* load_window(unsigned size, const Place& place, const Window& window);
  llvm::Value* load_runs(unsigned size, const Place& place, const std::vector<Run>& runs);
  void store_some(const MemoryAccess& access, const Place& place, const std::vector<Lanes>& values);
  llvm::Value* may_blend(const MemoryAccess& access, const Place& place, const std::vector<Run>& rows);
  void store_rows(const std::vector<Run>& rows, const Place& place, unsigned size, const Lanes& value, bool blends);
  void store_lanes(const MemoryAccess& access, const Place& place, const std::vector<Lanes>& values,
                   const std::vector<Run>& rows);
  llvm::Value* change_some(const MemoryAccess& access, const Place& place, const ChangeOperands& all, bool is_plain);
  // Accesses near each other (near.cpp).
  std::optional<Near> near_at(std::uint32_t at, const Shape& shape) const;
  bool emit_near(const MemoryAccess& access, std::uint32_t at);
  std::vector<Near>::const_iterator known_near(const Near& near) const;
  std::optional<NearCheck> near_access(const MemoryAccess& access, std::uint32_t at);
  void check_near(const Shape& shape, Near& near, llvm::function_ref<void(std::int32_t)> leaves);
  void leave_behind(const MemoryAccess& access, std::uint32_t at);
  Near all_near(std::uint32_t at, Near first, const Shape& shape) const;
  llvm::Value* to_register(llvm::Value* value, const MemoryAccess& access);
  // Of shared memory, several checked at once (near_ahead.cpp).
  bool is_plain_shared(std::uint32_t at) const;
  void look_ahead(std::vector<NearCheck>& checks);
  llvm::Value* are_inside(const std::vector<NearCheck>& checks);
  void check_all(std::vector<NearCheck>& checks);
  bool stays_in_row(std::uint32_t at);

  const Function& function_;
  const Needs& needs_;
  Assumptions& assumptions_;
  const std::set<std::uint32_t>& plain_;
  const std::uint32_t start_;
  const bool all_lanes_;
  Cuts cuts_;
  std::vector<Stretch> stretches_;
  std::set<Key> used_, changed_, floats_;
  std::vector<std::map<Key, Shape>> shapes_;  // at the start of each stretch

  llvm::Function* code_ = nullptr;
  std::optional<LaneBuilder> b_;
  llvm::Value* lanes_ = nullptr;     // of code for some lanes: a mask,
  llvm::Value* executes_ = nullptr;  // the same as a predicate, and where others wait
  llvm::Value* acting_ = nullptr;    // the lanes that reach memory, where not all of a warp do: a mask,
  llvm::Value* acts_ = nullptr;      // the same as a predicate
  llvm::Value *context_ = nullptr, *limit_ = nullptr;
  std::map<std::size_t, Parting> partings_;             // by the stretch that ends with the branch
  std::map<std::size_t, Arrival> arrivals_;             // by the stretch that ends with the branch
  llvm::Value *part_ = nullptr, *part_bits_ = nullptr;  // the lanes of a part, where they have parted
  std::map<std::uint32_t, llvm::Value*> pending_;  // further lanes, by the instruction where they wait for their turn
  std::set<Key> kept_;                             // what those need
  llvm::Value *registers_ = nullptr, *reached_ = nullptr, *image_ = nullptr;  // image: of the module's variables
  LocalMemory local_;
  llvm::Value *shared_ = nullptr, *shared_bytes_ = nullptr;
  llvm::Value* laid_out_ = nullptr;  // an address for each lane, on the stack
  std::vector<llvm::Value*> stack_;  // numbers of each lane
  Values loaded_;                    // what lies in the registers of the frame since the start
  std::set<Key> unmarked_;           // registers of which all values lie there
  std::map<Key, Lanes> special_, params_;

  Turns turns_;
  std::vector<Begun> begun_;
  Values values_;                    // now
  llvm::Value* executed_ = nullptr;  // before the stretch
  std::uint32_t stretch_begin_ = 0, stretch_end_ = 0;
  std::vector<Near> near_;  // checked in this stretch
  // Instructions that compute with f64: where they begin, what registers had there, and the results.
  struct Row {
    std::uint32_t begin;
    Values values;
    std::vector<llvm::Value*> results;
  };
  std::optional<Row> row_;
  std::uint32_t places_ = 0;
};

}  // namespace nvmlkit::ptx::jit
