import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { UpgradeItems } from '../../src/contract/fleet-upgrades.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { daytwo } from './run.ts'

const folder = tempDir('sim')
let server: RunningServer | undefined
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

interface TruthFile {
  readonly clusters: readonly { readonly upgrades: readonly { readonly startedAt?: string }[] }[]
}

test('a fresh server takes a history that ends now, and tells every upgrade that is in the truth beside it', async () => {
  server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data'), '--own-metrics', 'false'],
    ...withoutContent(),
  ])
  const { url } = server
  const truth = join(folder.path, 'truth.json')
  const fleet = ['--clusters', '2', '--months', '2', '--mode', 'objects', '--seed', 'sent']
  const ran = await daytwo('sim', ...fleet, '--to', url, '--truth', truth)
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  expect(ran.stdout).toMatch(/objects: \d{2,} taken, 0 refused/)
  const { clusters } = JSON.parse(readFileSync(truth, 'utf8')) as TruthFile
  const begun = clusters.flatMap(({ upgrades }) => upgrades).filter(({ startedAt }) => startedAt !== undefined)
  expect(begun.length).toBeGreaterThan(0)
  const told = await until('all upgrades', async () => {
    const { upgrades } = (await (await fetch(`${url}/api/fleet/v1/upgrades`)).json()) as UpgradeItems
    return upgrades.filter(({ startedAt }) => startedAt !== null).length >= begun.length ? upgrades : undefined
  })
  const second = (time: string | null | undefined): string => (time ?? '').slice(0, 19)
  expect(told.flatMap(({ startedAt }) => (startedAt === null ? [] : second(startedAt))).toSorted()).toEqual(
    begun.map(({ startedAt }) => second(startedAt)).toSorted(),
  )
}, 180_000)

test('an end that is no day is said to be none', async () => {
  const { code, stderr } = await daytwo('sim', '--until', 'yesterday')
  expect(code).not.toBe(0)
  expect(stderr).toContain('want now, or a day such as 2026-09-01')
})
