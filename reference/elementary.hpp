// log, exp, sin and cos from + - * / alone: equal bits on every compiler and machine, which no libm promises. Accurate
// to a few units of the 53rd bit in the ranges named; nothing here needs the last one.
#pragma once

namespace xqacheck::reference {

double portable_log(double x);  // x positive, normal and finite
double portable_exp(double x);  // |x| <= 700
struct SinCos {
  double sin, cos;
};
SinCos portable_sincos(double x);  // |x| <= 2^26

}  // namespace xqacheck::reference
