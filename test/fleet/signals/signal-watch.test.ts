import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SignalWatch } from '../../../src/fleet/signals/signal-watch.ts'
import type { MetricRun } from '../../../src/model/observation.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from '../../store/temp-store.ts'

const OPTIONS = { retentionRawMs: 30 * 24 * HOUR_MS, outOfOrderMs: HOUR_MS, samplesMax: 10_000_000 }
/** A full hour, so that steps are easy to read. */
const T0 = Math.floor(NOW_MS / HOUR_MS) * HOUR_MS
const STEP_MS = 30_000

const CSV = (version: string): Record<string, string> => ({
  __name__: 'csv_succeeded',
  name: `kubevirt-hyperconverged-operator.v${version}`,
  version,
})
const ABNORMAL = (version: string, phase: string, reason = ''): Record<string, string> => ({
  ...CSV(version),
  __name__: 'csv_abnormal',
  phase,
  reason,
})
const NODE = (pod: string, kubeversion: string): Record<string, string> => ({
  __name__: 'kubevirt_info',
  pod,
  kubeversion,
})

/** A store with a watch on it, and what was kept of runs. */
class Watched {
  readonly store = new TempStore({ outOfOrderMs: HOUR_MS })
  /** The metric of a group whose samples cannot be read. */
  failing: string | undefined
  watch = new SignalWatch(
    {
      selectRuns: (request) => {
        const selection = this.store.reader.selectRuns(request)
        if (!request.matchers[0]!.value.includes(this.failing ?? '-')) return selection
        const { rows, refs } = selection
        return {
          ...{ rows, refs: refs! },
          readNewest: (timesMs, values) => {
            selection.readNewest(timesMs, values)
          },
          readTails: (into) => {
            selection.readTails!(into)
          },
          readRuns: () => {
            throw new Error('no disk')
          },
        }
      },
    },
    OPTIONS,
  )
  readonly kept = new Map<string, readonly MetricRun[]>()
  puts = 0
  reads = 0

  /** `value` undefined: a stale marker. */
  put(labels: Record<string, string>, timeMs: number, value: number | undefined, cluster = 'c1'): void {
    const ref = this.store.resolve({ cluster, ...labels })
    if (value === undefined) this.store.writer.appender.appendStale(ref, timeMs)
    else this.store.writer.appender.append(ref, timeMs, value)
  }

  /** As `put`, at each step from one time to another, both inclusive. */
  series(labels: Record<string, string>, fromMs: number, toMs: number, value = 1, cluster = 'c1'): void {
    for (let timeMs = fromMs; timeMs <= toMs; timeMs += STEP_MS) this.put(labels, timeMs, value, cluster)
  }

  async beat(nowMs: number): Promise<void> {
    await this.store.writer.appender.commit()
    this.watch.look(nowMs)
    for (const cluster of this.watch.due(nowMs)) {
      const kept = this.kept.get(cluster) ?? []
      this.reads++
      const { change } = this.watch.read(cluster, kept, nowMs)
      if (change === undefined) continue
      this.puts++
      const { fromMs, runs } = change
      expect(runs.every(({ firstMs }) => firstMs >= fromMs)).toBe(true)
      this.kept.set(cluster, [...kept.filter(({ firstMs }) => firstMs < fromMs), ...runs])
    }
  }

  runs(cluster = 'c1'): readonly string[] {
    return linesOf(this.kept.get(cluster) ?? [])
  }

  /** What somebody says who reads all at once. */
  readAnew(nowMs: number, cluster = 'c1'): readonly string[] {
    const watch = new SignalWatch(this.store.reader, OPTIONS)
    watch.look(nowMs)
    return linesOf(watch.read(cluster, [], nowMs).change?.runs ?? [])
  }
}

/** One line a run: its labels and value, and in seconds after T0 `before < first..last < after`. */
function linesOf(runs: readonly MetricRun[]): readonly string[] {
  const at = (timeMs: number | undefined): string => (timeMs === undefined ? '-' : String((timeMs - T0) / 1000))
  return runs
    .map(({ signal, labels, value, beforeMs, firstMs, lastMs, afterMs }) => {
      const who = [signal, ...Object.values(labels)].join(' ')
      return `${who} = ${value}: ${at(beforeMs)} < ${at(firstMs)}..${at(lastMs)} < ${at(afterMs)}`
    })
    .sort()
}

describe('runs of signals', () => {
  test('tell an upgrade to one scrape', async () => {
    const watched = new Watched()
    const at = (step: number): number => T0 + step * STEP_MS
    watched.series(CSV('1.16.0'), at(0), at(9))
    watched.series(CSV('1.16.0'), at(10), at(14), 0)
    watched.put(CSV('1.16.0'), at(15), undefined)
    watched.series(CSV('1.17.0'), at(10), at(14), 0)
    watched.series(CSV('1.17.0'), at(15), at(20))
    watched.series(ABNORMAL('1.17.0', 'Pending', 'RequirementsNotMet'), at(10), at(10))
    watched.put(ABNORMAL('1.17.0', 'Pending', 'RequirementsNotMet'), at(11), undefined)
    watched.series(ABNORMAL('1.17.0', 'Installing'), at(11), at(14))
    watched.put(ABNORMAL('1.17.0', 'Installing'), at(15), undefined)
    await watched.beat(at(21))
    expect(watched.runs()).toEqual([
      'csv_abnormal Installing 1.17.0 = 1: 300 < 330..420 < 450',
      'csv_abnormal Pending RequirementsNotMet 1.17.0 = 1: 270 < 300..300 < 330',
      'csv_succeeded 1.16.0 = 0: 270 < 300..420 < 450',
      'csv_succeeded 1.16.0 = 1: - < 0..270 < 300',
      // What still stands says its last sample hour by hour.
      'csv_succeeded 1.17.0 = 0: 270 < 300..420 < 450',
      'csv_succeeded 1.17.0 = 1: 420 < 450..450 < -',
    ])
  })

  test('that are stored and contradict the samples are replaced', async () => {
    const watched = new Watched()
    const nowMs = T0 + 12 * HOUR_MS
    const changeMs = T0 + 6 * HOUR_MS
    watched.series(CSV('1.16.0'), T0, changeMs - STEP_MS)
    watched.series(CSV('1.16.0'), changeMs, nowMs, 0)
    await watched.beat(nowMs)
    watched.kept.set(
      'c1',
      watched.kept.get('c1')!.map((run) => (run.firstMs === changeMs ? { ...run, value: 5 } : run)),
    )
    watched.put(CSV('1.16.0'), nowMs + STEP_MS, 1)
    await watched.beat(nowMs + STEP_MS)
    expect(watched.runs()).toEqual(watched.readAnew(nowMs + STEP_MS))
    expect(watched.runs()).toHaveLength(3)
  })

  test('are read once of clusters that have not all of them, and of those that come later', async () => {
    const watched = new Watched()
    const told = [CSV('1.16.0'), NODE('a', 'v1'), CSV('1.17.0'), NODE('b', 'v1'), CSV('1.17.1')]
    for (const [i, labels] of told.entries()) {
      const [fromMs, nowMs] = [T0 + i * 2 * STEP_MS, T0 + (i * 2 + 1) * STEP_MS]
      watched.series(labels, fromMs, nowMs, 1, `c${i}`)
      await watched.beat(nowMs)
      expect([watched.reads, watched.watch.waiting, watched.watch.readUntilMs]).toEqual([i + 1, 0, nowMs])
      watched.watch.look(nowMs)
      expect([watched.watch.waiting, watched.watch.due(nowMs)]).toEqual([0, []])
    }
    for (const i of told.keys()) expect(watched.runs(`c${i}`)).toHaveLength(1)
  })

  test('count nodes by version, and know that targets are scraped one after the other', async () => {
    const watched = new Watched()
    const nodes = ['a', 'b', 'c']
    nodes.forEach((pod, i) => {
      watched.series(NODE(pod, 'v1'), T0 + i * 7000, T0 + i * 7000 + 4 * STEP_MS)
    })
    // The pod of `b` is another one from its fifth scrape on.
    watched.series(NODE('b', 'v1'), T0 + 7000, T0 + 7000 + 4 * STEP_MS)
    watched.put(NODE('b', 'v1'), T0 + 7000 + 5 * STEP_MS, undefined)
    watched.series(NODE('b2', 'v2'), T0 + 7000 + 5 * STEP_MS, T0 + 7000 + 8 * STEP_MS)
    for (const [pod, i] of [
      ['a', 0],
      ['c', 2],
    ] as const) {
      watched.series(NODE(pod, 'v1'), T0 + i * 7000 + 5 * STEP_MS, T0 + i * 7000 + 8 * STEP_MS)
    }
    await watched.beat(T0 + HOUR_MS)
    expect(watched.runs().filter((line) => line.includes('v2'))).toEqual(['kubevirt_nodes v2 = 1: 127 < 157..157 < -'])
    expect(watched.runs().at(-3)).toBe('kubevirt_nodes v1 = 2: 127 < 157..157 < -')
  })

  test('go on over silence of all, and end when one of a group is missed in scrapes for five minutes', async () => {
    const watched = new Watched()
    const later = T0 + 20 * MINUTE_MS
    for (const version of ['1.16.0', '1.17.0']) watched.series(CSV(version), T0, T0 + 5 * STEP_MS)
    watched.series(CSV('1.17.0'), later, later + 9 * STEP_MS)
    await watched.beat(later + 9 * STEP_MS)
    // The scrape after the silence has no 1.16.0, and by then it has been missed for long enough.
    expect(watched.runs()).toEqual([
      'csv_succeeded 1.16.0 = 1: - < 0..150 < 1200',
      'csv_succeeded 1.17.0 = 1: - < 0..0 < -',
    ])
    watched.put(CSV('1.16.0'), later, 1)
    await watched.beat(later + 10 * STEP_MS)
    expect(watched.runs()).toEqual(['csv_succeeded 1.16.0 = 1: - < 0..0 < -', 'csv_succeeded 1.17.0 = 1: - < 0..0 < -'])
    watched.series(CSV('1.17.0'), later + 10 * STEP_MS, later + 11 * STEP_MS)
    await watched.beat(later + 11 * STEP_MS)
    expect(watched.runs()[0]).toBe('csv_succeeded 1.16.0 = 1: - < 0..1200 < 1230')
  })

  test('are one for replicas and for names over time, and one for each process that counts', async () => {
    const watched = new Watched()
    const oob = (name: string, more: Record<string, string> = {}): Record<string, string> => ({
      __name__: name,
      component_name: 'kubevirt/kubevirt',
      ...more,
    })
    const [old, now] = ['kubevirt_hco_out_of_band_modifications_count', 'kubevirt_hco_out_of_band_modifications_total']
    for (const [replica, offsetMs] of [
      ['0', 0],
      ['1', 11_000],
    ] as const) {
      const labels = oob(old, { prometheus_replica: replica })
      watched.series(labels, T0 + offsetMs, T0 + offsetMs + 3 * STEP_MS)
      watched.series(labels, T0 + offsetMs + 4 * STEP_MS, T0 + offsetMs + 6 * STEP_MS, 2)
      watched.put(labels, T0 + offsetMs + 7 * STEP_MS, undefined)
    }
    watched.series(oob(now), T0 + 7 * STEP_MS, T0 + 9 * STEP_MS, 3)
    watched.series(oob(now, { pod: 'new', instance: '10.0.0.8:8443' }), T0 + 9 * STEP_MS, T0 + 10 * STEP_MS, 3)
    watched.series(oob(now, { instance: '10.0.0.9:8443' }), T0 + 10 * STEP_MS, T0 + 10 * STEP_MS)
    await watched.beat(T0 + HOUR_MS - 1)
    expect(watched.runs()).toEqual([
      'out_of_band kubevirt/kubevirt 10.0.0.9:8443 = 1: 270 < 300..300 < -',
      'out_of_band kubevirt/kubevirt = 1: - < 0..101 < 120',
      'out_of_band kubevirt/kubevirt = 2: 101 < 120..191 < 210',
      'out_of_band kubevirt/kubevirt = 3: 191 < 210..210 < -',
      'out_of_band kubevirt/kubevirt new = 3: 240 < 270..270 < -',
    ])
  })

  test('are kept as they are while nothing changes, and told anew once an hour', async () => {
    const watched = new Watched()
    for (let timeMs = T0; timeMs <= T0 + 3 * HOUR_MS; timeMs += STEP_MS) {
      watched.put(CSV('1.16.0'), timeMs, 1)
      watched.put(
        { __name__: 'subscription_sync_total', package: 'kubevirt-hyperconverged', channel: 'stable' },
        timeMs,
        timeMs,
      )
      watched.put(CSV('1.17.0'), timeMs, 1, 'c2')
      await watched.beat(timeMs)
      await watched.store.writer.maintain(timeMs)
    }
    expect(watched.runs()).toEqual([
      'csv_succeeded 1.16.0 = 1: - < 0..10800 < -',
      'subscription stable = 1: - < 0..10800 < -',
    ])
    // Once at first, then for each full hour.
    expect(watched.puts).toBe(2 * 4)
    expect(watched.reads).toBeLessThan(2 * 4 + 4)
  })

  test('are read at once after a quiet time, and else every 15 s, whatever changes', async () => {
    const watched = new Watched()
    const reads: number[] = []
    for (let second = 0; second <= 120; second++) {
      const nowMs = T0 + second * 1000
      if (second <= 60) watched.put({ __name__: 'kubevirt_vmi_number_of_outdated' }, nowMs, second)
      const before = watched.reads
      await watched.beat(nowMs)
      if (watched.reads > before) reads.push(second)
      const isWaiting = second <= 60 && watched.reads === before
      expect([watched.watch.waiting, watched.watch.isWaiting('c1')]).toEqual(isWaiting ? [1, true] : [0, false])
      // What was received in the second of the last read is read, and nothing since.
      expect(watched.watch.readUntilMs).toBe(isWaiting ? T0 + reads.at(-1)! * 1000 : nowMs)
    }
    expect(reads).toEqual([0, 15, 30, 45, 60])
    watched.put({ __name__: 'kubevirt_vmi_number_of_outdated' }, T0 + 121_000, 0)
    await watched.beat(T0 + 121_000)
    expect([watched.watch.waiting, watched.runs()]).toEqual([0, watched.readAnew(T0 + 121_000)])
  })

  test('are extended each full hour, some clusters at a time: no change waits for that, and nothing is behind', async () => {
    const watched = new Watched()
    const clusters = Array.from({ length: 120 }, (_, i) => `c${i}`)
    for (let timeMs = T0; timeMs <= T0 + HOUR_MS; timeMs += MINUTE_MS) {
      for (const cluster of clusters) watched.put(CSV('1.16.0'), timeMs, 1, cluster)
      if (timeMs === T0) await watched.beat(timeMs)
    }
    watched.put(CSV('1.17.0'), T0 + HOUR_MS, 1, 'c0')
    const reads: number[] = []
    for (let second = 0; second < 4; second++) {
      const [before, nowMs] = [watched.reads, T0 + HOUR_MS + second * 1000]
      await watched.beat(nowMs)
      reads.push(watched.reads - before)
      expect([watched.watch.waiting, watched.watch.readUntilMs]).toEqual([0, nowMs])
      expect([watched.watch.isWaiting('c118'), watched.runs('c0')]).toEqual([false, watched.readAnew(nowMs, 'c0')])
    }
    expect(reads).toEqual([51, 50, 19, 0])
    for (const cluster of clusters) expect(watched.runs(cluster)).toEqual(watched.readAnew(T0 + HOUR_MS, cluster))
  })

  test('of a cluster that is extended are as late as the last look, and of one that changed as the look before', async () => {
    const watched = new Watched()
    for (const cluster of ['c1', 'c2']) watched.series(CSV('1.16.0'), T0, T0 + HOUR_MS - STEP_MS, 1, cluster)
    await watched.beat(T0 + HOUR_MS - STEP_MS)
    watched.put(CSV('1.16.0'), T0 + HOUR_MS, 1, 'c1')
    watched.put(CSV('1.16.0'), T0 + HOUR_MS, 0, 'c2')
    await watched.store.writer.appender.commit()
    watched.watch.look(T0 + HOUR_MS)
    const { watch } = watched
    expect([watch.sinceMs('c1'), watch.sinceMs('c2')]).toEqual([T0 + HOUR_MS, T0 + HOUR_MS - STEP_MS])
    expect([watch.isWaiting('c1'), watch.isWaiting('c2'), watch.waiting]).toEqual([false, true, 1])
    expect(watch.readUntilMs).toBe(T0 + HOUR_MS - STEP_MS)
  })

  test('are read again of all signals after one of them could not be read', async () => {
    const watched = new Watched()
    watched.series(CSV('1.16.0'), T0, T0 + 5 * STEP_MS)
    watched.series({ __name__: 'kubevirt_hco_system_health_status' }, T0, T0 + 5 * STEP_MS, 0)
    await watched.beat(T0 + 5 * STEP_MS)
    const nowMs = T0 + 9 * STEP_MS
    watched.series(CSV('1.16.0'), T0 + 6 * STEP_MS, nowMs, 0)
    watched.series({ __name__: 'kubevirt_hco_system_health_status' }, T0 + 6 * STEP_MS, nowMs, 2)
    watched.failing = 'kubevirt_hco_system_health_status'
    await expect(watched.beat(nowMs)).rejects.toThrow('no disk')
    watched.failing = undefined
    await watched.beat(nowMs)
    expect(watched.runs()).toEqual(watched.readAnew(nowMs))
  })

  test('of a backlog are read when it pauses, and at the latest after a minute', async () => {
    const watched = new Watched()
    const beganMs = T0 + 3_600_000
    let sent = 0
    const arrive = (): void => {
      watched.put(CSV('1.17.0'), T0 + sent * STEP_MS, sent++ % 2)
    }
    const readsAt = async (nowMs: number): Promise<number> => {
      const before = watched.reads
      await watched.beat(nowMs)
      return watched.reads - before
    }
    arrive()
    expect(await readsAt(beganMs)).toBe(1)
    // A request each second: the rest of 15 s is over long before.
    const reads: number[] = []
    for (let second = 1; second <= 90; second++) {
      arrive()
      if ((await readsAt(beganMs + second * 1000)) > 0) reads.push(second)
    }
    expect(reads).toEqual([60])
    expect(await readsAt(beganMs + 94_999)).toBe(0)
    expect(await readsAt(beganMs + 95_000)).toBe(1)
    expect(watched.runs()).toEqual(watched.readAnew(beganMs + 95_000))
  })

  test('of samples that are five minutes old at most are no backlog', async () => {
    const watched = new Watched()
    watched.put(CSV('1.17.0'), T0, 1)
    await watched.beat(T0 + 300_000 - 15_000)
    watched.put(CSV('1.17.0'), T0 + 1, 0)
    await watched.beat(T0 + 300_001)
    expect(watched.reads).toBe(2)
    watched.put(CSV('1.17.0'), T0 + 2, 1)
    await watched.beat(T0 + 315_003)
    expect(watched.reads).toBe(2)
  })

  describe('of a series that had ended before what is read otherwise', () => {
    const ENDED = (watched: Watched, version: string): void => {
      watched.series(CSV(version), T0 + 30 * MINUTE_MS, T0 + 40 * MINUTE_MS)
      watched.put(CSV(version), T0 + 41 * MINUTE_MS, undefined)
    }
    /** It has a known time between the end of the other one and what is read. */
    const OTHER = (watched: Watched): void => {
      watched.series(CSV('1.16.0'), T0, T0 + 45 * MINUTE_MS)
      watched.series(CSV('1.16.0'), T0 + 45 * MINUTE_MS + STEP_MS, T0 + 2 * HOUR_MS, 0)
    }
    const RUNS = [
      'csv_succeeded 1.16.0 = 0: 2700 < 2730..7200 < -',
      'csv_succeeded 1.16.0 = 1: - < 0..2700 < 2730',
      'csv_succeeded 1.17.0 = 1: 1770 < 1800..2430 < 2460',
    ]

    test('are read when it comes later', async () => {
      const watched = new Watched()
      OTHER(watched)
      await watched.beat(T0 + 2 * HOUR_MS)
      ENDED(watched, '1.17.0')
      await watched.beat(T0 + 2 * HOUR_MS + 16_000)
      expect(watched.runs()).toEqual(RUNS)
    })

    test('are read after a restart, when they were not stored', async () => {
      const watched = new Watched()
      OTHER(watched)
      await watched.beat(T0 + 2 * HOUR_MS)
      ENDED(watched, '1.17.0')
      await watched.store.reopen()
      watched.watch = new SignalWatch(watched.store.reader, OPTIONS)
      await watched.beat(T0 + 2 * HOUR_MS + 1000)
      expect(watched.runs()).toEqual(RUNS)
    })

    test('are read after a restart, when they came late and were not read before it', async () => {
      const watched = new Watched()
      OTHER(watched)
      ENDED(watched, '1.17.0')
      watched.series(CSV('1.16.0'), T0 + 2 * HOUR_MS + STEP_MS, T0 + 2.5 * HOUR_MS, 0)
      watched.series(CSV('1.16.0'), T0 + 2.5 * HOUR_MS + STEP_MS, T0 + 3 * HOUR_MS)
      await watched.beat(T0 + 3 * HOUR_MS)
      const before = watched.runs()
      watched.series(CSV('1.17.0'), T0 + 2 * HOUR_MS + 5 * MINUTE_MS, T0 + 2 * HOUR_MS + 10 * MINUTE_MS)
      await watched.store.reopen()
      watched.watch = new SignalWatch(watched.store.reader, OPTIONS)
      await watched.beat(T0 + 3 * HOUR_MS + 1000)
      expect(watched.runs()).toEqual([...before, 'csv_succeeded 1.17.0 = 1: 7470 < 7500..7800 < 7830'])
    })

    test('begin with the earliest series of their meaning', async () => {
      const watched = new Watched()
      OTHER(watched)
      watched.series(CSV('1.17.0'), T0 + HOUR_MS, T0 + 2 * HOUR_MS)
      await watched.beat(T0 + 2 * HOUR_MS)
      watched.series({ ...CSV('1.17.0'), instance: 'b' }, T0 + 30 * MINUTE_MS, T0 + 40 * MINUTE_MS)
      watched.put({ ...CSV('1.17.0'), instance: 'b' }, T0 + 41 * MINUTE_MS, undefined)
      await watched.beat(T0 + 2 * HOUR_MS + 16_000)
      expect(watched.runs()).toEqual([...RUNS, 'csv_succeeded 1.17.0 = 1: 3570 < 3600..7200 < -'])
    })
  })

  test('go on where they were after a restart', async () => {
    const watched = new Watched()
    watched.series(CSV('1.16.0'), T0, T0 + HOUR_MS + 10 * MINUTE_MS)
    await watched.beat(T0 + HOUR_MS + 10 * MINUTE_MS)
    watched.series(CSV('1.16.0'), T0 + HOUR_MS + 10 * MINUTE_MS + STEP_MS, T0 + 2 * HOUR_MS, 0)
    await watched.store.reopen()
    watched.watch = new SignalWatch(watched.store.reader, OPTIONS)
    await watched.beat(T0 + 2 * HOUR_MS)
    expect(watched.runs()).toEqual([
      'csv_succeeded 1.16.0 = 0: 4200 < 4230..7200 < -',
      'csv_succeeded 1.16.0 = 1: - < 0..4200 < 4230',
    ])
  })
})

test('a cluster that is silent was last seen at its newest sample, also after a restart when no sample is in memory', async () => {
  const watched = new Watched()
  const lastSeen = (): readonly (readonly [string, number])[] => {
    const found: (readonly [string, number])[] = []
    watched.watch.eachLastSeen((cluster, newestMs) => found.push([cluster, (newestMs - T0) / MINUTE_MS]))
    return found
  }
  watched.series(CSV('1.16.0'), T0, T0 + HOUR_MS + 10 * MINUTE_MS)
  watched.put(CSV('1.16.0'), T0 + HOUR_MS + 20 * MINUTE_MS, undefined)
  await watched.beat(T0 + 2 * HOUR_MS)
  expect(lastSeen()).toEqual([['c1', 70]])
  await watched.store.writer.maintain(T0 + 30 * HOUR_MS)
  await watched.store.reopen(T0 + 30 * HOUR_MS)
  watched.watch = new SignalWatch(watched.store.reader, OPTIONS)
  const before = watched.runs()
  await watched.beat(T0 + 30 * HOUR_MS)
  expect(lastSeen()).toEqual([['c1', 70]])
  expect(watched.runs()).toEqual(before)
  watched.watch.look(T0 + 30 * HOUR_MS + MINUTE_MS)
  expect(watched.watch.due(T0 + 30 * HOUR_MS + MINUTE_MS)).toEqual([])
})

describe('whatever the order of arrival', () => {
  interface Told {
    readonly labels: Record<string, string>
    readonly timeMs: number
    readonly value: number | undefined
    readonly delayMs: number
  }

  /** Some series of one group: from when to when, how often, with which values, and how late. */
  const seriesArbitrary = fc.record({
    which: fc.integer({ min: 0, max: 5 }),
    replica: fc.integer({ min: 0, max: 1 }),
    pieces: fc.array(
      fc.record({
        gapSteps: fc.constantFrom(0, 0, 0, 1, 8, 12, 40),
        steps: fc.integer({ min: 1, max: 25 }),
        value: fc.integer({ min: 0, max: 2 }),
        endsStale: fc.boolean(),
        delayMs: fc.constantFrom(0, 0, 1, 40_000, 400_000, 1_500_000),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    offsetMs: fc.constantFrom(0, 0, 7000),
  })

  const LABELS: readonly Record<string, string>[] = [
    CSV('1.16.0'),
    CSV('1.17.0'),
    ABNORMAL('1.17.0', 'Pending'),
    NODE('a', 'v1'),
    NODE('b', 'v1'),
    NODE('b2', 'v2'),
  ]

  function toldBy(all: readonly (typeof seriesArbitrary extends fc.Arbitrary<infer T> ? T : never)[]): Told[] {
    return all.flatMap(({ which, replica, pieces, offsetMs }) => {
      const labels = { ...LABELS[which]!, prometheus_replica: String(replica) }
      let step = 0
      return pieces.flatMap(({ gapSteps, steps, value, endsStale, delayMs }) => {
        step += gapSteps
        const told: Told[] = []
        const at = (): number => T0 + offsetMs + replica * 11_000 + step * STEP_MS
        for (let i = 0; i < steps; i++, step++) told.push({ labels, timeMs: at(), value, delayMs })
        if (endsStale) told.push({ labels, timeMs: at(), value: undefined, delayMs })
        return told
      })
    })
  }

  test('the runs are those of reading everything at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(seriesArbitrary, { minLength: 1, maxLength: 6 }),
        fc.oneof(
          fc.integer({ min: 1, max: 90 }).map((steps) => steps * STEP_MS),
          // Shorter than the time between two reads of a cluster.
          fc.constantFrom(7000, 10_000, 14_000),
        ),
        fc.boolean(),
        async (all, everyMs, restarts) => {
          const watched = new Watched()
          try {
            const told = toldBy(all).sort((a, b) => a.timeMs + a.delayMs - (b.timeMs + b.delayMs))
            let beatMs = T0
            for (const { labels, timeMs, value, delayMs } of told) {
              while (timeMs + delayMs > beatMs) {
                await watched.beat(beatMs)
                beatMs += everyMs
              }
              watched.put(labels, timeMs, value)
            }
            if (restarts) watched.watch = new SignalWatch(watched.store.reader, OPTIONS)
            beatMs += 15_000
            await watched.beat(beatMs)
            // What arrived late may be a backlog, which is read when it has paused.
            beatMs += 15_000
            await watched.beat(beatMs)
            expect(watched.runs()).toEqual(watched.readAnew(beatMs))
          } finally {
            await watched.store.close()
          }
        },
      ),
      { numRuns: 60 },
    )
  }, 120_000)
})
