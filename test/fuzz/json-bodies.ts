import { mutated, mutatedJson, pick, type Random } from './mutate.ts'

/** Draws JSON bodies of a corpus that went wrong: a quarter of them broken as bytes, the others as values. */
export function jsonBodies(corpus: readonly Uint8Array[]): (random: Random) => Uint8Array {
  const trees = corpus.flatMap(parsed)
  return (random) => {
    if (random(4) === 0) return mutated(random, corpus)
    let tree = pick(random, trees)
    for (let i = random(2) === 0 ? 0 : random(3); i >= 0; i--) tree = mutatedJson(random, tree)
    return Buffer.from(JSON.stringify(tree))
  }
}

function parsed(body: Uint8Array): unknown[] {
  try {
    return [JSON.parse(Buffer.from(body).toString())]
  } catch {
    return []
  }
}
