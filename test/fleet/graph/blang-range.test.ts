import { describe, expect, test } from 'vitest'
import { parseRange } from '../../../src/fleet/graph/blang-range.ts'

describe('a range in blang semver syntax', () => {
  test.each([
    ['>=4.17.1 <4.18.0', '4.17.1 4.17.9 4.18.0-rc.1', '4.17.0 4.18.0 4.17.1-rc.1'],
    ['<1.19.0', '1.18.9 0.0.1 1.19.0-rc.0', '1.19.0 1.20.0'],
    ['<=1.19.0', '1.19.0', '1.19.1'],
    ['>1.0.0', '1.0.1', '1.0.0'],
    ['1.2.3', '1.2.3 1.2.3+build', '1.2.4'],
    ['=1.2.3', '1.2.3', '1.2.4'],
    ['==1.2.3', '1.2.3', '1.2.2'],
    ['!1.2.3', '1.2.4', '1.2.3'],
    ['!=1.2.3 >=1.2.0', '1.2.4', '1.2.3 1.1.0'],
    ['>= 1.0.0 < 2.0.0', '1.5.0', '2.0.0 0.9.0'],
    ['<1.0.0 || >=2.0.0', '0.9.0 2.0.0', '1.0.0 1.9.9'],
    ['1.2.x', '1.2.0 1.2.9 1.3.0-rc.1', '1.3.0 1.1.9 1.2.0-rc.1'],
    ['1.x', '1.0.0 1.99.0', '2.0.0 0.9.0'],
    ['1.x.x', '1.0.0', '2.0.0'],
    ['>1.2.x', '1.3.0', '1.2.9'],
    ['>=1.2.x', '1.2.0', '1.1.9'],
    ['<1.2.x', '1.1.9', '1.2.0'],
    ['<=1.2.x', '1.2.9', '1.3.0'],
    ['>=1.0.0', '1.0.0', 'v1.0.0 one 1.0 01.0.0'],
    // As blang has it: both at once.
    ['!1.2.x', '', '1.1.0 1.2.0 1.3.0'],
  ])('%s has %s and not %s', (range, inside, outside) => {
    const isIn = parseRange(range)
    const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')
    expect(words(inside).filter((version) => isIn?.(version) !== true)).toEqual([])
    expect(words(outside).filter((version) => isIn?.(version) !== false)).toEqual([])
  })

  test.each([
    '',
    ' ',
    '~1.2.3',
    '^1.2.3',
    '1.2',
    '>=1.2',
    'x',
    '>=v1.0.0',
    '>=1.0.0 ||',
    '=>1.0.0',
    '1.0.0 - 2.0.0',
    `>=1.0.0${' '.repeat(1000)}`,
    's\n',
    '>=1.0.0\n',
    '1.2.x\n',
  ])('%j is no range', (text) => {
    expect(parseRange(text)).toBeUndefined()
  })
})
