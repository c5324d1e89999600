import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BodyRing, type BodyPlace } from '../../src/threads/body-ring.ts'

function inPieces(body: Uint8Array): Uint8Array[] {
  const middle = body.length >>> 1
  return [body.subarray(0, middle), body.subarray(middle)]
}

describe('the ring of request bodies', () => {
  test('a body lies untouched until its place is given back, in whatever order that happens', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('take' as const), length: fc.nat(40) }),
      fc.record({ kind: fc.constant('giveBack' as const), which: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const memory = new SharedArrayBuffer(100)
        const bytes = new Uint8Array(memory)
        const ring = new BodyRing(memory)
        const held: { place: BodyPlace; fill: number }[] = []
        steps.forEach((one, number) => {
          if (one.kind === 'take') {
            const fill = (number % 250) + 1
            const place = ring.take(inPieces(new Uint8Array(one.length).fill(fill)))
            if (place !== undefined) held.push({ place, fill })
          } else if (held.length > 0) ring.giveBack(held.splice(one.which % held.length, 1)[0]!.place)
          for (const { place, fill } of held) {
            const body = bytes.subarray(place.start, place.start + place.length)
            expect(body.every((byte) => byte === fill)).toBe(true)
            expect(body.length).toBe(place.length)
          }
        })
        // When all is given back, all of the memory is there again.
        for (const { place } of held) ring.giveBack(place)
        expect(ring.take([new Uint8Array(100)])).toEqual({ start: 0, length: 100, isFree: false })
      }),
    )
  })

  test('says when there is no room, and has some again when the oldest are given back', () => {
    const ring = new BodyRing(new SharedArrayBuffer(100))
    expect(ring.take([new Uint8Array(101)])).toBeUndefined()
    const [first, second] = [ring.take([new Uint8Array(50)]), ring.take([new Uint8Array(40)])]
    expect(ring.take([new Uint8Array(20)])).toBeUndefined()
    ring.giveBack(first!)
    expect(ring.take([new Uint8Array(20)])?.start).toBe(0)
    ring.giveBack(second!)
    expect(ring.take([new Uint8Array(70)])?.start).toBe(20)
  })

  test('a place given back twice is a bug', () => {
    const ring = new BodyRing(new SharedArrayBuffer(10))
    const place = ring.take([new Uint8Array(1)])!
    ring.giveBack(place)
    expect(() => {
      ring.giveBack(place)
    }).toThrow('once')
  })
})
