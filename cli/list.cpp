// xqacheck list: what there is to choose from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>

#include "cli/commands.hpp"
#include "kernels/plugin.hpp"
#include "kernels/registry.hpp"
#include "properties/errors.hpp"
#include "properties/isolation/process_runner.hpp"
#include "properties/property.hpp"
#include "reference/names.hpp"

namespace xqacheck::cli {
namespace {

void print_kernel(const xqacheck_description& kernel) {
  const std::string recipe =
      kernel.recipe ? fmt::format("recipe {} {}", kernel.recipe->family, kernel.recipe->arch) : "no recipe";
  fmt::print("{:<20} {:<10} {:<5} {}{}\n", kernel.name, kernel.version ? kernel.version : "",
             kernel.memory == XQACHECK_CUDA ? "cuda" : "host", recipe,
             kernel.deterministic ? "" : ", not deterministic");
}

void list_kernels(const std::vector<std::string>& plugins) {
  if (plugins.empty())
    for (const xqacheck_kernel* kernel : kernels::builtin_kernels()) print_kernel(*kernel->describe());
  for (const std::string& plugin : plugins) {
    try {
      for (const kernels::OwnedDescription& kernel : properties::list_kernels(plugin)) print_kernel(kernel.get());
    } catch (const kernels::LoadError& error) {
      throw properties::UsageError(fmt::format("{}: {}", plugin, error.what()));
    }
  }
}

void list_properties() {
  for (const properties::Property* property : properties::all_properties())
    fmt::print("{:<10} {}\n", property->id, property->law);
}

void list_names(std::span<const std::string_view> names, std::span<const std::string_view> descriptions) {
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("{:<10} {}\n", names[i], descriptions[i]);
}

}  // namespace

void add_list_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "Say what kernels, properties, data kinds and page tables there are");
  command->require_subcommand(1);
  auto plugins = std::make_shared<std::vector<std::string>>();
  CLI::App* kernels = command->add_subcommand("kernels", "Built-in kernels, or those of a plug-in");
  kernels->add_option("plugins", *plugins, "./plugin.so …")->type_name("PLUGIN");
  kernels->callback([plugins] { list_kernels(*plugins); });
  command->add_subcommand("properties", "Laws that a kernel must obey: --property, prop=")->callback(list_properties);
  command->add_subcommand("data", "What tensors hold: data=")->callback([] {
    list_names(reference::data_names(), reference::data_descriptions());
  });
  command->add_subcommand("tables", "How page tables are filled: table=")->callback([] {
    list_names(reference::table_names(), reference::table_descriptions());
  });
}

}  // namespace xqacheck::cli
