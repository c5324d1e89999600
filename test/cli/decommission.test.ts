import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ClusterFacts } from '../../src/model/fleet-facts.ts'
import type { Principal } from '../../src/model/token.ts'
import { createFacts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'
import { makeServer, NOW_MS, type TestServer } from '../api/test-server.ts'
import { emptyRecord } from '../support/cluster-record.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { fleetFactsOver } from '../support/fleet-facts.ts'
import { memoryPeople, type MemoryPeople } from '../support/people.ts'
import { daytwo, type Ran } from './run.ts'
import { putFacts } from '../support/put-facts.ts'

// The real program asks the real API. Said and taken back in the order of the tests.

const DAY_MS = 86_400_000
const TOKENS: Readonly<Record<string, Principal>> = {
  v: { role: 'viewer', name: 'wall' },
  r: { role: 'responder', name: 'ada' },
}
const timeOf = (ms: number): string => new Date(ms).toISOString()

function facts(name: string, lastMs: number, aliases: readonly string[] = []): ClusterFacts {
  const cluster = emptyRecord(name, {
    ...{ aliases, firstSeenMs: NOW_MS - 40 * DAY_MS, lastSeenMs: lastMs },
    coverage: { objects: false, metrics: true, spans: false, metricsLastMs: lastMs, kinds: [] },
  })
  return { cluster, intervals: [], upgrades: [], modifications: [] }
}

let memory: MemoryPeople
let server: TestServer
let url: string
beforeAll(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { fleet } = createFacts(database, new ConnectionLock())
  const all = [
    facts('prague', NOW_MS - 3 * DAY_MS, ['prague-id']),
    facts('brno', NOW_MS - 2 * DAY_MS),
    facts('zlin', NOW_MS - 20 * DAY_MS),
  ]
  await putFacts(fleet, all)
  const over = await fleetFactsOver(fleet, 14 * DAY_MS)
  const clock = new FakeClock(NOW_MS)
  memory = await memoryPeople({
    clock,
    decommissionsTold: async () => {
      over.index.declare(await memory.facts.decommissions.list())
    },
  })
  server = await makeServer({
    ...{ clock, people: memory.people, fleet: over.fleet, requiresToken: true },
    authenticate: (token) => Promise.resolve(TOKENS[token]),
  })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.app.close()
})

function decommission(...args: readonly string[]): Promise<Ran> {
  const token = args.includes('--token') ? [] : ['--token', 'r']
  return daytwo('decommission', '--url', url, ...token, ...args)
}

const told = async (): Promise<readonly string[]> =>
  (await memory.facts.decommissions.list())
    .map(
      ({ cluster, sinceMs, reason, end }) =>
        `${cluster} ${timeOf(sinceMs)} ${reason}${end === undefined ? '' : ' (over)'}`,
    )
    .sort()

describe('daytwo decommission', () => {
  test.each([
    [[], 'got no cluster, want the name of at least one'],
    [['prague'], 'got no --reason, want the reason for the decommissioning'],
    [['prague', '--reason', '  '], 'got no --reason, want the reason for the decommissioning'],
    [['prague', '--reason', 'x', '--since', 'long ago'], 'option --since: got "long ago", want a duration or a time'],
    [['prague', '--undo', '--reason', 'x'], 'daytwo decommission --undo has no option --reason'],
    [['prague', '--reasn', 'x'], 'did you mean --reason?'],
  ])('%j is wrong usage, and nobody is asked', async (args, message) => {
    const { code, stdout, stderr } = await decommission(...args)
    expect(stderr).toContain(message)
    expect([code, stdout, await told()]).toEqual([2, '', []])
  })

  test.each([
    [['nowhere', 'prague', '--reason', 'x'], 'no cluster is called "nowhere"'],
    [
      ['prague', '--reason', 'x', '--since', timeOf(NOW_MS - 5 * DAY_MS)],
      `want ${timeOf(NOW_MS - 3 * DAY_MS)} or later: "prague" was seen then`,
    ],
    [['prague', '--reason', 'x', '--token', 'v'], 'token "wall" has role viewer, this needs responder'],
    [['prague', '--undo'], 'prague was not declared decommissioned, or it has reported again'],
    [
      ['zlin', '--undo'],
      'zlin was not declared decommissioned: it has sent no data for 2w, and is active again when it reports',
    ],
    [['nowhere', '--undo'], 'no cluster is called "nowhere"'],
  ])('%j is refused with the reason, and nothing is said of anybody', async (args, message) => {
    const { code, stdout, stderr } = await decommission(...args)
    expect(stderr).toContain(message)
    expect([code, stdout, await told()]).toEqual([1, '', []])
  })

  test('without a server it says where it looked', async () => {
    const ran = await daytwo('decommission', 'prague', '--reason', 'x', '--url', 'http://127.0.0.1:1')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('http://127.0.0.1:1') as string })
  })

  test('an owner who opted out is declared as that', async () => {
    const sinceMs = NOW_MS - DAY_MS
    const ran = await decommission('brno', '--opted-out', '--reason', 'mail of 3 May', '--since', timeOf(sinceMs))
    expect(ran).toMatchObject({ code: 0, stdout: `brno is opted out since ${timeOf(sinceMs)}, declared by ada\n` })
    expect((await memory.facts.decommissions.list()).at(-1)).toMatchObject({ cluster: 'brno', kind: 'opted_out' })
    expect((await decommission('brno', '--undo', '--opted-out')).stderr).toContain('--undo has no option --opted-out')
    expect(await decommission('brno', '--undo')).toMatchObject({ code: 0 })
  })

  test('is said of several at once by any of their names, and taken back', async () => {
    const sinceMs = NOW_MS - DAY_MS
    const said = await decommission('prague-id', 'brno', 'brno', '--reason', 'site closed', '--since', timeOf(sinceMs))
    expect(said).toEqual({
      code: 0,
      stdout: `prague is decommissioned since ${timeOf(sinceMs)}, declared by ada\nbrno is decommissioned since ${timeOf(sinceMs)}, declared by ada\n`,
      stderr: '',
    })
    const closed = (await told()).filter((one) => one.includes('site closed'))
    expect(closed).toEqual([`brno ${timeOf(sinceMs)} site closed`, `prague ${timeOf(sinceMs)} site closed`])
    // One cannot be taken back, so the other is not either.
    expect(await decommission('brno', 'zlin', '--undo')).toMatchObject({ code: 1, stdout: '' })
    expect(await decommission('brno', 'prague-id', '--undo')).toEqual({
      code: 0,
      stdout: 'brno: reverted. The reason was: site closed\nprague: reverted. The reason was: site closed\n',
      stderr: '',
    })
    expect((await told()).filter((one) => one.includes('site closed'))).toEqual([
      `brno ${timeOf(sinceMs)} site closed (over)`,
      `prague ${timeOf(sinceMs)} site closed (over)`,
    ])
  })
})
