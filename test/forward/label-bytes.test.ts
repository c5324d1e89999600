import { expect, test } from 'vitest'
import { LabelBytes } from '../../src/forward/label-bytes.ts'
import type { SeriesSource } from '../../src/forward/sample-source.ts'

/** Series of `perBatch` refs each; pair `n` is `name_n="value n"`, long and not ASCII now and then. */
function sourceOf(perBatch: number): SeriesSource & { loads: number } {
  return {
    loads: 0,
    eachSeriesNear(ref, visit) {
      this.loads++
      const first = ref - (ref % perBatch)
      for (let near = first; near < first + perBatch; near++) if (near % 7 !== 6) visit(near, pairsOf(near))
    },
    pairOf: (id) => (id === 13 ? undefined : [`name_${id}`, valueOf(id)]),
    coldLabelsOf: (ref) => (ref === 6 ? ['cold', 'yes'] : undefined),
  }
}

const pairsOf = (ref: number): number[] => [1, 2, ref + 100]
const valueOf = (id: number): string => (id % 5 === 0 ? 'é'.repeat(id * 3) : `value ${id}`)
const flat = (ref: number): string[] => pairsOf(ref).flatMap((id) => [`name_${id}`, valueOf(id)])

test('labels are written as fields, and read back', () => {
  const labels = new LabelBytes(sourceOf(10))
  for (let ref = 0; ref < 6; ref++) {
    expect(labels.flatOf(ref)).toEqual(flat(ref))
    const target = new DataView(new ArrayBuffer(labels.byteLength(ref) + 3))
    expect(labels.write(ref, target, 3)).toBe(target.byteLength)
    expect(new Uint8Array(target.buffer, 3)).toEqual(labels.fieldsOf(ref))
  }
})

test('series that are stored together are loaded together', () => {
  const source = sourceOf(10)
  const labels = new LabelBytes(source)
  for (let ref = 0; ref < 6; ref++) labels.byteLength(ref)
  expect(source.loads).toBe(1)
})

test('a series without samples is found, and one that was removed has no labels', () => {
  const labels = new LabelBytes(sourceOf(10))
  expect(labels.flatOf(6)).toEqual(['cold', 'yes'])
  expect(labels.byteLength(13)).toBe(0)
  expect(labels.write(13, new DataView(new ArrayBuffer(8)), 5)).toBe(5)
  // One of its pairs was removed.
  const erased = new LabelBytes({
    ...sourceOf(1),
    eachSeriesNear: (ref, visit) => {
      visit(ref, [1, 13])
    },
  })
  expect(erased.byteLength(3)).toBe(0)
})

test('memory has a limit: what is needed is loaded again', () => {
  const source = sourceOf(10)
  const labels = new LabelBytes(source, 4000)
  for (let round = 0; round < 3; round++) {
    for (let ref = 0; ref < 2000; ref += 10) expect(labels.flatOf(ref)).toEqual(ref % 7 === 6 ? [] : flat(ref))
  }
  expect(source.loads).toBeGreaterThan(500)
})
