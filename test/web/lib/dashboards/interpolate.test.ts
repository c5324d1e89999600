import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { interpolatePromql, interpolateText, variablesIn } from '../../../../src/web/lib/dashboards/interpolate.ts'

const VALUES = new Map([
  ['one', { values: ['a.b'], isPattern: false }],
  ['two', { values: ['a.b', 'c"d'], isPattern: false }],
  ['all', { values: ['.*'], isPattern: true }],
  ['__range', { values: ['3600s'], isPattern: true }],
  ['__range_ms', { values: ['3600000'], isPattern: true }],
])

describe('a variable in PromQL', () => {
  test.each([
    ['up{a="$one"}', 'up{a="a.b"}'],
    ['up{a=~"$one"}', String.raw`up{a=~"a\\.b"}`],
    ['up{a=~"$two"}', String.raw`up{a=~"(a\\.b|c\"d)"}`],
    ['up{a!~ "x-${two}-y"}', String.raw`up{a!~ "x-(a\\.b|c\"d)-y"}`],
    ['up{a=~"$all"}', 'up{a=~".*"}'],
    ['up{b="it\\"s", a=~"$one"}', String.raw`up{b="it\"s", a=~"a\\.b"}`],
    ['rate(up[$__range]) * $__range_ms', 'rate(up[3600s]) * 3600000'],
    ['topk($__range_ms, up) # =~"$one"', 'topk(3600000, up) # =~"a.b"'],
    ['up{a=~"${two:regex}"}', String.raw`up{a=~"(a\\.b|c"d)"}`.replace('c"d', String.raw`c\"d`)],
    [
      'x ${two:csv} ${two:pipe} ${two:json} ${one:glob} ${two:singlequote}',
      `x a.b,c"d a.b|c"d ["a.b","c\\"d"] a.b 'a.b','c"d'`,
    ],
    ['up{a="$none"}', 'up{a="$none"}'],
  ])('%s', (text, want) => {
    expect(interpolatePromql(text, VALUES)).toBe(want)
  })

  test('whatever a value is, it stays inside its string and matches itself only', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (value, other) => {
        const values = new Map([['v', { values: [value], isPattern: false }]])
        const written = interpolatePromql('up{a=~"$v"}', values)
        const inside = /^up\{a=~"((?:[^"\\\n]|\\[\s\S])*)"\}$/.exec(written)?.[1]
        expect(inside).toBeDefined()
        const unescaped = inside!.replaceAll(/\\([\s\S])/g, (_all, char: string) => (char === 'n' ? '\n' : char))
        const pattern = new RegExp(`^(?:${unescaped})$`)
        expect(pattern.test(value)).toBe(true)
        if (other !== value) expect(pattern.test(other)).toBe(false)
      }),
    )
  })
})

test('a variable in a text and in an address', () => {
  expect(interpolateText('On $two of ${nothing}', VALUES)).toBe('On a.b + c"d of ${nothing}')
  expect(interpolateText('/x?c=$two', VALUES, 'percentencode')).toBe('/x?c=a.b%2Cc%22d')
})

test('names that are used, each once', () => {
  expect(variablesIn('$a ${b:csv} $a ${c.d} $__range')).toEqual(['a', 'b', 'c', '__range'])
})
