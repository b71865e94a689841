#include "emulation/ptx/decode/contraction.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace xqacheck::ptx {
namespace {

using Index = std::uint32_t;

// "f32", "ftz.f32", "f16x2", …; "" where a rounding or anything else is asked for.
std::string_view open_kind(const Instruction& instruction) {
  constexpr std::string_view kTypes[] = {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"};
  const auto& modifiers = instruction.modifiers;
  const auto is_type = [&](std::string_view name) {
    return std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
  };
  if (modifiers.size() == 1 && is_type(modifiers[0])) return modifiers[0];
  if (modifiers.size() == 2 && modifiers[0] == "ftz" && modifiers[1] == "f32") return "ftz.f32";
  return "";
}

bool is_product(const Instruction& instruction) {
  return instruction.opcode == "mul" && !instruction.guarded && instruction.operands.size() == 3 &&
         instruction.operands[0].kind == OperandKind::reg && !open_kind(instruction).empty();
}
bool is_sum(const Instruction& instruction) {
  return (instruction.opcode == "add" || instruction.opcode == "sub") && instruction.operands.size() == 3 &&
         !open_kind(instruction).empty();
}
bool is_register(const Operand& operand, Index index) {
  return operand.kind == OperandKind::reg && operand.index == index;
}

bool ends_block(const Instruction& instruction) {
  constexpr std::string_view kControl[] = {"bra", "brx", "ret", "exit", "call", "trap"};
  return std::find(std::begin(kControl), std::end(kControl), instruction.opcode) != std::end(kControl);
}

// Number of the block of each instruction. Labels that nothing jumps to begin one too: compilers do not write such.
std::vector<Index> blocks_of(const Function& function) {
  std::vector<Index> block(function.body.size());
  std::vector<bool> begins(function.body.size() + 1, false);
  for (const auto& label : function.labels) begins[label.at] = true;
  Index number = 0;
  for (Index i = 0; i < function.body.size(); ++i) {
    if (begins[i] || (i > 0 && ends_block(function.body[i - 1]))) ++number;
    block[i] = number;
  }
  return block;
}

// Instructions that read and write each register, ascending.
struct Accesses {
  std::vector<std::vector<Index>> reads, writes;

  explicit Accesses(const Function& function) : reads(function.registers.size()), writes(function.registers.size()) {
    for (Index i = 0; i < function.body.size(); ++i) {
      const Instruction& instruction = function.body[i];
      for (std::size_t at = 0; at < instruction.operands.size(); ++at) visit(instruction.operands[at], i, at == 0);
      if (instruction.guarded) add(reads[instruction.guard], i);
    }
  }

 private:
  static void add(std::vector<Index>& list, Index i) {
    if (list.empty() || list.back() != i) list.push_back(i);
  }
  void visit(const Operand& operand, Index i, bool destination) {
    if (operand.kind == OperandKind::reg) add(destination ? writes[operand.index] : reads[operand.index], i);
    if (operand.kind == OperandKind::address && operand.base == OperandKind::reg) add(reads[operand.index], i);
    for (const auto& part : operand.parts) visit(part, i, destination);
  }
};

struct Product {
  std::vector<Index> uses;
  bool contractible = false;
};

class Finder {
 public:
  explicit Finder(const Function& function) : body_(function.body), block_(blocks_of(function)), accesses_(function) {}

  Contractions run() {
    for (Index i = 0; i < body_.size(); ++i)
      if (is_product(body_[i])) add_product(i);
    for (const auto& [sum, operands] : operands_of_)
      for (const std::int64_t product : operands)
        if (product >= 0 && can(product) && uses(product) == 1 && !chosen(sum)) choose(sum, product);
    for (const auto& [sum, operands] : operands_of_) {
      if (chosen(sum)) continue;
      const auto [first, second] = operands;
      const bool take_first = can(first), take_second = can(second);
      if (take_first && take_second)
        choose(sum, uses(second) < uses(first) ? second : first);
      else if (take_first || take_second)
        choose(sum, take_first ? first : second);
    }
    for (const auto& [at, product] : products_) {
      const auto taken = [this, at = at](Index use) {
        const auto found = result_.product_of.find(use);
        return found != result_.product_of.end() && found->second == at;
      };
      if (!product.contractible || std::none_of(product.uses.begin(), product.uses.end(), taken)) continue;
      if (std::all_of(product.uses.begin(), product.uses.end(), taken)) result_.vanished.insert(at);
      const auto& operands = body_[at].operands;
      if (changes(operands[1], at, product.uses.back()) || changes(operands[2], at, product.uses.back()))
        result_.overwritten.insert(at);
    }
    return std::move(result_);
  }

 private:
  void add_product(Index at) {
    const Index reg = body_[at].operands[0].index;
    const auto& writes = accesses_.writes[reg];
    const auto& reads = accesses_.reads[reg];
    const auto next = std::upper_bound(writes.begin(), writes.end(), at);
    const bool closed = next != writes.end() && block_[*next] == block_[at];
    if (closed && body_[*next].guarded) return;  // the value lives on in some lanes
    Product product;
    for (const Index use : reads) {
      const bool reached = use > at && block_[use] == block_[at] && (!closed || use <= *next);
      if (reached) product.uses.push_back(use);
      if (!reached && !closed && !written_before(reg, use))
        return;  // the value may get there from the end of the block
    }
    product.contractible =
        !product.uses.empty() && std::all_of(product.uses.begin(), product.uses.end(), [&](Index use) {
          const Instruction& sum = body_[use];
          return is_sum(sum) && open_kind(sum) == open_kind(body_[at]) &&
                 is_register(sum.operands[1], reg) != is_register(sum.operands[2], reg);
        });
    if (product.contractible) {
      for (const Index use : product.uses) {
        auto& slots = operands_of_.try_emplace(use, std::array<std::int64_t, 2>{-1, -1}).first->second;
        slots[is_register(body_[use].operands[1], reg) ? 0 : 1] = at;
      }
    }
    products_[at] = std::move(product);
  }

  // Whether the block of the read gives the register a value of its own first.
  bool written_before(Index reg, Index read) const {
    const auto& writes = accesses_.writes[reg];
    return std::any_of(writes.begin(), writes.end(), [&](Index write) {
      return write < read && block_[write] == block_[read] && !body_[write].guarded;
    });
  }

  // Written from the product itself on and before the last sum.
  bool changes(const Operand& operand, Index at, Index last) const {
    if (operand.kind != OperandKind::reg) return false;
    const auto& writes = accesses_.writes[operand.index];
    const auto found = std::lower_bound(writes.begin(), writes.end(), at);
    return found != writes.end() && *found < last;
  }

  bool can(std::int64_t product) const { return product >= 0 && !addends_.contains(static_cast<Index>(product)); }
  std::size_t uses(std::int64_t product) const { return products_.at(static_cast<Index>(product)).uses.size(); }
  bool chosen(Index sum) const { return result_.product_of.contains(sum); }
  void choose(Index sum, std::int64_t product) {
    result_.product_of[sum] = static_cast<Index>(product);
    for (const std::int64_t other : operands_of_[sum])
      if (other >= 0 && other != product) addends_.insert(static_cast<Index>(other));
  }

  const std::vector<Instruction>& body_;
  std::vector<Index> block_;
  Accesses accesses_;
  std::map<Index, Product> products_;
  std::map<Index, std::array<std::int64_t, 2>> operands_of_;  // sums: the contractible products among their operands
  std::set<Index> addends_;
  Contractions result_;
};

class Rewriter {
 public:
  Rewriter(const Function& function, const Contractions& contractions)
      : from_(function), contractions_(contractions), to_(header_of(function)) {}

  Function run() {
    std::vector<Index> moved;  // old places to new ones
    for (Index i = 0; i < from_.body.size(); ++i) {
      moved.push_back(static_cast<Index>(to_.body.size()));
      const Instruction& instruction = from_.body[i];
      if (const auto found = contractions_.product_of.find(i); found != contractions_.product_of.end()) {
        write_fma(instruction, found->second);
        continue;
      }
      if (contractions_.overwritten.contains(i)) keep_operands(instruction, i);
      if (!contractions_.vanished.contains(i)) to_.body.push_back(instruction);
    }
    moved.push_back(static_cast<Index>(to_.body.size()));
    for (auto& label : to_.labels) label.at = moved[label.at];
    return std::move(to_);
  }

 private:
  static Function header_of(const Function& function) {
    Function header;
    header.name = function.name, header.entry = function.entry, header.defined = function.defined;
    header.params = function.params, header.returns = function.returns;
    header.registers = function.registers, header.variables = function.variables;
    header.labels = function.labels, header.branch_tables = function.branch_tables;
    header.max_threads = function.max_threads, header.place = function.place;
    std::copy(std::begin(function.required_threads), std::end(function.required_threads), header.required_threads);
    std::copy(std::begin(function.cluster), std::end(function.cluster), header.cluster);
    header.body.reserve(function.body.size());
    return header;
  }

  Operand fresh(const Instruction& like) {
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.index = static_cast<Index>(to_.registers.size());
    to_.registers.push_back({"", to_.registers[like.operands[0].index].type});
    return operand;
  }
  // Bits of the destination's register, whatever their type.
  std::string plain_type(const Instruction& like) const {
    const std::uint32_t bytes = bytes_of(to_.registers[like.operands[0].index].type);
    return bytes == 8 ? "b64" : bytes == 2 ? "b16" : "b32";
  }
  Instruction made(const Instruction& at, std::string opcode, std::vector<std::string> modifiers,
                   std::vector<Operand> operands) {
    Instruction instruction;
    instruction.opcode = std::move(opcode), instruction.modifiers = std::move(modifiers);
    instruction.operands = std::move(operands);
    instruction.place = at.place;
    return instruction;
  }

  void keep_operands(const Instruction& product, Index at) {
    auto& kept = kept_[at];
    for (std::size_t i = 0; i < 2; ++i) {
      kept[i] = product.operands[i + 1];
      if (kept[i].kind != OperandKind::reg) continue;
      const Operand copy = fresh(product);
      to_.body.push_back(made(product, "mov", {plain_type(product)}, {copy, kept[i]}));
      kept[i] = copy;
    }
  }

  void write_fma(const Instruction& sum, Index at) {
    const Instruction& product = from_.body[at];
    const auto kept = kept_.find(at);
    Operand a = kept == kept_.end() ? product.operands[1] : kept->second[0];
    const Operand b = kept == kept_.end() ? product.operands[2] : kept->second[1];
    const bool first = is_register(sum.operands[1], product.operands[0].index);
    Operand c = sum.operands[first ? 2 : 1];
    if (sum.opcode == "sub") {
      Operand& negated = first ? c : a;
      const Operand to = fresh(sum);
      to_.body.push_back(made(sum, "neg", sum.modifiers, {to, negated}));
      negated = to;
    }
    Instruction fma = made(sum, "fma", sum.modifiers, {sum.operands[0], a, b, c});
    fma.modifiers.insert(fma.modifiers.begin(), "rn");
    fma.guarded = sum.guarded, fma.guard_negated = sum.guard_negated, fma.guard = sum.guard;
    to_.body.push_back(std::move(fma));
  }

  const Function& from_;
  const Contractions& contractions_;
  Function to_;
  std::map<Index, std::array<Operand, 2>> kept_;
};

}  // namespace

Contractions find_contractions(const Function& function) {
  return Finder(function).run();
}

Function contract(const Function& function, const Contractions& contractions) {
  return Rewriter(function, contractions).run();
}

}  // namespace xqacheck::ptx
