import { afterEach, describe, expect, test } from 'vitest'
import { changedTraces } from '../../../src/fleet/loop/upgrade-traces.ts'
import { deriveFrom, deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import { factsChangeOf, mergeFacts } from '../../../src/fleet/loop/merge-facts.ts'
import { createFleetLoop, type FleetLoop, type FleetLoopParts } from '../../../src/fleet/loop/fleet-loop.ts'
import { POSITION_KEY } from '../../../src/fleet/loop/loop-state.ts'
import { coverageOf, observedCluster } from '../../../src/fleet/clusters/fleet-coverage.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { createUpdateGraphs } from '../../../src/fleet/graph/update-graphs.ts'
import { SignalWatch } from '../../../src/fleet/signals/signal-watch.ts'
import { upgradeTraceId } from '../../../src/fleet/trace/trace-ids.ts'
import { fingerprintOf } from '../../../src/model/alert.ts'
import type { AlertRunRecord } from '../../../src/model/alert-run.ts'
import type { DerivedSample } from '../../../src/model/appender.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import { observationsOf } from '../../../sim/history/cluster-observations.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { openFactsForReading } from '../../../src/store/facts/facts.ts'
import { openObservationsForReading } from '../../../src/store/observations/observation-reader.ts'
import type { StoreOptions } from '../../../src/store/options.ts'
import { spansOf } from '../../support/read-spans.ts'
import { openSpansForReading } from '../../../src/store/spans/span-reader.ts'
import { TempStore } from '../../store/temp-store.ts'

const FROM_MS = Date.UTC(2026, 0, 1)
const UNTIL_MS = Date.UTC(2026, 3, 1)
const KEPT_MS = 400 * 24 * 3_600_000

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** The loop over a real store, on one thread. */
class Looped {
  readonly store: TempStore
  readonly appended: DerivedSample[] = []
  readonly index = createFleetIndex()
  readonly lastSeen = new Map<string, number>()
  readers: ReturnType<Looped['openReaders']>
  loop: FleetLoop
  failing: string | undefined
  graphs: FleetLoopParts['graphs'] = () => Promise.resolve(createUpdateGraphs([]))
  /** As if there were so many of each cluster. */
  timesCounted = 1
  /** How long each look at the watch takes. */
  stepMs = 0
  #timeMs = 0

  constructor(options: Partial<StoreOptions> = {}) {
    this.store = new TempStore(options)
    this.readers = this.openReaders()
    this.loop = this.#make()
  }

  openReaders() {
    const { dir } = this.store.options
    const readers = {
      facts: openFactsForReading(dir),
      observations: openObservationsForReading(dir),
      spans: openSpansForReading(dir),
    }
    closing.push(() => {
      for (const reader of Object.values(readers)) reader.close()
    })
    return readers
  }

  #make(): FleetLoop {
    const { facts, observations, spans } = this.readers
    const { writer, reader, options } = this.store
    const commit = (): Promise<void> => this.store.writer.appender.commit()
    const { appended, index } = this
    const parts: FleetLoopParts = {
      signals: new SignalWatch(reader, { ...options, samplesMax: 1e7 }),
      observations: {
        changedSince: (position) => observations.changedSince(position),
        joins: () => observations.joins(),
        runs: (cluster) => observations.runs(cluster),
        lastSeenSince: (timeMs) => observations.lastSeenSince(timeMs),
        oldestMs: (cluster) => observations.oldestMs(cluster),
        changes: (cluster, range) => observations.changes(cluster, range),
        read: (cluster) => {
          if (cluster === this.failing) return Promise.reject(new Error('a page of the disk is gone'))
          return observations.read(cluster)
        },
      },
      ownRuns: observations,
      spans,
      facts: facts.fleet,
      alerts: facts.alertRuns,
      position: () => facts.meta.get(POSITION_KEY),
      writer: {
        fleet: writer.facts.fleet,
        derived: {
          runs: (changes) => {
            for (const { cluster, fromMs, runs } of changes) writer.observations.putRuns(cluster, fromMs, runs)
            return commit()
          },
          spans: (traces, nowMs) => {
            writer.spans.replaceSpans(traces, nowMs)
            return commit()
          },
        },
      },
      counting: {
        facts: facts.fleet,
        clusters: async () => {
          const records = await facts.fleet.clusters()
          return Array.from({ length: this.timesCounted }, (_, i) =>
            records.map((record) => ({ ...record, cluster: i === 0 ? record.cluster : `${record.cluster} ${i}` })),
          ).flat()
        },
        goneAt: () => Promise.resolve(new Set()),
        days: () => facts.adoption.days(),
        putDay: (day, rows, usage, nowMs) => writer.facts.adoption.putDay(day, rows, usage, nowMs),
      },
      traitsAt: () => Promise.resolve(new Map()),
      rollouts: () => Promise.resolve([]),
      graphs: () => this.graphs(),
      index: Promise.resolve({
        ...index,
        markSeen: (cluster, { metricsMs, objectsMs }) => {
          if (metricsMs !== undefined) this.lastSeen.set(cluster, metricsMs)
          if (objectsMs !== undefined) this.lastSeen.set(`${cluster}'s objects`, objectsMs)
        },
        coverage: (nowMs) =>
          coverageOf(
            Array.from(this.lastSeen, ([cluster, metricsMs]) => observedCluster(cluster, undefined, { metricsMs })),
            () => false,
            nowMs,
          ),
      }),
      writtenSeries: () => [],
      appendDerived: (samples) => {
        appended.push(...samples)
        return Promise.resolve()
      },
      positionKey: POSITION_KEY,
      retentionMs: KEPT_MS,
      stopwatchMs: () => (this.#timeMs += this.stepMs),
    }
    return createFleetLoop(parts)
  }

  /** As if the process had been killed and started. */
  async restart(): Promise<void> {
    await this.store.reopen()
    this.readers = this.openReaders()
    this.loop = this.#make()
  }

  async observe(observations: readonly ObjectObservation[]): Promise<void> {
    this.store.writer.observations.putObjects(observations)
    await this.store.writer.appender.commit()
  }

  async settle(nowMs = UNTIL_MS): Promise<void> {
    for (let beats = 0; beats < 100; beats++) if ((await this.loop.runCycle(nowMs)).waiting === 0) return
    throw new Error('there is no end to it')
  }
}

/** Without what there is most of: a cluster's nodes and migrations take longer to keep than they show here. */
const LEFT_OUT = new Set<string>([
  'nodes',
  'virtualmachineinstancemigrations',
  'clusteroperators',
  'machineconfigpools',
])

function historyOf(index: number) {
  const told = observationsOf(planHistory({ seed: 'loop', index, fromMs: FROM_MS, untilMs: UNTIL_MS, mode: 'objects' }))
  return { cluster: told.cluster, objects: told.objects.filter(({ facts }) => !LEFT_OUT.has(facts.kind)) }
}

describe('facts', () => {
  test('are those of all that was observed, told portion by portion, over a restart, byte for byte', async () => {
    const looped = new Looped()
    const told = [0, 1, 2].map((index) => historyOf(index))
    // Every third first, the latest of them before the earliest.
    const shuffled = told
      .flatMap(({ objects }) => objects)
      .sort((a, b) => (Number(b.resourceVersion) % 3) - (Number(a.resourceVersion) % 3))
    const portion = Math.ceil(shuffled.length / 6)
    for (let from = 0; from < shuffled.length; from += portion) {
      await looped.observe(shuffled.slice(from, from + portion))
      await looped.loop.runCycle(UNTIL_MS)
      if (from === portion * 3) await looped.restart()
    }
    await looped.settle()
    for (const { cluster } of told) {
      const { fleet } = looped.readers.facts
      const found = await fleet.cluster(cluster)
      const kept = found && { ...found, values: (await fleet.values([cluster])).get(cluster) ?? [] }
      const derived = await deriveFrom(looped.readers, cluster)
      expect(kept!.values.length).toBeGreaterThan(0)
      expect(kept!.upgrades.length).toBeGreaterThan(0)
      const merged = mergeFacts(kept, derived, UNTIL_MS - KEPT_MS)
      expect(factsChangeOf(kept, merged)).toBeUndefined()
      // What the loop holds in memory is what a start would read.
      expect(merged).toEqual(kept)
      expect(JSON.parse(JSON.stringify(merged))).toEqual(merged)
      expect(JSON.stringify(kept!.cluster)).toBe(JSON.stringify(derived.cluster))
      const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)
      expect(JSON.stringify(kept!.upgrades.toSorted((a, b) => byId(a.upgrade, b.upgrade)))).toBe(
        JSON.stringify(derived.upgrades.toSorted((a, b) => byId(a.upgrade, b.upgrade))),
      )
      expect(JSON.stringify(kept!.modifications.toSorted(byId))).toBe(
        JSON.stringify(derived.modifications.toSorted(byId)),
      )
      expect(kept!.intervals).toHaveLength(derived.intervals.length)
    }
  })

  test('stand beside how far they are derived: a quiet beat writes nothing, and a restart derives nothing again', async () => {
    const looped = new Looped()
    await looped.observe(historyOf(0).objects)
    await looped.settle()
    const version = versionOf(looped)
    const before = version()
    for (let second = 0; second < 5; second++) {
      expect((await looped.loop.runCycle(UNTIL_MS + second * 1000)).changed).toEqual([])
    }
    expect(version()).toBe(before)
    await looped.restart()
    expect((await looped.loop.runCycle(UNTIL_MS + 6000)).derived).toBe(0)
  })

  test('of one cluster that fail are told, tried again, and do not stop the others', async () => {
    const looped = new Looped()
    const [bad, good] = [historyOf(0), historyOf(1)]
    looped.failing = bad.cluster
    await looped.observe([...bad.objects, ...good.objects])
    const report = await looped.loop.runCycle(UNTIL_MS)
    expect(report.failures).toEqual([{ subject: bad.cluster, error: 'a page of the disk is gone' }])
    expect(report).toMatchObject({ derived: 1, waiting: 1, changed: ['clusters', 'upgrades'] })
    expect(await looped.readers.facts.fleet.cluster(good.cluster)).toBeDefined()
    // Who is killed now does not forget the one that failed.
    expect(await looped.readers.facts.meta.get(POSITION_KEY)).toBeUndefined()
    looped.failing = undefined
    expect((await looped.loop.runCycle(UNTIL_MS + 1000)).derived).toBe(0)
    expect(await looped.loop.runCycle(UNTIL_MS + 60_000)).toMatchObject({ derived: 1, waiting: 0, failures: [] })
    expect(await looped.readers.facts.fleet.cluster(bad.cluster)).toBeDefined()
  })

  test('that do not fit into a beat are derived in the next ones, the oldest first', async () => {
    const looped = new Looped()
    looped.stepMs = 400
    const told = [0, 1, 2, 3, 4].map((index) => historyOf(index))
    for (const { objects } of told) await looped.observe(objects)
    const waiting: number[] = []
    for (let beat = 0; beat < 3; beat++) waiting.push((await looped.loop.runCycle(UNTIL_MS + beat)).waiting)
    expect(waiting).toEqual([3, 1, 0])
    expect(await looped.readers.facts.fleet.clusters()).toHaveLength(5)
  })

  test('are counted, and how far they are is told, where clusters never stop waiting', async () => {
    const looped = new Looped()
    looped.stepMs = 400
    const told = [0, 1, 2, 3, 4].map((index) => historyOf(index))
    for (const { objects } of told) await looped.observe(objects)
    const beatMs = (beat: number): number => UNTIL_MS + beat * 1000
    // Two are derived a beat, and of two something new comes.
    let later = 0
    const changeTwo = async (): Promise<void> => {
      for (let i = 0; i < 2; i++, later++) {
        const [first] = told[later % told.length]!.objects
        await looped.observe([{ ...first!, uid: `later ${later}`, observedMs: UNTIL_MS + later }])
      }
    }
    const reachedMs: (number | undefined)[] = []
    for (let beat = 0; beat < 9; beat++) {
      expect((await looped.loop.runCycle(beatMs(beat))).waiting).toBeGreaterThan(0)
      reachedMs.push(looped.loop.progress().caughtUpMs)
      await changeTwo()
    }
    // Five wait at the start. One that changed after a look is found at the next, and waits for two more at most.
    expect(reachedMs.slice(0, 2)).toEqual([undefined, undefined])
    expect(reachedMs.slice(3).every((atMs, i) => atMs !== undefined && atMs >= beatMs(i))).toBe(true)
    expect(await looped.readers.facts.adoption.days()).not.toEqual([])
    // Whoever is killed now goes on near the end.
    expect(await looped.readers.facts.meta.get(POSITION_KEY)).toBeDefined()
    await looped.settle(beatMs(20))
    expect(looped.loop.progress()).toEqual({ caughtUpMs: beatMs(20), waiting: 0, daysLeft: 0 })
  })

  test('that are neither read nor derived wait once each', async () => {
    const looped = new Looped()
    looped.stepMs = 800
    const name = 'kubevirt-hyperconverged-operator.v1.16.0'
    for (const { cluster, objects } of [0, 1, 2, 3, 4].map((index) => historyOf(index))) {
      await looped.observe(objects)
      const ref = looped.store.resolve({ __name__: 'csv_succeeded', cluster, name, version: '1.16.0' })
      looped.store.writer.appender.append(ref, UNTIL_MS, 1)
    }
    await looped.store.writer.appender.commit()
    const report = await looped.loop.runCycle(UNTIL_MS)
    expect(report).toMatchObject({ read: 1, derived: 1 })
    expect(report.waiting).toBeGreaterThan(0)
    expect(report.waiting).toBeLessThanOrEqual(5)
  })

  test('become traces, and a trace goes with the upgrade it was of', async () => {
    const looped = new Looped()
    const { cluster, objects } = historyOf(0)
    await looped.observe(objects)
    await looped.settle()
    const kept = await looped.readers.facts.fleet.cluster(cluster)
    const tracesOf = (): Promise<readonly number[]> =>
      Promise.all(
        kept!.upgrades.map(async (record) => (await spansOf(looped.readers.spans, upgradeTraceId(record))).length),
      )
    expect(kept!.upgrades.length).toBeGreaterThan(0)
    expect((await tracesOf()).every((spans) => spans > 0)).toBe(true)
    // As if an earlier derivation had known no better.
    const after = { ...kept!, upgrades: [] }
    const change = factsChangeOf(kept, after)!
    const gone = await changedTraces(kept, after, change, looped.readers.facts.alertRuns)
    expect(gone.map(({ spans }) => spans)).toEqual(kept!.upgrades.map(() => []))
    looped.store.writer.spans.replaceSpans(gone, UNTIL_MS)
    await looped.store.writer.appender.commit()
    expect(new Set(await tracesOf())).toEqual(new Set([0]))
  })

  test('of an upgrade that are gone with their observations are kept, and so is its trace', async () => {
    const looped = new Looped({ retentionTracesMs: 2 * KEPT_MS })
    const { cluster, objects } = historyOf(0)
    await looped.observe(objects)
    await looped.settle()
    const { upgrades } = (await looped.readers.facts.fleet.cluster(cluster))!
    expect(upgrades.length).toBeGreaterThan(0)
    await looped.store.writer.maintain(UNTIL_MS + KEPT_MS)
    await looped.settle(UNTIL_MS + KEPT_MS)
    const after = (await looped.readers.facts.fleet.cluster(cluster))!
    const ended = upgrades.filter(({ upgrade: { endedMs } }) => endedMs !== undefined)
    expect(after.upgrades).toEqual(expect.arrayContaining(ended))
    for (const record of ended) expect(await spansOf(looped.readers.spans, upgradeTraceId(record))).not.toEqual([])
  })

  test('become series once a minute, and the counts of the day', async () => {
    const looped = new Looped()
    await looped.observe(historyOf(0).objects)
    await looped.settle()
    const names = (): ReadonlySet<string> => new Set(looped.appended.map(({ labels }) => labels.metricName))
    expect(names()).toContain('daytwo_cluster_last_seen_seconds')
    const first = looped.appended.length
    await looped.loop.runCycle(UNTIL_MS + 59_000)
    expect(looped.appended.length).toBe(first)
    await looped.loop.runCycle(UNTIL_MS + 60_000)
    expect(looped.appended.length).toBeGreaterThan(first)
    expect((await looped.readers.facts.adoption.days()).length).toBeGreaterThan(0)
  })
})

test('days of a large fleet are counted eight at a time, the last first, without a rest until all are', async () => {
  const looped = new Looped()
  looped.timesCounted = 20_000
  await looped.observe(historyOf(0).objects)
  const counted: number[] = []
  for (let beat = 0; beat < 4; beat++) {
    await looped.settle(UNTIL_MS + beat * 5000)
    const days = await looped.readers.facts.adoption.days()
    counted.push(days.length)
    expect(
      days
        .map(({ day }) => day)
        .sort()
        .at(-1),
    ).toBe('2026-04-01')
  }
  expect(counted).toEqual([8, 16, 24, 32])
})

describe('alerts that fire during an upgrade', () => {
  const runOf = (cluster: string, alertname: string, firedAtMs: number): AlertRunRecord => {
    const labels = Labels.of({ alertname, cluster, severity: 'critical' })
    const fingerprint = fingerprintOf(labels)
    return { fingerprint, labels, annotations: {}, activeAtMs: firedAtMs - 1000, firedAtMs }
  }
  async function upgraded() {
    const looped = new Looped()
    const { cluster, objects } = historyOf(0)
    await looped.observe(objects)
    await looped.settle()
    const record = (await looped.readers.facts.fleet.cluster(cluster))!.upgrades.find(
      ({ upgrade }) => upgrade.startedMs !== undefined && upgrade.endedMs !== undefined,
    )!
    const fire = (...runs: readonly AlertRunRecord[]) => looped.store.writer.facts.alertRuns.record(runs)
    const eventsOf = async (): Promise<readonly string[]> => {
      const spans = await spansOf(looped.readers.spans, upgradeTraceId(record))
      const events = spans.find(({ parentSpanId }) => parentSpanId === undefined)!.events
      return events
        .filter(({ name }) => name === 'alert.firing')
        .map(
          ({ timeNs, attributes }) =>
            `${timeNs / 1_000_000n} ${attributes.map(({ value }) => JSON.stringify(value)).join(' ')}`,
        )
    }
    return { looped, cluster, startMs: record.upgrade.startedMs!, fire, eventsOf }
  }

  test('are told in its trace, also when nothing else is new, each once and in order', async () => {
    const { looped, cluster, startMs, fire, eventsOf } = await upgraded()
    await fire(runOf(cluster, 'B', startMs + 2000), runOf(cluster, 'Before', startMs - 1))
    expect(await looped.loop.runCycle(UNTIL_MS)).toMatchObject({ derived: 0, waiting: 0, failures: [] })
    expect(await eventsOf()).toEqual([`${startMs + 2000} "B" "critical"`])
    await fire(runOf(cluster, 'A', startMs + 1000), runOf('elsewhere', 'C', startMs + 1000))
    await looped.loop.runCycle(UNTIL_MS)
    const told = [`${startMs + 1000} "A" "critical"`, `${startMs + 2000} "B" "critical"`]
    expect(await eventsOf()).toEqual(told)
    // As it is derived from the beginning, by whoever starts anew.
    const facts = await deriveFrom(looped.readers, cluster)
    const change = factsChangeOf(undefined, facts)!
    const traces = await changedTraces(undefined, facts, change, looped.readers.facts.alertRuns)
    looped.store.writer.spans.replaceSpans(traces, UNTIL_MS)
    await looped.store.writer.appender.commit()
    expect(await eventsOf()).toEqual(told)
  })

  test('that resolve, or fire again outside of it, cost no write', async () => {
    const { looped, cluster, startMs, fire } = await upgraded()
    const run = runOf(cluster, 'A', startMs + 1000)
    await fire(run)
    await looped.loop.runCycle(UNTIL_MS)
    await looped.loop.runCycle(UNTIL_MS + 1)
    await fire({ ...run, resolvedAtMs: startMs + 5000 })
    const version = versionOf(looped)
    const before = version()
    await looped.loop.runCycle(UNTIL_MS + 2)
    expect(version()).toBe(before)
    await fire(runOf(cluster, 'A', startMs - 1000))
    const traced: number[] = []
    const { spans } = looped.store.writer
    const replace = spans.replaceSpans.bind(spans)
    spans.replaceSpans = (traces, nowMs) => {
      traced.push(traces.length)
      replace(traces, nowMs)
    }
    await looped.loop.runCycle(UNTIL_MS + 3)
    expect(traced).toEqual([])
  })
})

test('a cluster whose objects say the same as before is seen', async () => {
  const looped = new Looped()
  const { cluster, objects } = historyOf(0)
  await looped.observe(objects)
  await looped.settle()
  const last = objects.at(-1)!
  looped.store.writer.observations.putListings([
    {
      cluster,
      resource: last.facts.kind,
      namespace: last.namespace,
      observedMs: UNTIL_MS + 5_400_000,
      uids: objects.filter(({ facts }) => facts.kind === last.facts.kind).map(({ uid }) => uid),
    },
  ])
  await looped.store.writer.appender.commit()
  await looped.settle(UNTIL_MS + 5_401_000)
  // Kept in steps, so that a fleet at rest writes little.
  expect(looped.lastSeen.get(`${cluster}'s objects`)).toBe(UNTIL_MS + 5_400_000)
})

test('metrics become facts: samples, then runs, then a cluster with its version', async () => {
  const looped = new Looped()
  const name = 'kubevirt-hyperconverged-operator.v1.16.0'
  const ref = looped.store.resolve({ __name__: 'csv_succeeded', cluster: 'c9', name, version: '1.16.0' })
  for (let timeMs = UNTIL_MS - 600_000; timeMs <= UNTIL_MS; timeMs += 30_000) {
    looped.store.writer.appender.append(ref, timeMs, 1)
  }
  await looped.store.writer.appender.commit()
  expect(await looped.loop.runCycle(UNTIL_MS)).toMatchObject({ read: 1, derived: 1, waiting: 0, failures: [] })
  const kept = await looped.readers.facts.fleet.cluster('c9')
  expect({ ...kept, values: [] }).toEqual(
    deriveCluster({ ...(await looped.readers.observations.read('c9')), spans: [] }),
  )
  expect(kept!.intervals).toMatchObject([
    { operator: 'kubevirt-hyperconverged', version: '1.16.0', isStartKnown: false },
  ])
  expect(looped.lastSeen.get('c9')).toBe(UNTIL_MS)
  const before = versionOf(looped)()
  expect(await looped.loop.runCycle(UNTIL_MS + 1000)).toMatchObject({ read: 0, derived: 0 })
  expect(before).toBeDefined()
})

test('update graphs become series once a minute, and graphs that cannot be read end no series', async () => {
  const looped = new Looped()
  await looped.observe(historyOf(0).objects)
  await looped.settle()
  const version = (await looped.readers.facts.fleet.clusters())[0]!.hcoVersion!
  const node = (name: string) => ({ version: name, channels: ['stable'] })
  const graph = {
    nodes: [node(version), node(`${version.split('.')[0]}.99.0`)],
    edges: [],
    conditionalEdges: [],
    channels: [],
  }
  looped.graphs = () => Promise.resolve({ graph: () => ({ graph, imports: [] }) })
  const ends = (from: number) =>
    looped.appended
      .slice(from)
      .filter(({ labels }) => labels.metricName === 'daytwo_cluster_dead_end')
      .map(({ labels, isStale }) => `${labels.get('operator')} ${labels.get('version')}${isStale ? ' ends' : ''}`)
  const MINUTE_MS = 60_000
  await looped.loop.runCycle(UNTIL_MS + MINUTE_MS - 1)
  expect(ends(0)).toEqual([])
  await looped.loop.runCycle(UNTIL_MS + MINUTE_MS)
  expect(ends(0)).toEqual([`kubevirt-hyperconverged ${version}`])
  looped.graphs = () => Promise.reject(new Error('a page of the disk is unreadable'))
  const known = looped.appended.length
  const { failures } = await looped.loop.runCycle(UNTIL_MS + 2 * MINUTE_MS)
  expect(failures).toEqual([{ subject: 'update graphs', error: 'a page of the disk is unreadable' }])
  expect(ends(known)).toEqual([`kubevirt-hyperconverged ${version}`])
})

/** Changes with every commit of the writer. */
function versionOf(looped: Looped): () => unknown {
  const other = openDatabaseForReading(looped.store.options.dir)
  closing.push(() => {
    other.close()
  })
  return () => other.pragma('data_version', { simple: true })
}
