import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig, type Config } from '../../src/config/config.ts'
import { factsStoreOf, processNameOf } from '../../src/config/facts-store.ts'
import { tempDir } from '../support/temp-dir.ts'

const configOf = (options: Readonly<Record<string, string>>): Config =>
  readConfig(new Map(Object.entries(options)), undefined, {})
const URL = 'postgres://daytwo@db.example:5433/facts'

function fileOf(text: string): string {
  const dir = tempDir('facts-store')
  onTestFinished(() => {
    dir.remove()
  })
  const path = join(dir.path, 'file')
  writeFileSync(path, text)
  return path
}

describe('where facts are', () => {
  test('is the data folder by default', () => {
    expect(factsStoreOf(configOf({}))).toBeUndefined()
  })

  test('is PostgreSQL, with limits, over TLS unless it is on this host or TLS is off', () => {
    const defaults = { url: URL, connectionsMax: 8, statementTimeoutMs: 30_000 }
    expect(factsStoreOf(configOf({ 'store.facts': URL }))).toEqual({ ...defaults, tls: {} })
    expect(factsStoreOf(configOf({ 'store.facts': URL, 'store.facts-tls': 'off' }), 'i')).toEqual({
      ...defaults,
      instance: 'i',
    })
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const url = `postgres://daytwo@${host}/facts`
      expect(factsStoreOf(configOf({ 'store.facts': url }))).toEqual({ ...defaults, url })
      expect(factsStoreOf(configOf({ 'store.facts': url, 'store.facts-tls': 'on' }))?.tls).toEqual({})
    }
  })

  test('reads the password and the authorities from files, which must have something in them', () => {
    const files = { 'store.facts-password-file': fileOf('secret\n'), 'store.facts-ca': fileOf('PEM') }
    const options = factsStoreOf(configOf({ 'store.facts': 'postgres://daytwo@127.0.0.1/facts', ...files }))
    expect(options).toMatchObject({ password: 'secret', tls: { ca: 'PEM' } })
    for (const [file, message] of [
      [fileOf(' \n'), 'is empty'],
      ['/none/such', 'cannot read /none/such'],
    ] as const) {
      const config = configOf({ 'store.facts': URL, 'store.facts-password-file': file })
      expect(() => factsStoreOf(config)).toThrow(message)
    }
    const contradiction = configOf({ 'store.facts': URL, 'store.facts-ca': 'x', 'store.facts-tls': 'off' })
    expect(() => factsStoreOf(contradiction)).toThrow('store.facts-tls is off')
  })

  test.each([
    'postgres://daytwo:secret@db.example/facts',
    'postgres://db.example/facts',
    'postgres://daytwo@db.example',
    'postgres://daytwo@db.example/a/b',
    'postgres://daytwo@db.example/facts?sslmode=disable',
    'postgres://daytwo@db.example/facts#x',
    'postgres://daytwo@/facts',
    'mysql://daytwo@db.example/facts',
    'db.example',
  ])('is not %s', (url) => {
    expect(() => configOf({ 'store.facts': url })).toThrow('without a password')
  })
})

test('a part of the roles needs facts that are shared', () => {
  expect(configOf({ roles: 'serve, collect' }).roles).toEqual(['collect', 'serve'])
  expect(() => factsStoreOf(configOf({ roles: 'serve' }))).toThrow('got serve without store.facts, want all')
  expect(factsStoreOf(configOf({ roles: 'serve', 'store.facts': URL }))).toBeDefined()
  for (const roles of ['', 'serve,write', 'all']) expect(() => configOf({ roles })).toThrow('some of collect')
})

test('a process has a name that is the same after a restart, and of no other on this host', () => {
  expect(processNameOf(configOf({ listen: '127.0.0.1:4318' }))).toBe(`${hostname()}:4318`)
  expect(processNameOf(configOf({ listen: '10.0.0.7:4318' }))).toBe('10.0.0.7:4318')
  expect(processNameOf(configOf({ 'process.name': 'daytwo-0' }))).toBe('daytwo-0')
  expect(() => configOf({ 'store.facts-connections-max': '1' })).toThrow('at least 2')
})
