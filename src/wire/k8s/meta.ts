import { timeMsAt, type ObjectValue } from './object-value.ts'

/** The stored metadata of every kind. */
export function timesOf(object: ObjectValue): {
  readonly createdMs: number | undefined
  readonly deletingMs: number | undefined
} {
  return {
    createdMs: timeMsAt(object, 'metadata', 'creationTimestamp'),
    deletingMs: timeMsAt(object, 'metadata', 'deletionTimestamp'),
  }
}
