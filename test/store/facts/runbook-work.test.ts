import { expect, test } from 'vitest'
import type { AuditedAction } from '../../../src/model/audit.ts'
import { Labels } from '../../../src/model/labels.ts'
import {
  RUN_ENTRIES_MAX,
  RUN_TEXT_CHARS_MAX,
  type NewWorkEntry,
  type RunbookRevision,
} from '../../../src/model/runbook-work.ts'
import { NOW_MS } from '../temp-store.ts'
import { describeInBoth } from './in-both.ts'

const ACTION: AuditedAction = { atMs: NOW_MS, by: 'ada', action: 'runbook.step', subject: 'f', detail: '{}' }

function entry(more: Partial<NewWorkEntry> = {}): NewWorkEntry {
  return {
    ...{ fingerprint: 'f', activeAtMs: NOW_MS, cluster: 'prague', alertname: 'A', runbook: 'A', revision: 'r' },
    ...{ atMs: NOW_MS + 1, by: 'ada', kind: 'tick', step: 's1' },
    ...more,
  }
}

function note(text: string, more: Partial<NewWorkEntry> = {}): NewWorkEntry {
  return Object.fromEntries(
    Object.entries(entry({ kind: 'note', text, ...more })).filter(([name]) => name !== 'step'),
  ) as unknown as NewWorkEntry
}

const KEY = { fingerprint: 'f', activeAtMs: NOW_MS }

describeInBoth('work on alerts', (open, database) => {
  test('comes back as it was, in its order, by occurrence, after a restart too, with the audit', async () => {
    const facts = await open()
    const { runbookWork: work } = facts
    expect(await work.entries([KEY])).toEqual([])
    expect(await work.add(entry(), undefined, ACTION)).toEqual({ kind: 'added', number: 1 })
    expect(await work.add(note('ü "quoted"\n2nd'), 1, { ...ACTION, action: 'runbook.note' })).toEqual({
      ...{ kind: 'added', number: 2 },
    })
    const other = entry({ activeAtMs: NOW_MS + 9 })
    expect(await work.add(other, undefined, ACTION)).toEqual({ kind: 'added', number: 1 })
    const again = await facts.reopened()
    expect(await again.runbookWork.entries([KEY])).toEqual([
      { ...entry(), number: 1 },
      { ...note('ü "quoted"\n2nd'), number: 2 },
    ])
    expect(await again.runbookWork.entries([KEY, { ...KEY, activeAtMs: NOW_MS + 9 }])).toHaveLength(3)
    expect(await again.runbookWork.entries([])).toEqual([])
    expect((await again.audit.list(9)).map(({ action }) => action)).toEqual([
      ...['runbook.step', 'runbook.note', 'runbook.step'],
    ])
  })

  test('of two people at once is all kept, and what is recorded already is no second entry', async () => {
    const { runbookWork: work, audit } = await open()
    const added = await Promise.all(
      ['ada', 'bo'].flatMap((by) => ['s1', 's2', 's3'].map((step) => work.add(entry({ by, step }), 0, ACTION))),
    )
    expect(added.map(({ kind }) => kind).sort()).toEqual(['added', 'added', 'added', 'same', 'same', 'same'])
    const entries = await work.entries([KEY])
    expect(entries.map(({ number }) => number)).toEqual([1, 2, 3])
    expect(new Set(entries.map(({ step }) => step))).toEqual(new Set(['s1', 's2', 's3']))
    expect(await audit.list(9)).toHaveLength(3)
  })

  test('that contradicts a newer entry than the client has read is refused; of another step, or read, it is not', async () => {
    const { runbookWork: work } = await open()
    await work.add(entry(), 0, ACTION)
    await work.add(entry({ step: 's2' }), 0, ACTION)
    const untick = entry({ kind: 'untick', by: 'bo' })
    expect(await work.add(untick, 0, ACTION)).toEqual({ kind: 'conflict', by: 'ada', atMs: NOW_MS + 1 })
    expect(await work.add(untick, 1, ACTION)).toEqual({ kind: 'added', number: 3 })
    expect(await work.add(entry(), undefined, ACTION)).toEqual({ kind: 'added', number: 4 })
    const end = (text: string) => entry({ kind: 'end', text, step: 's1' })
    expect(await work.add(end('fix'), 4, ACTION)).toEqual({ kind: 'added', number: 5 })
    expect(await work.add(end('by_itself'), 4, ACTION)).toMatchObject({ kind: 'conflict' })
    expect(await work.add(end('fix'), 0, ACTION)).toEqual({ kind: 'same', number: 5 })
    expect(await work.add({ ...end('fix'), step: 's2' }, 5, ACTION)).toEqual({ kind: 'added', number: 6 })
    // Notes never contradict each other.
    expect(await work.add(note('a'), 0, ACTION)).toEqual({ kind: 'added', number: 7 })
    expect(await work.add(note('a'), 0, ACTION)).toEqual({ kind: 'added', number: 8 })
  })

  test('that removes what is not there is no entry', async () => {
    const { runbookWork: work, audit } = await open()
    expect(await work.add(entry({ kind: 'untick' }), undefined, ACTION)).toEqual({ kind: 'same', number: 0 })
    await work.add(entry(), undefined, ACTION)
    expect(await work.add(entry({ kind: 'not_helped' }), undefined, ACTION)).toEqual({ kind: 'same', number: 1 })
    expect(await audit.list(9)).toHaveLength(1)
  })

  test('is limited by occurrence, in entries and in characters', async () => {
    const { runbookWork: work } = await open()
    const half = 'x'.repeat(RUN_TEXT_CHARS_MAX / 2)
    await work.add(note(half), 0, ACTION)
    expect(await work.add(note(`${half}y`), 0, ACTION)).toEqual({ kind: 'run_full' })
    expect(await work.add(note(half), 0, ACTION)).toMatchObject({ kind: 'added' })
    expect(await work.add(entry(), 0, ACTION)).toMatchObject({ kind: 'added' })
    expect(await work.add(note(half, { fingerprint: 'g' }), 0, ACTION)).toMatchObject({ kind: 'added' })
    // Hundreds of transactions of a server take half a minute.
    if (database === 'PostgreSQL') return
    for (let i = 3; i < RUN_ENTRIES_MAX; i++) await work.add(entry({ step: `t${i}` }), 0, ACTION)
    expect(await work.entries([KEY])).toHaveLength(RUN_ENTRIES_MAX)
    expect(await work.add(entry({ step: 'last' }), 0, ACTION)).toEqual({ kind: 'run_full' })
  }, 60_000)

  test('is removed with the occurrence of its alert', async () => {
    const { runbookWork: work, alertRuns } = await open()
    const labels = Labels.of({ alertname: 'A', cluster: 'prague' })
    const times = { activeAtMs: NOW_MS, firedAtMs: NOW_MS }
    await alertRuns.record([{ fingerprint: 'f', labels, annotations: {}, ...times, resolvedAtMs: NOW_MS + 10 }])
    await work.add(entry(), 0, ACTION)
    await alertRuns.prune(NOW_MS + 10)
    expect(await work.entries([KEY])).toHaveLength(1)
    await alertRuns.prune(NOW_MS + 11)
    expect(await work.entries([KEY])).toEqual([])
  })

  test('an occurrence is found by its key, with the time of its acknowledgement', async () => {
    const { alertRuns, acknowledgements } = await open()
    const labels = Labels.of({ alertname: 'A', cluster: 'prague' })
    const run = { fingerprint: 'f', labels, annotations: {}, activeAtMs: NOW_MS, firedAtMs: NOW_MS + 1 }
    await alertRuns.record([run, { ...run, activeAtMs: NOW_MS + 5 }])
    await acknowledgements.put(
      { ...KEY, by: 'bo', atMs: NOW_MS + 3, note: '' },
      { ...ACTION, action: 'alert.acknowledge' },
    )
    expect(await alertRuns.one(KEY)).toEqual({ ...run, acknowledgedBy: 'bo', acknowledgedAtMs: NOW_MS + 3 })
    expect(await alertRuns.one({ ...KEY, activeAtMs: NOW_MS + 5 })).toEqual({ ...run, activeAtMs: NOW_MS + 5 })
    expect(await alertRuns.one({ ...KEY, activeAtMs: 1 })).toBeUndefined()
    const page = await alertRuns.page({ fromMs: 0, toMs: NOW_MS + 9, limit: 9 })
    expect(page.map(({ acknowledgedAtMs }) => acknowledgedAtMs).filter((ms) => ms !== undefined)).toEqual([NOW_MS + 3])
  })
})

function revision(runbook: string, name: string, fromMs: number): RunbookRevision {
  return { runbook, revision: name, fromMs, steps: [{ key: `k${name}`, section: 'mitigation', text: 'Do it.' }] }
}

describeInBoth('revisions of runbooks', (open) => {
  test('are stored when they change, and come back oldest first', async () => {
    const facts = await open()
    const { runbookWork: work } = facts
    await work.recordRevisions([revision('A', '1', 10), revision('B', '1', 10)], 0)
    await work.recordRevisions([revision('A', '1', 20), revision('B', '2', 20)], 0)
    await work.recordRevisions([revision('A', '2', 30), revision('B', '1', 30)], 0)
    const again = (await facts.reopened()).runbookWork
    const all = await again.revisions()
    expect(all.map(({ runbook, revision: name, fromMs }) => `${runbook} ${name} ${fromMs}`)).toEqual([
      ...['A 1 10', 'A 2 30', 'B 1 10', 'B 2 20', 'B 1 30'],
    ])
    expect(await again.revisions('A')).toEqual([revision('A', '1', 10), revision('A', '2', 30)])
    await again.recordRevisions([revision('A', '3', 30)], 0)
    expect((await again.revisions('A')).map((one) => one.revision)).toEqual(['1', '3'])
  })

  test('are removed when they were replaced long ago; the newest stays', async () => {
    const { runbookWork: work } = await open()
    for (const fromMs of [10, 20, 30]) await work.recordRevisions([revision('A', String(fromMs), fromMs)], 0)
    const left = async (beforeMs: number) => {
      await work.recordRevisions([], beforeMs)
      return (await work.revisions()).map(({ fromMs }) => fromMs)
    }
    expect(await left(20)).toEqual([10, 20, 30])
    expect(await left(21)).toEqual([20, 30])
    expect(await left(1000)).toEqual([30])
  })
})
