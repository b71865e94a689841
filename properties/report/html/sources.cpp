#include "properties/report/html/sources.hpp"

#include <array>

namespace xqacheck::properties::html {

// Defined in the generated sources: one constant a file.
extern const char* const text_of_page_html;
extern const char* const text_of_page_css;
extern const char* const text_of_parts_css;
extern const char* const text_of_charts_css;
extern const char* const text_of_print_css;
extern const char* const text_of_dom_js;
extern const char* const text_of_numbers_js;
extern const char* const text_of_data_js;
extern const char* const text_of_copy_js;
extern const char* const text_of_data_table_js;
extern const char* const text_of_figure_js;
extern const char* const text_of_axes_js;
extern const char* const text_of_length_chart_js;
extern const char* const text_of_heat_map_js;
extern const char* const text_of_stacked_bars_js;
extern const char* const text_of_verdict_detail_js;
extern const char* const text_of_filters_js;
extern const char* const text_of_verdicts_js;
extern const char* const text_of_overview_js;
extern const char* const text_of_failures_js;
extern const char* const text_of_error_section_js;
extern const char* const text_of_surroundings_js;
extern const char* const text_of_records_js;
extern const char* const text_of_causes_js;
extern const char* const text_of_budgets_js;
extern const char* const text_of_speed_js;
extern const char* const text_of_power_js;
extern const char* const text_of_main_js;

const char* page_template() {
  return text_of_page_html;
}

std::span<const char* const> style_sheets() {
  static const std::array sheets{text_of_page_css, text_of_parts_css, text_of_charts_css, text_of_print_css};
  return sheets;
}

std::span<const char* const> scripts() {
  static const std::array files{
      text_of_dom_js,          text_of_numbers_js,      text_of_data_js,           text_of_copy_js,
      text_of_data_table_js,   text_of_figure_js,       text_of_axes_js,           text_of_length_chart_js,
      text_of_heat_map_js,     text_of_stacked_bars_js, text_of_verdict_detail_js, text_of_filters_js,
      text_of_verdicts_js,     text_of_overview_js,     text_of_failures_js,       text_of_error_section_js,
      text_of_surroundings_js, text_of_records_js,      text_of_causes_js,         text_of_budgets_js,
      text_of_speed_js,        text_of_power_js,        text_of_main_js,
  };
  return files;
}

}  // namespace xqacheck::properties::html
