import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOf, noiseAt, randomOf } from '../../sim/random.ts'

describe('random', () => {
  test('a name always gives the same numbers, whatever else was drawn', () => {
    const draw = (): number[] => {
      const random = randomOf('seed', 'cluster', 7)
      return [random.next(), random.int(1, 6), random.next()]
    }
    const before = draw()
    randomOf('seed', 'cluster', 8).next()
    expect(draw()).toEqual(before)
  })

  test.each([
    ['another seed', ['other', 'cluster', 7]],
    ['another name', ['seed', 'plan', 7]],
    ['another number', ['seed', 'cluster', 8]],
    ['the parts joined elsewhere', ['seedcluster', 7]],
  ] as const)('%s gives other numbers', (_, name) => {
    expect(randomOf(...name).next()).not.toBe(randomOf('seed', 'cluster', 7).next())
  })

  test('whole numbers stay in their bounds and reach both', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 3 }), (name, min, span) => {
        const random = randomOf(name)
        const seen = new Set(Array.from({ length: 200 }, () => random.int(min, min + span)))
        expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: span + 1 }, (_, i) => min + i))
      }),
    )
  })

  test('weights decide how often', () => {
    const random = randomOf('weights')
    const counts = { rare: 0, often: 0, never: 0 }
    for (let i = 0; i < 4000; i++) {
      counts[
        random.weighted([
          ['rare', 1],
          ['never', 0],
          ['often', 3],
        ] as const)
      ]++
    }
    expect(counts.never).toBe(0)
    expect(counts.often / counts.rare).toBeGreaterThan(2.5)
    expect(counts.often / counts.rare).toBeLessThan(3.5)
  })

  test('noise is spread over [0, 1) and depends on its point only', () => {
    const stream = hashOf('noise')
    const points = Array.from({ length: 2000 }, (_, i) => noiseAt(stream, i))
    expect(points.every((point) => point >= 0 && point < 1)).toBe(true)
    const mean = points.reduce((sum, point) => sum + point, 0) / points.length
    expect(mean).toBeGreaterThan(0.45)
    expect(mean).toBeLessThan(0.55)
    expect(noiseAt(stream, 1234)).toBe(points[1234])
  })
})
