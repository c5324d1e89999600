/** A bug in this program. Never used for invalid input. */
class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws when `holds` is false. The sentence states what must be true. */
export function invariant(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new InvariantError(`bug: ${sentence}`)
}
