import { describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { Labels } from '../../src/model/labels.ts'
import { silenceStateAt, type Silence } from '../../src/model/silence.ts'
import { createSilences, type HiddenAlert, type SilenceStore } from '../../src/notify/silences.ts'

const T0_MS = 1_800_000_000_000
const MINUTE_MS = 60_000

const keptNothing: SilenceStore = {
  list: () => Promise.resolve([]),
  find: () => Promise.resolve(undefined),
  write: () => Promise.resolve([]),
  prune: () => Promise.resolve(),
}

const alertOf = (state: HiddenAlert['state'], intervalMs = 30_000): HiddenAlert => {
  return { labels: Labels.of({ alertname: 'A' }), state, rule: { intervalMs } }
}

/** Minutes after the beginning at which the silence ended; a beat each half minute over half an hour. */
async function endOf(
  alertsAt: (minute: number) => readonly HiddenAlert[],
  untilResolved = true,
): Promise<number | undefined> {
  const silences = await createSilences(keptNothing, () => 'id')
  const wish = { matchers: [{ name: 'alertname', op: '=', value: 'A' }] as const, endsAtMs: T0_MS + 86_400_000 }
  await silences.set({ ...wish, createdBy: 'ada', comment: '', untilResolved }, 'ada', T0_MS)
  for (let minute = 0; minute <= 30; minute += 0.5) {
    const nowMs = T0_MS + minute * MINUTE_MS
    await silences.endResolved(alertsAt(minute), nowMs)
    if (silenceStateAt((await silences.get('id'))!, nowMs) === 'expired') return minute
  }
  return undefined
}

describe('a silence until resolved', () => {
  test.each([
    ['lasts as long as its alert fires', () => [alertOf('firing')], undefined],
    ['or waits', () => [alertOf('pending')], undefined],
    ['ends two minutes after the last time', (m: number) => [alertOf(m <= 5 ? 'firing' : 'resolved')], 7.5],
    [
      'outlives a flap of one evaluation',
      (m: number) => [alertOf(m === 5 || m === 6 ? 'resolved' : 'firing')],
      undefined,
    ],
    [
      'waits for two evaluations of a slow rule',
      (m: number) => [alertOf(m <= 5 ? 'firing' : 'resolved', 300_000)],
      15.5,
    ],
    ['ends when it never hid anything', () => [], 2.5],
    [
      'is not kept by an alert that it does not hide',
      () => [{ ...alertOf('firing'), labels: Labels.of({ alertname: 'B' }) }],
      2.5,
    ],
  ])('%s', async (_, alertsAt, minute) => {
    expect(await endOf(alertsAt)).toBe(minute)
  })

  test('is asked for: another one stays until its end', async () => {
    expect(await endOf(() => [], false)).toBeUndefined()
  })

  test('that cannot be kept has not changed', async () => {
    let isFull = true
    const full: SilenceStore = {
      ...keptNothing,
      write: () => (isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve([])),
    }
    const silences = await createSilences(full, () => 'id')
    const wish = { matchers: [{ name: 'a', op: '=', value: 'b' }] as const, endsAtMs: T0_MS + 10 }
    const set = () => silences.set({ ...wish, createdBy: 'ada', comment: '', untilResolved: false }, 'ada', T0_MS)
    await expect(set()).rejects.toThrow('the disk is full')
    expect([...silences.all()]).toEqual([])
    isFull = false
    expect((await set()).kind).toBe('changed')
    isFull = true
    await expect(silences.expire('id', 'ada', T0_MS)).rejects.toThrow('the disk is full')
    expect(silences.silencedBy(Labels.of({ a: 'b' }), T0_MS)).toEqual(['id'])
  })
})

test('a silence whose writer ended without an answer is read again: it may have been written', async () => {
  const kept: Silence[] = []
  let failure: FleetError | undefined
  const store: SilenceStore = {
    ...keptNothing,
    list: () => Promise.resolve(kept),
    write: (changes) => {
      kept.push(...changes.map(({ value }) => value))
      return failure === undefined ? Promise.resolve([]) : Promise.reject(failure)
    },
  }
  const silences = await createSilences(store, () => `id-${kept.length}`)
  const wish = { matchers: [{ name: 'alertname', op: '=', value: 'A' }] as const, endsAtMs: T0_MS + MINUTE_MS }
  const set = () => silences.set({ ...wish, createdBy: 'ada', comment: '', untilResolved: false }, 'ada', T0_MS)
  failure = new FleetError('storage_full', 'the disk is full')
  await expect(set()).rejects.toBe(failure)
  expect([...silences.all()]).toEqual([])
  failure = new FleetError('not_ready', 'the ingest worker ended before it answered')
  await expect(set()).rejects.toBe(failure)
  expect([...silences.all()].map(({ id }) => id)).toEqual(['id-0', 'id-1'])
})
