import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { metricsStoreOf, readHeadersFile } from '../../src/config/metrics-store.ts'
import { tempDir } from '../support/temp-dir.ts'

const folder = tempDir('metrics-store')
afterAll(() => {
  folder.remove()
})

const configOf = (options: Record<string, string>) => readConfig(new Map(Object.entries(options)), undefined, {})
const storeOf = (options: Record<string, string>) => metricsStoreOf(configOf(options))

test('without an address nothing is forwarded', () => {
  expect(storeOf({})).toBeUndefined()
  expect(configOf({})['retention.raw']).toBe(30 * 86_400_000)
})

test.each([
  ['prometheus', '', 'http://m/p/api/v1/write', 'http://m/p', {}],
  ['prometheus', 'a', 'http://m/p/api/v1/write', 'http://m/p', { 'x-scope-orgid': 'a' }],
  ['victoriametrics-cluster', '', 'http://m/p/insert/0/prometheus/api/v1/write', 'http://m/p/select/0/prometheus', {}],
  [
    'victoriametrics-cluster',
    '7:1',
    'http://m/p/insert/7:1/prometheus/api/v1/write',
    'http://m/p/select/7:1/prometheus',
    {},
  ],
  ['mimir', 'a', 'http://m/p/api/v1/push', 'http://m/p/prometheus', { 'x-scope-orgid': 'a' }],
  ['thanos', 'a', 'http://m/p/api/v1/receive', 'http://m/p', { 'thanos-tenant': 'a' }],
])('the addresses of %s with tenant "%s"', (kind, tenant, writeUrl, queryUrl, tenantHeaders) => {
  const options = { 'store.metrics': 'http://m/p/', 'store.metrics-kind': kind, 'store.metrics-tenant': tenant }
  expect(storeOf(options)).toMatchObject({ kind, writeUrl, queryUrl, tenantHeaders })
})

test('each address can be given, with the other derived or given too', () => {
  const write = { 'store.metrics-write': 'http://w/api/v1/write/' }
  const query = { 'store.metrics-query': 'http://q/' }
  expect(storeOf({ ...write, ...query })).toMatchObject({ writeUrl: 'http://w/api/v1/write', queryUrl: 'http://q' })
  expect(storeOf({ 'store.metrics': 'http://m', ...write })?.queryUrl).toBe('http://m')
  expect(() => storeOf(write)).toThrow('option store.metrics-query: got nothing')
  expect(() => storeOf(query)).toThrow('option store.metrics-write: got nothing')
})

test('samples are stored here for a shorter time, unless the option says otherwise', () => {
  const metrics = { 'store.metrics': 'http://m' }
  expect(configOf(metrics)['retention.raw']).toBe(12 * 3_600_000)
  expect(configOf({ ...metrics, 'retention.raw': '30d' })['retention.raw']).toBe(30 * 86_400_000)
  expect(configOf({ 'store.metrics-write': 'http://w' })['retention.raw']).toBe(12 * 3_600_000)
})

test.each([
  [{ 'store.metrics': 'http://me:pw@m' }, 'option store.metrics: got a URL with a user or password'],
  [{ 'store.metrics': 'http://m', 'store.metrics-query': 'http://me@m' }, 'option store.metrics-query: got a URL with'],
  [
    { 'store.metrics': 'http://m', 'store.metrics-kind': 'victoriametrics-cluster', 'store.metrics-tenant': '../1' },
    'option store.metrics-tenant: got "../1", want an account',
  ],
  [{ 'store.metrics': 'http://m', 'store.metrics-tenant': 'a\nb' }, 'option store.metrics-tenant: got "a\\nb"'],
  [{ 'store.metrics': 'http://m', 'store.metrics-ca': '/no/such/file' }, 'option store.metrics-ca: cannot read'],
  [
    { 'store.metrics': 'http://m', 'store.metrics-headers-file': '/no/file' },
    'option store.metrics-headers-file: cann',
  ],
])('%j is refused', (options, message) => {
  expect(() => storeOf(options)).toThrow(message)
})

test('headers are read from a file, and errors in it do not show secrets', () => {
  const path = join(folder.path, 'headers')
  writeFileSync(path, '# who we are\n\nAuthorization: Bearer a:b\r\n X-Team : sre \n')
  expect(readHeadersFile(path)).toEqual({ authorization: 'Bearer a:b', 'x-team': 'sre' })
  for (const [line, wanted] of [
    ['s3cret', '"Name: value"'],
    ['a b: s3cret', '"Name: value"'],
    [': s3cret', '"Name: value"'],
    ['a: s3cret\u0001', '"Name: value"'],
    ['Content-Type: s3cret', 'a header other than content-type'],
  ]) {
    writeFileSync(path, `a: 1\n${line}\n`)
    const read = () => readHeadersFile(path)
    expect(read).toThrow(`line 2 of ${path}: want ${wanted}`)
    expect(read).not.toThrow('s3cret')
  }
})
