import type { Labels } from '../../model/labels.ts'
import { quote } from '../literals.ts'

/** A label set with the name among the labels, as Prometheus' errors show it. */
export function describeLabels(labels: Labels): string {
  return `{${[...labels.pairs()].map(([name, value]) => `${name}=${quote(value)}`).join(', ')}}`
}
