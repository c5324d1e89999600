import type { FieldManager } from '../../model/observation.ts'
import { listAt, textOr, timeMsAt, type ObjectValue } from './object-value.ts'

/**
 * The last writer of an object, from `metadata.managedFields`: the entry with the newest time. Its owned fields are
 * skipped (`fieldsV1`, most of the bytes of an object), so a write between two sightings hides the one before it.
 * `undefined` when the Collector truncated the list, or more than one entry has no time.
 */
export function fieldManagerOf(object: ObjectValue): FieldManager | undefined {
  let newest: ObjectValue
  let newestMs = -Infinity
  const entries = listAt(object, 'metadata', 'managedFields') ?? []
  for (const entry of entries) {
    const timeMs = timeMsAt(entry, 'time') ?? (entries.length === 1 ? 0 : -Infinity)
    // Of one second the later entry: the API server sorts them by time and name.
    if (timeMs === -Infinity || timeMs < newestMs) continue
    newest = entry
    newestMs = timeMs
  }
  const name = wordAt(newest, 'manager')
  if (name === '') return undefined
  return { name, operation: wordAt(newest, 'operation'), subresource: wordAt(newest, 'subresource') }
}

/** Kubernetes' limit: 128 printable characters. */
const WORD_CHARS_MAX = 128

function wordAt(entry: ObjectValue, key: string): string {
  const word = textOr(entry, key)
  return word.length > WORD_CHARS_MAX || /\p{Cc}/u.test(word) ? '' : word
}
