#include "emulation/ptx/decode/reconvergence.hpp"

#include <algorithm>

#include "emulation/ptx/instructions/control.hpp"

namespace xqacheck::ptx {
namespace {

struct Graph {
  std::vector<std::uint32_t> begins;               // of blocks, ascending
  std::vector<std::vector<std::uint32_t>> follow;  // successors; the last node is the end
  std::uint32_t end() const { return static_cast<std::uint32_t>(begins.size()); }
  std::uint32_t block_of(std::uint32_t pc) const {
    return static_cast<std::uint32_t>(std::upper_bound(begins.begin(), begins.end(), pc) - begins.begin()) - 1;
  }
};

Graph blocks_of(const Program& program) {
  const auto size = static_cast<std::uint32_t>(program.code.size());
  std::vector<bool> begins(size + 1, false);
  begins[0] = true;
  const auto targets = [&](const Inst& inst, auto&& visit) {
    if (is_table_branch(inst)) {
      for (std::uint32_t i = 0; i < inst.list_count; ++i)
        visit(static_cast<std::uint32_t>(program.lists[inst.list + i]));
    } else {
      visit(inst.target);
    }
  };
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const Inst& inst = program.code[pc];
    if (is_branch(inst)) targets(inst, [&](std::uint32_t to) { begins[to] = true; });
    if (is_branch(inst) || is_exit(inst)) begins[pc + 1] = true;
  }
  Graph graph;
  for (std::uint32_t pc = 0; pc < size; ++pc)
    if (begins[pc]) graph.begins.push_back(pc);
  graph.follow.resize(graph.begins.size() + 1);
  for (std::uint32_t block = 0; block < graph.end(); ++block) {
    const std::uint32_t after = block + 1 < graph.end() ? graph.begins[block + 1] : size;
    const Inst& last = program.code[after - 1];
    auto& follow = graph.follow[block];
    const auto add = [&](std::uint32_t pc) { follow.push_back(pc >= size ? graph.end() : graph.block_of(pc)); };
    if (is_branch(last)) targets(last, add);
    if (is_exit(last)) follow.push_back(graph.end());
    const bool always = (is_branch(last) || is_exit(last)) && last.guard == kNoRef;
    if (!always) add(after);
  }
  return graph;
}

// Immediate post-dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm") on
// the reversed graph. A block that cannot reach the end keeps kNowhere.
std::vector<std::uint32_t> post_dominators(const Graph& graph) {
  const std::uint32_t count = graph.end() + 1;
  std::vector<std::vector<std::uint32_t>> before(count);
  for (std::uint32_t block = 0; block < count; ++block)
    for (const std::uint32_t next : graph.follow[block]) before[next].push_back(block);
  // Depth-first from the end over predecessors; numbers grow towards the end.
  std::vector<std::uint32_t> order, number(count, kNowhere);
  std::vector<bool> seen(count, false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{graph.end(), 0}};
  seen[graph.end()] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next < before[block].size()) {
      const std::uint32_t other = before[block][next++];
      if (!seen[other]) seen[other] = true, stack.emplace_back(other, 0);
    } else {
      number[block] = static_cast<std::uint32_t>(order.size());
      order.push_back(block);
      stack.pop_back();
    }
  }
  std::vector<std::uint32_t> immediate(count, kNowhere);
  immediate[graph.end()] = graph.end();
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (*it == graph.end()) continue;
      std::uint32_t meet = kNowhere;
      for (std::uint32_t next : graph.follow[*it]) {
        if (immediate[next] == kNowhere) continue;
        if (meet == kNowhere) {
          meet = next;
          continue;
        }
        while (meet != next) {
          while (number[meet] < number[next]) meet = immediate[meet];
          while (number[next] < number[meet]) next = immediate[next];
        }
      }
      if (meet != immediate[*it]) immediate[*it] = meet, changed = true;
    }
  }
  return immediate;
}

}  // namespace

void find_reconvergence(Program& program) {
  const Graph graph = blocks_of(program);
  const auto immediate = post_dominators(graph);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    Inst& inst = program.code[pc];
    if (!is_branch(inst)) continue;
    const std::uint32_t meet = immediate[graph.block_of(pc)];
    inst.reconverge = meet == kNowhere || meet == graph.end() ? kNowhere : graph.begins[meet];
  }
}

}  // namespace xqacheck::ptx
