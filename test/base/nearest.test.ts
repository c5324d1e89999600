import { describe, expect, test } from 'vitest'
import { editDistance, nearest } from '../../src/base/nearest.ts'

describe('editDistance', () => {
  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['listen', 'listen', 0],
  ])('%j to %j takes %i edits', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
    expect(editDistance(b, a)).toBe(distance)
  })
})

describe('nearest', () => {
  test.each([
    ['retention.raws', ['retention.raw', 'listen'], ['retention.raw']],
    ['LISTEN', ['listen', 'log.level'], ['listen']],
    ['crmodified', ['KubeVirtCRModified', 'VirtAPIDown'], ['KubeVirtCRModified']],
    ['zzzzzzzz', ['listen', 'data'], []],
    ['', ['listen'], []],
  ])('%j among %j', (typed, known, want) => {
    expect(nearest(typed, known)).toEqual(want)
  })
})
