// The library's interface: LLVM's functions become machine code of this host.
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "code_cache/digest.hpp"
#include "code_cache/files.hpp"
#include "ptx/llvm/host.hpp"
#include "ptx/llvm/translator.hpp"
#include "ptx/llvm/weight.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// Of the function of each piece: what is compiled is the same in each process.
constexpr char kName[] = "piece";

// Sets an option of LLVM's code generator. No other code of the process uses this LLVM.
void set_option(const char* name, const char* value) {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto known = options.find(name);
  if (known != options.end()) known->second->addOccurrence(0, name, value);
}

void set_options() {
  // LLVM's schedulers compare each access to memory with those before it, up to this number in a block. With LLVM's own
  // 1,000, LLVM takes an eighth longer for HeCBench's blockScan.
  set_option("dag-maps-huge-region", "200");
  // The code of a piece is a loop over warps, and often one warp alone goes through it. What a rare way needs is not
  // made before the loop.
  set_option("disable-hoisting-to-hotter-blocks", "all");
  // The processor orders instructions itself. This pass takes a twentieth of LLVM's time.
  set_option("disable-post-ra", "");
  // How far LLVM looks for the best part of a register's life to keep it out of memory. Its own number is 10,000.
  set_option("grow-region-complexity-budget", "1000");
}

// What LLVM does before it chooses instructions. Its own list for -O1 takes two and a half times as long, most of it in
// instcombine, and its code is no faster. There is no vectorizer, because lanes are vectors already, and no unrolling,
// because nvcc has done it.
constexpr char kPasses[] =
    "cgscc(function-attrs),function("
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg,reassociate,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<allowspeculation>,loop-rotate,licm<allowspeculation>,"
    "simple-loop-unswitch<no-nontrivial;trivial>),"
    "simplifycfg,early-cse<memssa>,sccp,bdce,instcombine<no-verify-fixpoint>,adce,simplifycfg)";

class Machine {
 public:
  // Null where the host has no compiler in this library.
  static Machine* own() {
    static Machine* const the = make();
    return the;
  }

  // The code lives until the library is removed. It has one function, kName. `file` becomes its name on disk.
  Code compile(llvm::Module& module, llvm::orc::JITDylib& library, std::string& file) {
    module.setDataLayout(jit_->getDataLayout());
    module.setTargetTriple(target_->getTargetTriple().str());
    auto code = cached_code(module, file);
    if (!code || failed(jit_->addObjectFile(library, std::move(code)))) return nullptr;
    auto symbol = jit_->lookup(library, kName);
    if (!symbol) {
      llvm::consumeError(symbol.takeError());
      return nullptr;
    }
    return symbol->toPtr<Code>();
  }

  llvm::orc::JITDylib& new_library(unsigned number) {
    auto& out = jit_->getExecutionSession().createBareJITDylib("piece" + std::to_string(number));
    if (const auto process = jit_->getProcessSymbolsJITDylib()) out.addToLinkOrder(*process);
    return out;
  }
  void remove(llvm::orc::JITDylib& library) { failed(jit_->getExecutionSession().removeJITDylib(library)); }

 private:
  Machine(std::unique_ptr<llvm::orc::LLJIT> jit, std::unique_ptr<llvm::TargetMachine> target)
      : jit_(std::move(jit)), target_(std::move(target)), cache_(code_cache::Files::open()) {}

  static bool failed(llvm::Error error) {
    if (!error) return false;
    llvm::consumeError(std::move(error));
    return true;
  }

  static Machine* make() {
    if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter()) return nullptr;
    set_options();
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!builder) return llvm::consumeError(builder.takeError()), nullptr;
    settle_processor(*builder);
    builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    builder->setRelocationModel(llvm::Reloc::PIC_);
    builder->setCodeModel(llvm::CodeModel::Small);
    auto target = builder->createTargetMachine();
    if (!target) return llvm::consumeError(target.takeError()), nullptr;
    auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*builder)).create();
    if (!jit) return llvm::consumeError(jit.takeError()), nullptr;
    return new Machine(std::move(*jit), std::move(*target));
  }

  // What an earlier process made of the same instructions for the same CPU, or made now.
  std::unique_ptr<llvm::MemoryBuffer> cached_code(llvm::Module& module, std::string& name) {
    if (cache_) {
      std::string content =
          (target_->getTargetCPU() + target_->getTargetFeatureString()).str() + LLVM_VERSION_STRING + kPasses;
      llvm::raw_string_ostream stream(content);
      llvm::WriteBitcodeToFile(module, stream);
      stream.flush();
      name = code_cache::digest_of(content);
      if (const auto known = cache_->find(name)) return llvm::MemoryBuffer::getMemBufferCopy(*known, name);
    }
    if (failed(optimize(module))) return nullptr;
    auto made = llvm::orc::SimpleCompiler(*target_)(module);
    if (!made) {
      llvm::consumeError(made.takeError());
      return nullptr;
    }
    if (cache_) cache_->keep(name, std::string_view((*made)->getBufferStart(), (*made)->getBufferSize()));
    return std::move(*made);
  }

  llvm::Error optimize(llvm::Module& module) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder passes(target_.get());
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(graphs);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, graphs, modules);
    llvm::ModulePassManager pipeline;
    if (auto error = passes.parsePassPipeline(pipeline, kPasses)) return error;
    pipeline.run(module, modules);
    return llvm::Error::success();
  }

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::unique_ptr<llvm::TargetMachine> target_;
  const std::unique_ptr<code_cache::Files> cache_;
};

// What a piece keeps.
struct Kept {
  Assumptions assumptions;
  llvm::orc::JITDylib* library;
};

// One thread at a time compiles.
struct Known {
  std::timed_mutex mutex;
  std::map<const Function*, Facts> facts;
  unsigned pieces = 0;
};
Known& known() {
  static auto* const the = new Known;
  return *the;
}

llvm::Function* new_function(llvm::Module& module) {
  auto& context = module.getContext();
  auto* const type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {llvm::PointerType::getUnqual(context)},
                                             /*isVarArg=*/false);
  auto* const out = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kName, module);
  out->addFnAttr(llvm::Attribute::NoUnwind);
  // Otherwise vectors that wait on the stack lie across two lines of the cache, which made products of f64 1.6 times as
  // slow.
  out->addFnAttr(llvm::Attribute::getWithStackAlignment(context, llvm::Align(64)));
  return out;
}

// What LLVM gets of a piece.
struct Source {
  std::unique_ptr<Kept> kept;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::uint32_t places = 0;
};

// False: there is nothing that code could do.
bool translate(const Function& function, std::uint32_t at, const CodeContext& warp, CodeFor lanes, const Piece* before,
               Assumes assumes, unsigned divisor, Source& out) {
  const auto* const assumed = before ? &static_cast<const Kept*>(before->kept)->assumptions : nullptr;
  out.kept = std::make_unique<Kept>(Kept{Assumptions(warp, assumed, assumes), nullptr});
  auto& facts = known().facts.try_emplace(&function, function).first->second;
  Translator translator(function, at, lanes, out.kept->assumptions, facts, divisor);
  if (translator.instructions() == 0) return false;
  if (translator.has_unknown_addresses()) facts.plain_loops.insert(at);
  out.module = std::make_unique<llvm::Module>(kName, out.context);
  translator.translate(*new_function(*out.module));
  out.places = translator.places();
  return true;
}

// A region whose code has more weight is translated anew with half of the instructions. Where lanes may part at each of
// many branches, the code for their ways grows with the square of the number of branches.
constexpr std::size_t kMostWeight = 30'000;
constexpr unsigned kMostDivisor = 16;

bool compile(const Function& function, std::uint32_t at, const CodeContext& warp, CodeFor lanes, const Piece* before,
             Assumes assumes, Piece& out) {
  const std::scoped_lock lock(known().mutex);
  auto* const machine = Machine::own();
  if (!machine) return false;
  std::optional<Source> source;
  for (unsigned divisor = 1; divisor <= kMostDivisor; divisor *= 2) {
    source.emplace();
    if (!translate(function, at, warp, lanes, before, assumes, divisor, *source)) return false;
    if (weight_of(*source->module) <= kMostWeight) break;
  }
  auto& module = *source->module;
  auto& kept = source->kept;
  for (auto& each : module)
    if (!each.isDeclaration()) tune(each);
  if (llvm::verifyFunction(*module.getFunction(kName))) return false;
  kept->library = &machine->new_library(known().pieces++);
  std::string file;
  out.code = machine->compile(module, *kept->library, file);
  if (!out.code) return machine->remove(*kept->library), false;
  out.places = source->places;
  file.copy(out.file.data(), out.file.size() - 1);
  kept->assumptions.forget_warp();
  out.kept = kept.release();
  return true;
}

// Where LLVM does not come to an end with another piece, this one stays.
constexpr auto kPatience = std::chrono::seconds(5);

void release(const Piece& piece) {
  const std::unique_lock lock(known().mutex, kPatience);
  if (!lock) return;
  const std::unique_ptr<Kept> kept(static_cast<Kept*>(piece.kept));
  if (kept) Machine::own()->remove(*kept->library);
}

void forget(const Function& function) {
  const std::unique_lock lock(known().mutex, kPatience);
  if (lock) known().facts.erase(&function);
}

}  // namespace
}  // namespace nvmlkit::ptx::jit

extern "C" __attribute__((visibility("default"))) const nvmlkit::ptx::CompilerInterface nvmlkit_ptx_compiler = {
    nvmlkit::ptx::kCompilerVersion, &nvmlkit::ptx::jit::compile, &nvmlkit::ptx::jit::release,
    &nvmlkit::ptx::jit::forget};
