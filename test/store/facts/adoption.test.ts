import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AdoptionIndex } from '../../../src/fleet/adoption/adoption-index.ts'
import { countDays, type CountingPorts } from '../../../src/fleet/adoption/count-days.ts'
import { changedFromMs, LateChanges, type LateChange } from '../../../src/fleet/adoption/late-changes.ts'
import { AdoptionCube } from '../../../src/fleet/adoption/cube.ts'
import { addDays, daysBetween, dayStartMs } from '../../../src/fleet/adoption/day.ts'
import type { AdoptionRow } from '../../../src/model/adoption.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import { describeInBoth } from './in-both.ts'
import { recordOf, ran } from '../../fleet/adoption/fleet.ts'
import { putFacts } from '../../support/put-facts.ts'

const HCO = 'kubevirt-hyperconverged'
const HOUR_MS = 3_600_000

function row(day: string, version: string, clusters: number, more: Partial<AdoptionRow> = {}): AdoptionRow {
  const rest = { channel: 'stable', platform: 'kubernetes', region: 'eu', flavour: 'community', environment: '' }
  return { day, operator: HCO, version, clusters, vms: 2 * clusters, outdatedVms: 1, ...rest, ...more }
}

describeInBoth('adoption', (open) => {
  test('a day is replaced as a whole, and read with the days around it', async () => {
    const { adoption } = await open()
    const usage = { day: '2026-03-01', subject: 'preference', name: 'fedora "é"', clusters: 2, count: 9 } as const
    await adoption.putDay(
      '2026-03-01',
      [row('2026-03-01', '1.16.0', 3), row('2026-03-01', 'v1', 3, { operator: 'kubevirt' })],
      [usage],
      1,
    )
    await adoption.putDay('2026-03-02', [row('2026-03-02', '1.16.0', 3)], [], 2)
    await adoption.putDay('2026-03-02', [row('2026-03-02', '1.17.0', 4)], [], 5)
    expect(await adoption.rows(HCO, '2026-03-01', '2026-03-31')).toEqual([
      row('2026-03-01', '1.16.0', 3),
      row('2026-03-02', '1.17.0', 4),
    ])
    expect(await adoption.usage('2026-03-01', '2026-03-02')).toEqual([usage])
    expect(await adoption.operators()).toEqual(['kubevirt', HCO])
    expect(await adoption.days()).toEqual([
      { day: '2026-03-01', updatedMs: 1 },
      { day: '2026-03-02', updatedMs: 5 },
    ])
  })

  test('the index answers over months what one cube of all rows answers, also after a day was counted again', async () => {
    const { adoption } = await open()
    const index = new AdoptionIndex(adoption)
    const day = fc.nat(70).map((n) => addDays('2026-01-20', n))
    const put = fc.record({
      day,
      version: fc.constantFrom('1.16.0', '1.17.0', ''),
      clusters: fc.integer({ min: 1, max: 9 }),
    })
    const known = new Map<string, AdoptionRow[]>()
    let nowMs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(put, { maxLength: 4 }), day, fc.nat(60), async (puts, fromDay, length) => {
        for (const { day: when, version, clusters } of puts) {
          known.set(when, [row(when, version, clusters)])
          await adoption.putDay(when, known.get(when)!, [], ++nowMs)
        }
        const toDay = addDays(fromDay, length)
        if (length % 7 === 0) await index.warm([HCO])
        const answer = await index.query({ operator: HCO, by: 'version', fromDay, toDay, filter: {} })
        const whole = new AdoptionCube([...known.values()].flat()).sums('version', fromDay, toDay)
        const lines = ({ values, clusters, vms }: typeof whole) =>
          values
            .map((value, i) => [value, [...clusters[i]!], [...vms[i]!]] as const)
            .filter(([, counts]) => counts.some((count) => count > 0))
            .sort(([a], [b]) => (a < b ? -1 : 1))
        expect(lines(answer.sums)).toEqual(lines(whole))
        expect([...answer.sums.known]).toEqual([...whole.known])
        expect(answer.missing).toEqual(whole.days.filter((one) => !known.has(one)))
      }),
      { numRuns: 60 },
    )
  })

  test('a year that was read at the start is not read again, and of a day counted anew only that day', async () => {
    const { adoption } = await open()
    const read: string[] = []
    const index = new AdoptionIndex({
      rows: (operator, fromDay, toDay) => {
        read.push(fromDay)
        return adoption.rows(operator, fromDay, toDay)
      },
      usage: (fromDay, toDay) => adoption.usage(fromDay, toDay),
      days: () => adoption.days(),
      operators: () => adoption.operators(),
    })
    await index.warm([HCO])
    const days = daysBetween('2026-01-30', '2026-02-03')
    for (const [i, day] of days.entries()) await adoption.putDay(day, [row(day, '1.16.0', 3)], [], i)
    await index.warm([HCO])
    expect(read).toEqual(['2026-02-03', '2026-02-01', '2026-01-30'])
    const asked = { operator: HCO, by: 'version', fromDay: days[0]!, toDay: days.at(-1)!, filter: {} } as const
    await index.query(asked)
    expect(read).toHaveLength(3)
    await adoption.putDay('2026-02-03', [row('2026-02-03', '1.16.0', 4)], [], 9)
    expect([...(await index.query(asked)).sums.clusters[0]!]).toEqual([3, 3, 3, 3, 4])
    expect(read.slice(3)).toEqual(['2026-02-03'])
  })

  test.each([
    [4_000, [20, 20, 8]],
    [20_000, [8, 8, 8, 8, 8, 8]],
  ])('the past of %d clusters is counted some days a turn, the newest first', async (count, daysOfTurns) => {
    const { adoption } = await open()
    const noonMs = dayStartMs('2026-03-20') + 12 * HOUR_MS
    const records = Array.from({ length: count }, (_, i) =>
      recordOf(`c${i}`, { firstSeenMs: dayStartMs('2026-02-01'), lastSeenMs: noonMs }),
    )
    const put: string[] = []
    const ports: CountingPorts = {
      facts: { intervalsAt: () => Promise.resolve([]) },
      clusters: () => Promise.resolve(records),
      goneAt: () => Promise.resolve(new Set()),
      days: () => adoption.days(),
      putDay: (day, ...rest) => {
        put.push(day)
        return adoption.putDay(day, ...rest)
      },
    }
    const turns: number[] = []
    for (let left = Infinity; left > 0 && turns.length < 10; turns.push(put.splice(0).length)) {
      const before = left
      left = await countDays(ports, noonMs)
      expect(left).toBeLessThan(before)
      if (turns.length === 0) expect(put.at(-1)).toBe('2026-03-20')
    }
    expect(turns).toEqual(daysOfTurns)
  })

  test('days that are due are all counted, also where something of the present is known otherwise at every turn', async () => {
    const { adoption } = await open()
    const noonMs = dayStartMs('2026-03-20') + 12 * HOUR_MS
    const records = Array.from({ length: 20_000 }, (_, i) =>
      recordOf(`c${i}`, { firstSeenMs: dayStartMs('2026-02-01'), lastSeenMs: noonMs }),
    )
    const ports: CountingPorts = {
      facts: { intervalsAt: () => Promise.resolve([]) },
      clusters: () => Promise.resolve(records),
      goneAt: () => Promise.resolve(new Set()),
      days: () => adoption.days(),
      putDay: (...day) => adoption.putDay(...day),
    }
    const late = new LateChanges()
    late.note(dayStartMs('2026-02-01'), noonMs)
    const left: number[] = []
    for (let turn = 0; turn < 8; turn++) {
      late.note(noonMs - 1000, noonMs + turn * 5000)
      left.push(await countDays(ports, noonMs + turn * 5000, late.changes))
    }
    // 48 days, eight a turn, of which the present one is one of each.
    expect(left).toEqual([40, 33, 26, 19, 12, 5, 0, 0])
    expect(late.changes).toHaveLength(2)
  })

  test('days are counted from the first that the fleet knows, and past ones once more for what came late', async () => {
    const { fleet, adoption } = await open()
    const put: string[] = []
    const ports: CountingPorts = {
      facts: fleet,
      clusters: () => fleet.clusters(),
      goneAt: () => Promise.resolve(new Set()),
      days: () => adoption.days(),
      putDay: (day, ...rest) => {
        put.push(day)
        return adoption.putDay(day, ...rest)
      },
    }
    const counted = async (nowMs: number, late: readonly LateChange[] = []) => {
      const left = await countDays(ports, nowMs, late)
      return { days: put.splice(0).map((day) => Number(day.slice(8))), left }
    }
    const noonMs = dayStartMs('2026-03-20') + 12 * HOUR_MS
    expect(await counted(noonMs)).toEqual({ days: [], left: 0 })

    const cluster = recordOf('a', { firstSeenMs: dayStartMs('2026-03-10'), lastSeenMs: noonMs })
    const facts = (more: readonly (readonly [string, string])[]) => {
      return { cluster, intervals: ran('a', HCO, [['2026-03-10', '1.16.0'], ...more]), upgrades: [], modifications: [] }
    }
    const before = facts([['2026-03-15', '1.17.0']])
    await putFacts(fleet, [before])
    expect(await counted(noonMs)).toEqual({ days: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], left: 0 })
    expect(await counted(noonMs)).toEqual({ days: [], left: 0 })
    const versions = async () =>
      (await adoption.rows(HCO, '2026-03-10', '2026-03-20')).map(({ version }) => version.slice(2, 4)).join(' ')
    expect(await versions()).toBe('16 16 16 16 16 17 17 17 17 17 17')

    // It turns out later that it was two days earlier.
    const after = facts([['2026-03-13', '1.17.0']])
    await putFacts(fleet, [after])
    const fromMs = changedFromMs(before, after)
    expect(fromMs).toBe(dayStartMs('2026-03-13'))
    const late = [{ fromMs: fromMs!, atMs: noonMs + 1 }]
    expect(await counted(noonMs + 1, late)).toEqual({ days: [13, 14, 15, 16, 17, 18, 19, 20], left: 0 })
    expect(await versions()).toBe('16 16 16 17 17 17 17 17 17 17 17')
    expect(await counted(noonMs + 2, late)).toEqual({ days: [], left: 0 })

    expect((await counted(noonMs + 16 * 60_000)).days).toEqual([20])
    const midnightMs = dayStartMs('2026-03-21')
    expect((await counted(midnightMs)).days).toEqual([20, 21])
    expect((await counted(midnightMs + 60_000)).days).toEqual([])
    // Three hours later the past day is counted for the last time, beside the present one.
    expect((await counted(midnightMs + 3 * HOUR_MS)).days).toEqual([20, 21])
    expect((await counted(midnightMs + 4 * HOUR_MS)).days).toEqual([21])
  })

  test('a cluster that was gone when a day ended counts no more, and counts again when that is taken back', async () => {
    const { fleet, adoption } = await open()
    const noonMs = dayStartMs('2026-03-03') + 12 * HOUR_MS
    let goneFromMs = dayStartMs('2026-03-02') + 6 * HOUR_MS
    const ports: CountingPorts = {
      facts: fleet,
      clusters: () => fleet.clusters(),
      goneAt: (atMs) => Promise.resolve(new Set(atMs >= goneFromMs ? ['b'] : [])),
      days: () => adoption.days(),
      putDay: (...day) => adoption.putDay(...day),
    }
    for (const name of ['a', 'b']) {
      const cluster = recordOf(name, { firstSeenMs: dayStartMs('2026-03-01'), lastSeenMs: noonMs })
      const intervals = ran(name, HCO, [['2026-03-01', '1.16.0']])
      await putFacts(fleet, [{ cluster, intervals, upgrades: [], modifications: [] }])
    }
    const counts = async () => (await adoption.rows(HCO, '2026-03-01', '2026-03-03')).map(({ clusters }) => clusters)
    await countDays(ports, noonMs)
    expect(await counts()).toEqual([2, 1, 1])
    const fromMs = goneFromMs
    goneFromMs = Infinity
    await countDays(ports, noonMs + 1, [{ fromMs, atMs: noonMs + 1 }])
    expect(await counts()).toEqual([2, 2, 2])
  })

  test('what changed is told from when on', () => {
    const of = (versions: readonly (readonly [string, string])[]): ClusterFacts => {
      const cluster = recordOf('a', { firstSeenMs: dayStartMs('2026-03-01') })
      return { cluster, intervals: ran('a', HCO, versions), upgrades: [], modifications: [] }
    }
    const one = of([['2026-03-10', '1.16.0']])
    expect(changedFromMs(undefined, one)).toBe(dayStartMs('2026-03-01'))
    expect(changedFromMs(one, of([['2026-03-10', '1.16.0']]))).toBeUndefined()
    const two = of([
      ['2026-03-10', '1.16.0'],
      ['2026-03-12', '1.17.0'],
    ])
    expect(changedFromMs(one, two)).toBe(dayStartMs('2026-03-12'))
    expect(changedFromMs(two, one)).toBe(dayStartMs('2026-03-12'))
    expect(changedFromMs(one, of([['2026-03-08', '1.16.0']]))).toBe(dayStartMs('2026-03-08'))
  })
})
