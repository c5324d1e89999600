/** Names that look like another one, for "did you mean". Pure. */

/** Below this share of common pieces two names have nothing to do with each other. */
const ALIKE_LEAST = 0.45

/** The most alike first, at most `most`. Two names are as alike as the pieces of three letters that both have. */
export function similarNames(name: string, names: readonly string[], most: number): readonly string[] {
  const wanted = piecesOf(name)
  const scored = names.flatMap((one) => {
    const pieces = piecesOf(one)
    let common = 0
    for (const piece of pieces) if (wanted.has(piece)) common++
    const score = (2 * common) / Math.max(1, wanted.size + pieces.size)
    return score >= ALIKE_LEAST && one !== name ? [{ one, score }] : []
  })
  scored.sort((a, b) => b.score - a.score || (a.one < b.one ? -1 : 1))
  return scored.slice(0, most).map(({ one }) => one)
}

function piecesOf(name: string): ReadonlySet<string> {
  const padded = `^${name.toLowerCase()}$`
  const pieces = new Set<string>()
  for (let i = 0; i + 3 <= padded.length; i++) pieces.add(padded.slice(i, i + 3))
  return pieces
}
