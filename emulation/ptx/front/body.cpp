#include "emulation/ptx/front/body.hpp"

#include <fmt/format.h>

#include "emulation/ptx/front/location.hpp"
#include "emulation/ptx/front/scope.hpp"
#include "emulation/ptx/front/variables.hpp"

namespace xqacheck::ptx {
namespace {

class Body {
 public:
  Body(Cursor& cursor, Module& module, Function& function)
      : cursor_(cursor), module_(module), function_(function), scopes_(function) {}

  void run() {
    while (true) {
      if (cursor_.done()) cursor_.fail(fmt::format("the body of {} is not closed", function_.name));
      if (cursor_.accept("}")) {
        if (scopes_.depth() == 1) break;
        scopes_.close();
      } else if (cursor_.accept("{")) {
        scopes_.open();
      } else if (!cursor_.accept(";")) {
        statement();
      }
    }
    scopes_.resolve_labels(cursor_);
    for (auto& instruction : function_.body)
      for (auto& operand : instruction.operands)
        if (operand.kind == OperandKind::label) operand.index = scopes_.resolved(operand.index);
    for (auto& [name, table] : function_.branch_tables)
      for (auto& label : table) label = scopes_.resolved(label);
  }

 private:
  std::uint32_t next_instruction() const { return static_cast<std::uint32_t>(function_.body.size()); }

  void statement() {
    const Token& token = cursor_.peek();
    if (token.kind == TokenKind::directive) return directive();
    if (token.kind == TokenKind::word && cursor_.peek(1).is(":")) return label();
    instruction();
  }

  void label() {
    const std::string name = cursor_.expect_word("a label");
    cursor_.expect(":", "after the label");
    if (cursor_.accept_directive("branchtargets")) {
      auto& table = function_.branch_tables[name];
      do table.push_back(scopes_.refer_label(cursor_.expect_word("a label"), cursor_.peek().line));
      while (cursor_.accept(","));
      cursor_.expect(";", "after the branch targets");
    } else if (cursor_.accept_directive("callprototype")) {
      cursor_.skip_to_semicolon();
    } else {
      scopes_.declare_label(cursor_, name, next_instruction());
    }
  }

  void directive() {
    const std::uint32_t line = cursor_.peek().line;
    const std::string name(cursor_.take().text);
    if (name == "reg") return registers();
    if (name == "loc") return location_.parse(cursor_, module_);
    if (name == "file") return parse_file_directive(cursor_, module_);
    if (name == "pragma") return cursor_.skip_to_semicolon();  // hints: nounroll, used_bytes_mask, …
    if (name == "section") return skip_section(cursor_);
    if (const auto space = variable_space(name)) {
      do scopes_.declare_variable(parse_variable(cursor_, *space));
      while (cursor_.accept(","));
      return cursor_.expect(";", "after the variable");
    }
    cursor_.fail_at(line, fmt::format("unknown directive .{} in a function", name));
  }

  void registers() {
    if (cursor_.peek().kind != TokenKind::directive) cursor_.expected("the type of the registers");
    const std::string text(cursor_.take().text);
    const auto type = type_of(text);
    if (!type) cursor_.fail(fmt::format("registers cannot have type .{}", text));
    do {
      const std::string name = cursor_.expect_word("the name of a register");
      if (cursor_.accept("<")) {
        const std::uint64_t count = cursor_.expect_integer("a number of registers");
        cursor_.expect(">", "after the number of registers");
        if (count > 1u << 20) cursor_.fail(fmt::format("{} registers: no compiler writes more than a million", count));
        scopes_.declare_registers(name, static_cast<std::uint32_t>(count), *type);
      } else {
        scopes_.declare_register(name, *type);
      }
    } while (cursor_.accept(","));
    cursor_.expect(";", "after the registers");
  }

  std::uint32_t expect_register(const char* what) {
    const std::string name = cursor_.expect_word(what);
    const std::int64_t index = scopes_.find_register(name);
    if (index < 0) cursor_.fail(fmt::format("{} is not declared", name));
    return static_cast<std::uint32_t>(index);
  }

  void instruction() {
    Instruction instruction;
    instruction.place = location_.place(cursor_.peek().line);
    if (cursor_.accept("@")) {
      instruction.guarded = true;
      instruction.guard_negated = cursor_.accept("!");
      instruction.guard = expect_register("a predicate");
      if (function_.registers[instruction.guard].type != Type::pred)
        cursor_.fail(fmt::format("the guard {} is not a predicate", function_.registers[instruction.guard].name));
    }
    instruction.opcode = cursor_.expect_word("an instruction");
    while (cursor_.peek().kind == TokenKind::directive) instruction.modifiers.emplace_back(cursor_.take().text);
    opcode_ = instruction.opcode;
    if (instruction.opcode == "call") {
      call(instruction);
    } else if (!cursor_.peek().is(";")) {
      do instruction.operands.push_back(operand());
      while (cursor_.accept(","));
    }
    cursor_.expect(";", "after the instruction");
    function_.body.push_back(std::move(instruction));
  }

  void call(Instruction& instruction) {
    const auto list = [&] {
      do instruction.operands.push_back(operand());
      while (cursor_.accept(","));
      cursor_.expect(")", "after the list");
    };
    if (cursor_.accept("(")) {
      list();
      instruction.returns = static_cast<std::uint32_t>(instruction.operands.size());
      cursor_.expect(",", "after the returned values");
    }
    instruction.operands.push_back(operand());
    while (cursor_.accept(",")) {
      if (!cursor_.accept("(")) {
        cursor_.expect_word("a prototype");
      } else if (!cursor_.accept(")")) {
        list();
      }
    }
  }

  bool takes_labels() const { return opcode_ == "bra" || opcode_ == "brx"; }

  Operand operand() {
    Operand result;
    if (cursor_.accept("{")) {
      result.kind = OperandKind::vector;
      do result.parts.push_back(operand());
      while (cursor_.accept(","));
      cursor_.expect("}", "after the vector");
      return result;
    }
    if (cursor_.accept("[")) return address();
    if (cursor_.accept("!")) {
      result = operand();
      result.negated = true;
      return result;
    }
    if (cursor_.peek().is("-") && cursor_.peek(1).kind == TokenKind::word) {
      cursor_.take();
      result = operand();
      result.minus = true;
      return result;
    }
    if (cursor_.peek().kind != TokenKind::word) return literal();
    result = word();
    if (cursor_.accept("|")) {
      Operand pair;
      pair.kind = OperandKind::pair;
      pair.parts = {result, operand()};
      return pair;
    }
    return result;
  }

  Operand word() {
    Operand result;
    const std::uint32_t line = cursor_.peek().line;
    const std::string name(cursor_.take().text);
    if (name == "_") return result;
    if (const std::int64_t index = scopes_.find_register(name); index >= 0) {
      result.kind = OperandKind::reg;
      result.index = static_cast<std::uint32_t>(index);
      return result;
    }
    if (name == "WARP_SZ") {
      result.kind = OperandKind::immediate;
      result.bits = 32;
      return result;
    }
    if (name[0] == '%') {
      result.kind = OperandKind::special;
      result.name = name;
      if (cursor_.peek().kind == TokenKind::directive && cursor_.peek().glued)
        result.name.append(1, '.').append(cursor_.take().text);
      return result;
    }
    if (takes_labels() && function_.branch_tables.count(name) == 0) {
      result.kind = OperandKind::label;
      result.index = scopes_.refer_label(name, line);
      result.name = name;
      return result;
    }
    result.kind = OperandKind::symbol;
    result.name = scopes_.variable_name(name);
    if (cursor_.peek().is("+") || cursor_.peek().is("-")) result.addend = addend();
    return result;
  }

  std::int64_t addend() {
    const bool minus = cursor_.peek().is("-");
    cursor_.take();
    const auto value = static_cast<std::int64_t>(cursor_.expect_integer("an offset"));
    return minus ? -value : value;
  }

  Operand literal() {
    Operand result;
    result.kind = OperandKind::immediate;
    const bool minus = cursor_.accept("-");
    const bool complement = !minus && cursor_.accept("~");
    const Token& token = cursor_.peek();
    if (token.kind == TokenKind::integer) {
      result.bits = minus ? 0 - token.bits : complement ? ~token.bits : token.bits;
    } else if (token.kind == TokenKind::float32 || token.kind == TokenKind::float64) {
      result.is_float = true;
      result.single = token.kind == TokenKind::float32;
      result.bits = token.bits ^ (minus ? std::uint64_t{1} << (result.single ? 31 : 63) : 0);
    } else {
      cursor_.expected("an operand");
    }
    cursor_.take();
    return result;
  }

  // Behind '['. [base], [base + offset], and [base, {coordinates}] of the tensor forms.
  Operand address() {
    const std::string opcode = opcode_;
    Operand base = operand();
    if (base.kind != OperandKind::reg && base.kind != OperandKind::symbol && base.kind != OperandKind::immediate)
      cursor_.fail("the base of an address must be a register, a name or a number");
    base.base = base.kind;
    base.kind = OperandKind::address;
    if (cursor_.peek().is("+") || cursor_.peek().is("-")) base.addend += addend();
    while (cursor_.accept(",")) base.parts.push_back(operand());
    cursor_.expect("]", "after the address");
    return base;
  }

  Cursor& cursor_;
  Module& module_;
  Function& function_;
  Scopes scopes_;
  std::string opcode_;
  Location location_;
};

}  // namespace

void parse_body(Cursor& cursor, Module& module, Function& function) {
  Body(cursor, module, function).run();
}

void parse_file_directive(Cursor& cursor, Module& module) {
  const auto number = static_cast<std::uint32_t>(cursor.expect_integer("the number of a file"));
  if (cursor.peek().kind != TokenKind::string) cursor.expected("the name of a file");
  module.source_files[number] = std::string(cursor.take().text);
  while (cursor.accept(",")) cursor.expect_integer("time stamp or size");
}

void skip_section(Cursor& cursor) {
  while (!cursor.done() && !cursor.peek().is("{")) cursor.take();
  cursor.expect("{", "after the name of the section");
  cursor.skip_balanced("{", "}");
}

}  // namespace xqacheck::ptx
