import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { loadCatalog } from '../../src/catalog/catalog.ts'
import { PROJECT_ROOT } from '../../src/config/project-root.ts'
import type { OutcomeList, ReviewAnswer, WorkAnswer } from '../../src/contract/runbook-work.ts'
import { recordRevisions } from '../../src/runtime/runbook-work.ts'
import { ruleAlert } from '../api/rule-alert.ts'
import { makeServer, NOW_MS, type TestServer } from '../api/test-server.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { memoryPeople } from '../support/people.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

// The real program asks the real API over HTTP: one occurrence with a step that helped and a note with an escape sequence.

const NAME = 'VirtAPIDown'
const folder = tempDir('review')
const alert = ruleAlert(NAME, 'prague')
let server: TestServer
let url: string

beforeAll(async () => {
  const clock = new FakeClock(NOW_MS)
  const { people, facts } = await memoryPeople({ clock, ruleAlerts: () => [alert] })
  const place = (name: string): string => join(PROJECT_ROOT, name)
  const catalog = loadCatalog(
    { rulesDir: place('alert-rules'), runbooksDir: place('runbooks'), dashboardsDir: place('dashboards') },
    { experimental: false },
  )
  server = await makeServer({ clock, people, catalog })
  await recordRevisions({ catalog, store: facts.runbookWork, retentionMs: 1, clock, log: silentLog })
  const { fingerprint, labels, annotations, activeAtMs } = alert
  await facts.alertRuns.record([{ fingerprint, labels, annotations, activeAtMs, firedAtMs: alert.firedAtMs! }])
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const work = `${url}/api/runbooks/v1/work/${alert.fingerprint}/${alert.activeAtMs}`
  const send = async (body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(work, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(200)
  }
  const { steps } = (await (await fetch(work)).json()) as WorkAnswer
  const { key } = steps.find(({ section }) => section === 'mitigation')!
  await send({ kind: 'tick', step: key })
  await send({ kind: 'helped', step: key })
  await send({ kind: 'note', text: 'red \u001b[31mtext' })
})
afterAll(async () => {
  await server.app.close()
  folder.remove()
})

const review = (...args: readonly string[]) => daytwo('review', ...args, '--url', url)

test('of the newest occurrence of an alert as Markdown, without characters that a terminal obeys', async () => {
  const { code, stdout, stderr } = await review('alert', alert.fingerprint)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^# Review of VirtAPIDown on prague\n/)
  expect(stdout).toContain('**the fix**')
  expect(stdout).toContain('red ')
  expect(stdout).not.toContain('\u001b')
})

test('of one occurrence as JSON, into a file', async () => {
  const file = join(folder.path, 'review.json')
  const at = new Date(alert.activeAtMs).toISOString()
  const { code, stdout } = await review('alert', alert.fingerprint, '--active-at', at, '--format', 'json', '-o', file)
  expect([code, stdout]).toEqual([0, ''])
  const { alerts, timeline } = JSON.parse(readFileSync(file, 'utf8')) as ReviewAnswer['review']
  expect(alerts).toMatchObject([{ run: { fingerprint: alert.fingerprint, activeAtMs: alert.activeAtMs } }])
  expect(timeline.map(({ kind }) => kind)).toContain('note')
})

test('outcomes of all alerts, and of one with its revisions and steps', async () => {
  const all = await review('outcomes', '--days', '7')
  expect(all.code).toBe(0)
  expect(all.stdout).toMatch(/^ALERT +OCCURRENCES +WORKED +FIX .*\nVirtAPIDown +1 +1 +0 .* 1 /)
  const json = JSON.parse((await review('outcomes', '--format', 'json')).stdout) as OutcomeList
  expect(json.alerts.map(({ name }) => name)).toEqual([NAME])
  const one = await review('outcomes', NAME)
  expect(one.stdout).toMatch(/^Outcomes of VirtAPIDown\n\nREVISION .*\nall +1 +1 /)
  expect(one.stdout).toMatch(/^HELPED +TICKED +SECTION +STEP$/m)
  expect(one.stdout).toMatch(/^1 of 1 +1 of 1 +mitigation +\S/m)
  expect(one.stdout).toMatch(/^0 of 0 +0 of 1 +diagnosis +\S/m)
})

test('refusals end with 3, wrong usage with 2', async () => {
  const unknown = await review('alert', '00000000deadbeef')
  expect([unknown.code, unknown.stderr]).toEqual([3, 'no review: no alert has the fingerprint "00000000deadbeef"\n'])
  const upgrade = await review('upgrade', 'nothing')
  expect([upgrade.code, upgrade.stderr]).toEqual([3, 'no review: no upgrade has the id "nothing"\n'])
  expect((await review('outcomes', 'Nothing')).code).toBe(3)
  expect((await daytwo('review', 'upgrade', 'x', '--url', 'http://127.0.0.1:1')).code).toBe(3)
  for (const args of [
    ['alert'],
    ['alert', 'a', 'b'],
    ['upgrade'],
    ['outcomes', 'a', 'b'],
    ['alert', 'a', '--format', 'text'],
    ['outcomes', '--format', 'markdown'],
    ['alert', 'a', '--active-at', 'soon'],
    ['alert', 'a', '-o', join(folder.path, 'none/x.md'), '--color', 'x'],
    ['verdict', 'x'],
  ])
    expect([args, (await daytwo('review', ...args)).code]).toEqual([args, 2])
  const place = join(folder.path, 'none/x.md')
  const stored = await review('alert', alert.fingerprint, '-o', place)
  expect([stored.code, stored.stderr]).toEqual([2, expect.stringContaining(`cannot store the review in ${place}`)])
})
