#include "properties/report/html/sources.hpp"

#include <array>

namespace xqacheck::properties::html {

// Defined in the generated sources.
extern const char *const text_of_page_html,
    *const text_of_page_css,
        *const text_of_parts_css,
            *const text_of_charts_css,
                *const text_of_print_css,
                    *const text_of_dom_js,
                        *const text_of_numbers_js,
                            *const text_of_data_js,
                                *const text_of_copy_js,
                                    *const text_of_data_table_js,
                                        *const text_of_figure_js,
                                            *const text_of_axes_js,
                                                *const text_of_length_chart_js,
                                                    *const text_of_heat_map_js,
                                                        *const text_of_verdict_detail_js,
                                                            *const text_of_filters_js,
                                                                *const text_of_verdicts_js,
                                                                    *const text_of_overview_js,
                                                                        *const text_of_failures_js,
                                                                            *const text_of_error_section_js,
                                                                                *const text_of_surroundings_js,
                                                                                    *const text_of_records_js,
                                                                                        *const text_of_budgets_js,
                                                                                            *const text_of_speed_js,
                                                                                                *const text_of_power_js,
                                                                                                    *const
                                                                                                        text_of_main_js;

const char* page_template() {
  return text_of_page_html;
}

std::span<const char* const> style_sheets() {
  static const std::array sheets{text_of_page_css, text_of_parts_css, text_of_charts_css, text_of_print_css};
  return sheets;
}

std::span<const char* const> scripts() {
  static const std::array files{
      text_of_dom_js,        text_of_numbers_js,        text_of_data_js,          text_of_copy_js,
      text_of_data_table_js, text_of_figure_js,         text_of_axes_js,          text_of_length_chart_js,
      text_of_heat_map_js,   text_of_verdict_detail_js, text_of_filters_js,       text_of_verdicts_js,
      text_of_overview_js,   text_of_failures_js,       text_of_error_section_js, text_of_surroundings_js,
      text_of_records_js,    text_of_budgets_js,        text_of_speed_js,         text_of_power_js,
      text_of_main_js};
  return files;
}

}  // namespace xqacheck::properties::html
