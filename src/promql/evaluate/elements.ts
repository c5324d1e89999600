import { isArithmetic, isComparison, isTrim, type Binary, type BinaryOp } from '../ast.ts'
import type { Annotations, SampleType } from '../annotations.ts'
import type { Histogram } from '../../model/histogram.ts'
import { combineHistograms } from '../histogram/combine.ts'
import { areEqual } from '../histogram/equals.ts'
import { divideHistogram, multiplyHistogram } from '../histogram/scale.ts'
import { trimHistogram } from '../histogram/trim.ts'
import type { Element } from './histogram-cells.ts'
import { ARITHMETIC, COMPARISONS } from './operators.ts'

/** One operator between two samples, of which one or both may be native histograms. */
export type ElementOperation = (left: Element, right: Element) => Element | undefined

/**
 * The result of an operator for two samples: `undefined` where a comparison is false, and where the two cannot be
 * combined, which is reported. A comparison returns its left side, or 1 and 0 with `bool`.
 */
export function elementOperation(expr: Binary, annotations: Annotations): ElementOperation {
  const { op, isBool } = expr
  const shown = (holds: boolean, left: Element): Element | undefined =>
    isBool ? (holds ? 1 : 0) : holds ? left : undefined
  const refuse = (left: Element, right: Element): Element | undefined => {
    annotations.inform('incompatibleTypes', expr, typeOfElement(left), op, typeOfElement(right))
    return undefined
  }
  return (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      if (isComparison(op)) return shown(COMPARISONS[op](left, right), left)
      return isArithmetic(op) ? ARITHMETIC[op](left, right) : refuse(left, right)
    }
    if (typeof left === 'number') {
      return op === '*' && typeof right !== 'number' ? multiplyHistogram(right, left) : refuse(left, right)
    }
    if (typeof right === 'number') return histogramWithNumber(op, left, right) ?? refuse(left, right)
    if (op === '+' || op === '-') return combined(expr, left, right, annotations)
    if (op === '==' || op === '!=') return shown(areEqual(left, right) === (op === '=='), left)
    return refuse(left, right)
  }
}

function typeOfElement(element: Element): SampleType {
  return typeof element === 'number' ? 'float' : 'histogram'
}

function histogramWithNumber(op: BinaryOp, histogram: Histogram, value: number): Histogram | undefined {
  if (op === '*') return multiplyHistogram(histogram, value)
  if (op === '/') return divideHistogram(histogram, value)
  return isTrim(op) ? trimHistogram(histogram, value, op === '</' ? 'below' : 'above') : undefined
}

function combined(expr: Binary, left: Histogram, right: Histogram, annotations: Annotations): Histogram | undefined {
  const isSum = expr.op === '+'
  const result = combineHistograms(left, right, isSum ? 1 : -1)
  if (result === undefined) {
    annotations.warn('incompatibleBuckets', expr, expr.op)
    return undefined
  }
  const operation = isSum ? 'addition' : 'subtraction'
  if (result.isCollision) annotations.warn('resetCollision', expr, operation)
  if (result.isReconciled) annotations.inform('reconciledBounds', expr, operation)
  return isSum ? result.histogram : { ...result.histogram, counterReset: 'gauge' }
}
