// The library's interface: LLVM's functions become machine code of this host.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>

#include <chrono>
#include <mutex>
#include <string>

#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

class Machine {
 public:
  // Null where the host has no compiler in this library.
  static Machine* own() {
    static Machine* const the = make();
    return the;
  }

  // The code lives as long as `owner`.
  Code compile(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context,
               const std::string& name, const llvm::orc::ResourceTrackerSP& owner) {
    module->setDataLayout(jit_->getDataLayout());
    module->setTargetTriple(target_->getTargetTriple().str());
    optimize(*module);
    if (auto error = jit_->addIRModule(owner, {std::move(module), std::move(context)})) {
      llvm::consumeError(std::move(error));
      return nullptr;
    }
    auto symbol = jit_->lookup(name);
    if (!symbol) {
      llvm::consumeError(symbol.takeError());
      return nullptr;
    }
    return symbol->toPtr<Code>();
  }

  llvm::orc::ResourceTrackerSP new_owner() { return jit_->getMainJITDylib().createResourceTracker(); }

 private:
  Machine(std::unique_ptr<llvm::orc::LLJIT> jit, std::unique_ptr<llvm::TargetMachine> target)
      : jit_(std::move(jit)), target_(std::move(target)) {}

  static Machine* make() {
    if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter()) return nullptr;
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!builder) return llvm::consumeError(builder.takeError()), nullptr;
    builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    auto target = builder->createTargetMachine();
    if (!target) return llvm::consumeError(target.takeError()), nullptr;
    auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*builder)).create();
    if (!jit) return llvm::consumeError(jit.takeError()), nullptr;
    return new Machine(std::move(*jit), std::move(*target));
  }

  void optimize(llvm::Module& module) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    llvm::PipelineTuningOptions options;
    options.LoopVectorization = options.SLPVectorization = false;  // lanes are vectors already
    options.LoopUnrolling = false;
    llvm::PassBuilder passes(target_.get(), options);
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(graphs);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, graphs, modules);
    passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
  }

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::unique_ptr<llvm::TargetMachine> target_;
};

// What a piece keeps.
struct Kept {
  Assumptions assumptions;
  llvm::orc::ResourceTrackerSP owner;
};

// Loops that are not worth a look of their own. One thread at a time compiles.
struct Known {
  std::timed_mutex mutex;
  std::map<const Function*, std::set<std::uint32_t>> plain_loops;
  unsigned pieces = 0;
};
Known& known() {
  static auto* const the = new Known;
  return *the;
}

bool compile(const Function& function, std::uint32_t at, const CodeContext& warp, CodeFor lanes, const Piece* before,
             ExecuteOne execute_one, Piece& out) {
  const std::scoped_lock lock(known().mutex);
  auto* const machine = Machine::own();
  if (!machine) return false;
  const auto name = "piece" + std::to_string(known().pieces++);
  const auto* const assumed = before ? &static_cast<const Kept*>(before->kept)->assumptions : nullptr;
  std::unique_ptr<Kept> kept(new Kept{Assumptions(warp, assumed), machine->new_owner()});
  auto& plain = known().plain_loops[&function];
  Translator translator(function, at, lanes, kept->assumptions, execute_one, plain);
  if (translator.instructions() == 0) return false;
  if (translator.has_unknown_addresses()) plain.insert(at);
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>(name, *context);
  auto* const type = llvm::FunctionType::get(llvm::Type::getInt32Ty(*context), {llvm::PointerType::getUnqual(*context)},
                                             /*isVarArg=*/false);
  auto* const code = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module);
  code->addFnAttr(llvm::Attribute::NoUnwind);
  translator.translate(*code);
  if (llvm::verifyFunction(*code)) return false;
  out.code = machine->compile(std::move(module), std::move(context), name, kept->owner);
  if (!out.code) return false;
  out.places = translator.places();
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
  if (kept) llvm::consumeError(kept->owner->remove());
}

void forget(const Function& function) {
  const std::unique_lock lock(known().mutex, kPatience);
  if (lock) known().plain_loops.erase(&function);
}

}  // namespace
}  // namespace nvmlkit::ptx::jit

extern "C" __attribute__((visibility("default"))) const nvmlkit::ptx::CompilerInterface nvmlkit_ptx_compiler = {
    nvmlkit::ptx::kCompilerVersion, &nvmlkit::ptx::jit::compile, &nvmlkit::ptx::jit::release,
    &nvmlkit::ptx::jit::forget};
