#include "reference/normal_table.hpp"

#include <cmath>
#include <vector>

#include "reference/elementary.hpp"

namespace xqacheck::reference {
namespace {

constexpr int kQuantiles = 65536;

// Rational approximations of Wichura, "Algorithm AS 241: the percentage points of the normal distribution",
// Applied Statistics 37 (1988), PPND16. Coefficients from the highest power down.
constexpr double kCentreTop[] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                 45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                 133.14166789178437745, 3.387132872796366608};
constexpr double kCentreBottom[] = {
    5226.495278852545925,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1.0};
constexpr double kNearTop[] = {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
                               1.27045825245236838258,   3.64784832476320460504,   5.7694972214606914055,
                               4.6303378461565452959,    1.42343711074968357734};
constexpr double kNearBottom[] = {
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455,    1.6763848301838038494,   2.05319162663775882187,   1.0};
constexpr double kFarTop[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
                              0.026532189526576123093,   0.29656057182850489123,    1.7848265399172913358,
                              5.4637849111641143699,     6.6579046435011037772};
constexpr double kFarBottom[] = {
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525,   0.13692988092273580531,   0.59983220655588793769,   1.0};

double ratio(const double (&top)[8], const double (&bottom)[8], double x) {
  double a = top[0], b = bottom[0];
  for (int i = 1; i < 8; ++i) {
    a = a * x + top[i];
    b = b * x + bottom[i];
  }
  return a / b;
}

std::vector<float> make_table() {
  std::vector<float> table(kQuantiles);
  for (int r = 0; r < kQuantiles / 2; ++r) {
    table[r] = static_cast<float>(normal_quantile((r + 0.5) / kQuantiles));
    table[kQuantiles - 1 - r] = -table[r];
  }
  return table;
}

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) return q * ratio(kCentreTop, kCentreBottom, 0.180625 - q * q);
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double size = r <= 5 ? ratio(kNearTop, kNearBottom, r - 1.6) : ratio(kFarTop, kFarBottom, r - 5);
  return q < 0 ? -size : size;
}

const float* normal_table() {
  static const std::vector<float> table = make_table();
  return table.data();
}

}  // namespace xqacheck::reference
