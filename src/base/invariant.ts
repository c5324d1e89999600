/** A bug of ours: the program's own promise is broken. Never used for input. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws when `holds` is false. The sentence says what must be true, and is read by whoever debugs it. */
export function invariant(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new InvariantError(`bug: ${sentence}`)
}
