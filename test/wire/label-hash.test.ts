import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { hashBytes } from '../../src/wire/label-hash.ts'
import { encodeLabels } from '../../src/wire/remote-write-encode.ts'

const KEY = Int32Array.of(0x12345678, -5, 77, 0x0badcafe)

function hashOf(bytes: Uint8Array, key = KEY): number[] {
  const words = new Int32Array(4)
  hashBytes(key, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length, words, 0)
  return [...words]
}

function bitsBetween(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, word, i) => {
    let bits = 0
    for (let left = word ^ b[i]!; left !== 0; left &= left - 1) bits++
    return sum + bits
  }, 0)
}

describe('the label hash', () => {
  test('depends on the bytes, their number and the key, and on nothing around them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(20), (bytes, before) => {
        const framed = Uint8Array.from({ length: before + bytes.length + 5 }, (_, i) => i * 7)
        framed.set(bytes, before)
        const words = new Int32Array(8)
        hashBytes(KEY, new DataView(framed.buffer), before, bytes.length, words, 4)
        expect([...words]).toEqual([0, 0, 0, 0, ...hashOf(bytes)])
        expect(hashOf(bytes, Int32Array.of(1, 2, 3, 4))).not.toEqual(hashOf(bytes))
        expect(hashOf(Uint8Array.of(...bytes, 0))).not.toEqual(hashOf(bytes))
      }),
      { seed: 1 },
    )
  })

  test('does not read behind the end of its buffer', () => {
    for (let length = 0; length < 40; length++) expect(() => hashOf(new Uint8Array(length))).not.toThrow()
  })

  test('a bit of input changes about half of the bits, wherever it stands', () => {
    const bytes = Uint8Array.from(
      Buffer.from('\n\x0c\n\x08__name__\x12\x00 kubevirt_vmi_phase_count, job="a", pod="b-6f7d9c"'),
    )
    const before = hashOf(bytes)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
      const changed = bitsBetween(before, hashOf(bytes))
      expect(changed, `bit ${bit}`).toBeGreaterThan(32)
      expect(changed, `bit ${bit}`).toBeLessThan(96)
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
    }
  })

  test('each word alone tells the label sets of a fleet apart as well as chance allows', () => {
    const words = [new Set<number>(), new Set<number>(), new Set<number>(), new Set<number>()]
    let count = 0
    // The same number at three places, in all three alignments: what would cancel out in a weaker hash.
    for (let cluster = 0; cluster < 16; cluster++) {
      for (let vm = 0; vm < 1000; vm++) {
        const name = `vm-${String(vm).padStart(4, '0')}`
        const labels = Labels.of({
          __name__: 'kubevirt_vmi_info',
          cluster_id: `2c0d4e9a-5b77-4d0c-9c55-${String(cluster).padStart(12, '0')}`,
          name,
          pod: `virt-launcher-${name}-x${vm % 7}`,
          vmi_pod: 'x'.repeat(cluster % 16) + name,
        })
        hashOf(encodeLabels(labels)).forEach((word, i) => words[i]!.add(word))
        count++
      }
    }
    // 16,000 of 2^32: 0.03 pairs are expected to meet by chance.
    for (const seen of words) expect(seen.size).toBeGreaterThanOrEqual(count - 2)
  })

  test('digits at any three places of a text never make two texts one', () => {
    const places = fc.uniqueArray(fc.nat(95), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(places, (at) => {
        const bytes = new Uint8Array(96).fill(0x61)
        const seen = new Set<string>()
        for (let n = 0; n < 512; n++) {
          at.forEach((place, i) => (bytes[place] = 0x30 + ((n >>> (3 * i)) & 7)))
          seen.add(hashOf(bytes).join())
        }
        expect(seen.size).toBe(512)
      }),
      { seed: 2, numRuns: 100 },
    )
  })
})
