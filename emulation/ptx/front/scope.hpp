// Names of a function body: nested blocks with their own registers, variables and labels.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulation/ptx/front/cursor.hpp"
#include "emulation/ptx/front/module.hpp"

namespace xqacheck::ptx {

class Scopes {
 public:
  explicit Scopes(Function& function) : function_(function) { open(); }
  void open() { blocks_.emplace_back(), open_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1)); }
  void close() { open_.pop_back(); }
  std::size_t depth() const { return open_.size(); }

  void declare_register(const std::string& name, Type type);
  void declare_registers(const std::string& prefix, std::uint32_t count, Type type);  // %r<100>
  void declare_variable(Variable variable);  // renamed if another block has the name
  void declare_label(const Cursor& cursor, const std::string& name, std::uint32_t at);

  // Index of the register, or -1.
  std::int64_t find_register(std::string_view name) const;
  // Name in Function::variables, or the name itself when it is not a variable of the body.
  std::string variable_name(const std::string& name) const;
  // A label that may be declared later: `resolve_labels` at the end of the body looks it up.
  std::uint32_t refer_label(const std::string& name, std::uint32_t line);
  void resolve_labels(const Cursor& cursor);

 private:
  struct Range {
    std::uint32_t first, count;
  };
  struct Block {
    std::unordered_map<std::string, std::uint32_t> registers;
    std::unordered_map<std::string, Range> ranges;
    std::unordered_map<std::string, std::string> variables;
    std::unordered_map<std::string, std::uint32_t> labels;
  };
  struct Reference {
    std::string name;
    std::vector<std::uint32_t> blocks;  // open where it stands, outermost first
    std::uint32_t line;
    std::uint32_t label;
  };
  std::int64_t in_range(const Block& block, std::string_view name) const;

  Function& function_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> open_;
  std::vector<Reference> references_;

 public:
  // References to labels by number; each becomes an index into Function::labels when labels are resolved.
  std::uint32_t resolved(std::uint32_t reference) const { return references_[reference].label; }
};

}  // namespace xqacheck::ptx
