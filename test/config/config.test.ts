import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { OPTIONS, configTexts, readConfig, renderOptions, urlOf } from '../../src/config/config.ts'

const dir = mkdtempSync(join(tmpdir(), 'daytwo-config-'))
afterAll(() => {
  rmSync(dir, { recursive: true })
})

function file(text: string): string {
  const path = join(dir, `${Math.random().toString(36).slice(2)}.yaml`)
  writeFileSync(path, text)
  return path
}

const line = (options: Record<string, string>) => new Map(Object.entries(options))

describe('readConfig', () => {
  test('defaults are read like any value', () => {
    const config = readConfig(new Map(), undefined, {})
    expect(config.listen).toEqual({ host: '127.0.0.1', port: 4318 })
    expect(config['retention.raw']).toBe(30 * 86_400_000)
    expect(config.alertmanager).toEqual([])
    expect(config['external.url']).toBe('http://127.0.0.1:4318')
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('command line beats environment beats file beats default', () => {
    const path = file('retention: { raw: 1d }\nquery.lookback: 1m\nlisten: "127.0.0.1:1"\n')
    const environment = { DAYTWO_RETENTION_RAW: '2d', DAYTWO_LISTEN: '127.0.0.1:2', HOME: '/x' }
    const config = readConfig(line({ listen: '127.0.0.1:3' }), path, environment)
    expect(config.listen.port).toBe(3)
    expect(config['retention.raw']).toBe(2 * 86_400_000)
    expect(config['query.lookback']).toBe(60_000)
    expect(config['promql.experimental']).toBe(false)
    expect(config['external.url']).toBe('http://127.0.0.1:3')
  })

  test('spans of blocks are durations that divide each other', () => {
    const read = (text: string) => readConfig(line({ 'store.compact-to': text }), undefined, {})['store.compact-to']
    expect(read('1d, 8d')).toEqual([86_400_000, 8 * 86_400_000])
    expect(read('6h')).toEqual([6 * 3_600_000])
    for (const bad of ['', '1d,1d', '8d,1d', '2d,3d', '1d,', '0s', 'day']) {
      expect(() => read(bad)).toThrow('want durations such as 1d,8d, each a multiple of the one before')
    }
  })

  test('a cluster counts as gone after a while, or never by itself', () => {
    const read = (text: string) => readConfig(line({ 'fleet.gone-after': text }), undefined, {})
    expect(['12h', '8w', 'never', '0', '0s'].map((text) => read(text)['fleet.gone-after'])).toEqual([
      ...[12 * 3_600_000, 56 * 86_400_000, Infinity, Infinity, Infinity],
    ])
    expect(readConfig(new Map(), undefined, {})['fleet.gone-after']).toBe(14 * 86_400_000)
    expect(configTexts(read('0'))['fleet.gone-after']).toBe('never')
    for (const bad of ['', 'off', '-1d', '14']) {
      expect(() => read(bad)).toThrow(
        `option fleet.gone-after on the command line: got "${bad}", want a duration such as 12h, 14d, 8w, or never`,
      )
    }
  })

  test('own traces go nowhere, to itself, or to an address, and of them a share', () => {
    const read = (to: string, share: string) =>
      readConfig(line({ 'own-traces': to, 'own-traces.ratio': share }), undefined, {})
    expect(read('self', '1')).toMatchObject({ 'own-traces': 'self', 'own-traces.ratio': 1 })
    expect(read('https://otel.example/', '.25')).toMatchObject({
      'own-traces': 'https://otel.example',
      'own-traces.ratio': 0.25,
    })
    expect(readConfig(new Map(), undefined, {})['own-traces']).toBe('off')
    expect(() => read('on', '1')).toThrow('want off, self, or an address that starts with http:// or https://')
    for (const bad of ['', '.', '2', '1.5', '-0.5', '5%', '1e-3']) {
      expect(() => read('self', bad)).toThrow('want a share of 1, such as 0.05 or 1')
    }
  })

  test('a list in a file is a list', () => {
    const path = file('alertmanager: ["http://a:9093/", "http://b:9093"]\n')
    expect(readConfig(new Map(), path, {}).alertmanager).toEqual(['http://a:9093', 'http://b:9093'])
  })

  test.each([
    [
      { 'retention.raw': '1month' },
      'option retention.raw on the command line: got "1month", want a duration such as 15s, 1h30m, 30d',
    ],
    [
      { listen: '4318' },
      'option listen on the command line: got "4318", want an address such as 127.0.0.1:4318 or [::1]:4318',
    ],
    [
      { listen: 'a:70000' },
      'option listen on the command line: got "a:70000", want an address such as 127.0.0.1:4318 or [::1]:4318',
    ],
    [
      { 'ingest.labels-max': '-1' },
      'option ingest.labels-max on the command line: got "-1", want a whole number, 0 or more',
    ],
    [
      { 'web.body-bytes-max': '5MB' },
      'option web.body-bytes-max on the command line: got "5MB", want a size such as 512KiB, 32MiB, 2GiB',
    ],
    [{ faro: 'yes' }, 'option faro on the command line: got "yes", want true or false'],
    [
      { 'log.level': 'loud' },
      'option log.level on the command line: got "loud", want one of debug, info, warn, error, silent',
    ],
    [
      { alertmanager: 'a:9093' },
      'option alertmanager on the command line: got "a:9093", want an address that starts with http:// or https://',
    ],
    [{ data: '' }, 'option data on the command line: got "", want a text that is not empty'],
  ])('%j says what was wanted', (options, message) => {
    expect(() => readConfig(line(options as Record<string, string>), undefined, {})).toThrow(message)
  })

  test.each([
    [
      { DAYTWO_RETENTON_RAW: '1d' },
      '',
      'unknown option DAYTWO_RETENTON_RAW in the environment',
      'did you mean DAYTWO_RETENTION_RAW?',
    ],
    [{}, 'retention: { row: 1d }\n', 'unknown option retention.row in ', 'did you mean retention.raw?'],
    [{}, '- 1\n', 'got object, want a map of options', undefined],
    [{}, 'a: [\n', 'cannot read configuration file', undefined],
  ])('environment %j and file %j are refused', (environment, text, message, hint) => {
    const path = text === '' ? undefined : file(text)
    const read = () => readConfig(new Map(), path, environment)
    expect(read).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message) as string, hint }) as Error,
    )
  })

  test('a file that is not there is named', () => {
    expect(() => readConfig(new Map(), join(dir, 'none.yaml'), {})).toThrow('cannot read configuration file')
  })
})

describe('help', () => {
  test('names every option, its kind and its default', () => {
    const help = renderOptions()
    for (const [key, { kind }] of Object.entries(OPTIONS))
      expect(help).toContain(`--${key} ${kind.placeholder}`.trimEnd())
  })
})

test.each([
  [{ host: '127.0.0.1', port: 1 }, 'http://127.0.0.1:1'],
  [{ host: '::1', port: 1 }, 'http://[::1]:1'],
  [{ host: '0.0.0.0', port: 80 }, 'http://127.0.0.1:80'],
])('urlOf %j', (listen, want) => {
  expect(urlOf(listen)).toBe(want)
})

describe('configTexts', () => {
  const asked = line({
    listen: '[::1]:4318',
    'external.url': 'http://127.0.0.1:4318',
    'store.compact-to': '1d,8d',
    'store.head-bytes-max': '1536MiB',
    'web.body-bytes-max': '0',
    'web.cors-origins': 'https://a.example,https://b.example',
    'query.timeout': '90s',
    faro: 'false',
    'ha.replica-label': '',
  })

  test('read as the values they were written from', () => {
    const config = readConfig(asked, undefined, {})
    const texts = configTexts(config)
    expect(Object.keys(texts)).toEqual(Object.keys(OPTIONS))
    expect(readConfig(new Map(Object.entries(texts)), undefined, {})).toEqual(config)
    expect(texts).toMatchObject({ 'query.timeout': '1m30s', 'store.head-bytes-max': '1536MiB', listen: '[::1]:4318' })
  })

  test('have no passwords in them', () => {
    const config = readConfig(
      line({ alertmanager: 'http://me:s3cret@am-1:9093,https://am-2,http://you:p%40ss@am-3/x' }),
      undefined,
      {},
    )
    expect(configTexts(config).alertmanager).toBe('http://me:xxxxx@am-1:9093,https://am-2,http://you:xxxxx@am-3/x')
  })
})
