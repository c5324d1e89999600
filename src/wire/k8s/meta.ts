import { timeMsAt } from './object-value.ts'
import type { ObjectValue } from './object-value.ts'

/** What is kept of the metadata of every kind. */
export function timesOf(object: ObjectValue): {
  readonly createdMs: number | undefined
  readonly deletingMs: number | undefined
} {
  return {
    createdMs: timeMsAt(object, 'metadata', 'creationTimestamp'),
    deletingMs: timeMsAt(object, 'metadata', 'deletionTimestamp'),
  }
}
