import { describe, expect, test } from 'vitest'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { parseFaro, type FaroPayload } from '../../src/wire/faro.ts'

const LIMITS = { itemsMax: 500, entriesMax: 32 }

function parse(payload: unknown, limits = LIMITS): FaroPayload {
  return parseFaro(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)), limits)
}

describe('a payload', () => {
  test('absent parts are empty', () => {
    expect(parse({})).toEqual({
      meta: {
        appName: '',
        appVersion: '',
        sdkVersion: '',
        sessionId: '',
        pageUrl: '',
        viewName: '',
        browserName: '',
        browserVersion: '',
        browserOs: '',
      },
      exceptions: [],
      logs: [],
      measurements: [],
      events: [],
      spanCount: 0,
      overflowCount: 0,
      malformedCount: 0,
    })
  })

  test('parts of the wrong kind are as if absent', () => {
    const payload = parse({
      meta: { app: 'x', browser: { name: 5, version: '1', brands: 'unknown' }, page: [] },
      exceptions: {},
      logs: [{ message: 7, level: null, context: [1], timestamp: 5 }, null, 'x', []],
      measurements: [{ type: 'a', values: { ok: 1, text: '2', none: null, nested: {} } }],
      events: null,
      traces: { resourceSpans: [{ scopeSpans: [{ spans: [{}, {}] }, null] }, 3] },
    })
    expect(payload.meta).toMatchObject({ appName: '', browserName: '', browserVersion: '1', pageUrl: '' })
    expect(payload.logs).toEqual([{ message: '', level: '', attributes: {} }])
    expect(payload.measurements[0]!.values).toEqual({ ok: 1 })
    expect(payload).toMatchObject({ exceptions: [], events: [], spanCount: 2, malformedCount: 3 })
  })

  test.each([
    ['2026-08-20T10:00:00Z', 1_787_220_000_000],
    ['2026-08-20T10:00:00.001Z', 1_787_220_000_001],
    ['2026-08-20T12:00:00+02:00', 1_787_220_000_000],
    ['2026-08-20', undefined],
    ['August 20, 2026 10:00', undefined],
    ['2026-13-45T10:00:00Z', undefined],
    ['', undefined],
    [1_787_220_000_000, undefined],
  ])('the time %j is %s', (timestamp, want) => {
    expect(parse({ logs: [{ timestamp }] }).logs[0]!.timeMs).toBe(want)
  })

  test('a key __proto__ is a key like any other', () => {
    const { logs } = parse('{"logs":[{"context":{"__proto__":"x","toString":"y"}}]}')
    expect(Object.entries(logs[0]!.attributes)).toEqual([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ])
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  test('what is beyond the limits is counted or left out', () => {
    const many = { a: 1, b: 2, c: 3 }
    const payload = parse(
      {
        exceptions: [{ stacktrace: { frames: [{ lineno: 1 }, { lineno: 2 }, { lineno: 3 }] }, context: many }, {}],
        logs: [{}, {}],
        measurements: [{ values: many }],
      },
      { itemsMax: 3, entriesMax: 2 },
    )
    expect(payload).toMatchObject({ overflowCount: 2, measurements: [] })
    expect([payload.exceptions.length, payload.logs.length]).toEqual([2, 1])
    expect(payload.exceptions[0]!.frames.map(({ line }) => line)).toEqual([1, 2])
    expect(payload.exceptions[0]!.attributes).toEqual({ a: '1', b: '2' })
  })
})

describe('refuses', () => {
  test.each([
    ['cut JSON', '{"meta":', 'faro: got text that is not JSON, want a JSON object'],
    ['wrong JSON', '{"é":x}', 'faro: got text that is not JSON, want a JSON object'],
    ['an empty body', '', 'faro: got text that is not JSON, want a JSON object'],
    ['an array', '[]', 'faro: got JSON that is not an object, want a JSON object'],
    ['null', 'null', 'faro: got JSON that is not an object'],
    ['a text', '"meta"', 'faro: got JSON that is not an object'],
    ['a hundred thousand brackets', '['.repeat(100_000), 'faro: got'],
    [
      'nesting without end',
      '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000) + '}',
      'faro: got text that is not JSON',
    ],
  ])('%s', (_, body, want) => {
    expect(() => parse(body)).toThrow(DecodeError)
    expect(() => parse(body)).toThrow(want)
  })

  test('bytes that are not UTF-8', () => {
    expect(() => parseFaro(Uint8Array.of(0x7b, 0xff, 0x7d), LIMITS)).toThrow('got bytes that are not UTF-8, want UTF-8')
  })
})
