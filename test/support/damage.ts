import fc from 'fast-check'

/** What may happen to bytes on their way: one is another, or the rest is missing. */
export interface Damage {
  readonly at: number
  readonly byte: number
  readonly isCut: boolean
}

export const arbitraryDamage: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({ at: fc.nat(), byte: fc.nat(255), isCut: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
)

/** A copy with all of it done. */
export function damaged(intact: Uint8Array, damage: readonly Damage[]): Uint8Array {
  let bytes = Uint8Array.from(intact)
  for (const { at, byte, isCut } of damage) {
    if (bytes.length === 0) break
    if (isCut && at % 3 === 0) bytes = bytes.slice(0, at % bytes.length)
    else bytes[at % bytes.length] = byte
  }
  return bytes
}
