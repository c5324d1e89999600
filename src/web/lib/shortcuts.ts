/**
 * Which command a key press means. Pure: the listener keeps `pending`, the first key of a sequence such as `g n`,
 * and gives it back with the next key.
 */
export interface KeyStep {
  /** The binding that was completed, when one was. */
  readonly command?: string
  /** The first key of a sequence that has begun. */
  readonly pending: string
}

/** @param bindings keys as they are written in the cheatsheet: `j`, `/`, `g n` */
export function stepKey(pending: string, key: string, bindings: readonly string[]): KeyStep {
  const sequence = pending === '' ? key : `${pending} ${key}`
  if (bindings.includes(sequence)) return { command: sequence, pending: '' }
  if (bindings.some((binding) => binding.startsWith(`${sequence} `))) return { pending: sequence }
  // A broken sequence does not swallow a key that means something by itself.
  return pending === '' ? { pending: '' } : stepKey('', key, bindings)
}
