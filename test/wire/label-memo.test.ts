import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { readLabelFields } from '../../src/wire/label-fields.ts'
import { LabelMemo } from '../../src/wire/label-memo.ts'
import { encodeLabels } from '../../src/wire/remote-write-encode.ts'

const LIMITS = { labelsMax: 6, textBytesMax: 40 }

function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const text = fc.oneof(fc.constantFrom('a', 'b', '__name__', 'kubevirt', 'x'.repeat(41)), fc.string({ unit: 'binary' }))
const labelSets = fc.dictionary(text, text, { maxKeys: 8 }).map((labels) => encodeLabels(Labels.of(labels)))

describe('the memory of labels', () => {
  test('reads what is read without it, for the first time and again', () => {
    const memo = new LabelMemo(LIMITS)
    fc.assert(
      fc.property(labelSets, fc.nat(9), (bytes, before) => {
        const framed = new Uint8Array(before + bytes.length + 3)
        framed.set(bytes, before)
        const plain = readLabelFields(viewOf(bytes), 0, bytes.length, LIMITS)
        for (let again = 0; again < 2; again++) {
          expect(memo.read(viewOf(framed), before, bytes.length)).toEqual(plain)
        }
      }),
    )
  })

  test('finds the same fault in bytes that are no labels', () => {
    const memo = new LabelMemo(LIMITS)
    fc.assert(
      fc.property(labelSets, fc.nat(), fc.nat(255), fc.nat(5), (bytes, at, to, cut) => {
        const bad = bytes.slice(0, Math.max(0, bytes.length - cut))
        if (bad.length > 0) bad[at % bad.length] = to
        const plain = outcome(() => readLabelFields(viewOf(bad), 0, bad.length, LIMITS))
        expect(outcome(() => memo.read(viewOf(bad), 0, bad.length))).toEqual(plain)
      }),
      { numRuns: 500 },
    )
  })

  test('gives the same object for the same bytes, and starts over when it is full', () => {
    const memo = new LabelMemo({ labelsMax: 64, textBytesMax: 1024 })
    const read = (number: number) => {
      const bytes = encodeLabels(Labels.of({ pod: `virt-launcher-${number}` }))
      return memo.read(viewOf(bytes), 0, bytes.length)[0]!
    }
    const first = read(0)
    expect(read(0)).toBe(first)
    for (let number = 1; number < 70_000; number++) expect(read(number).value).toBe(`virt-launcher-${number}`)
    expect(read(0)).not.toBe(first)
    expect(read(0)).toEqual(first)
  })
})
