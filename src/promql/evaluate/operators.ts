import type { ArithmeticOp, ComparisonOp } from '../ast.ts'

/** Arithmetic of two numbers, with Go's results where JavaScript's differ. */
export const ARITHMETIC: Readonly<Record<ArithmeticOp, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': power,
  atan2: Math.atan2,
}

export const COMPARISONS: Readonly<Record<ComparisonOp, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<=': (a, b) => a <= b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
}

/** IEEE 754 power: 1 to any power is 1, and so is -1 to an infinite one; JavaScript returns NaN for both. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1
  return base ** exponent
}
