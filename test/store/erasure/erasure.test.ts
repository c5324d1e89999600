import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { REFUSED_TOO_OLD } from '../../../src/model/appender.ts'
import { Labels } from '../../../src/model/labels.ts'
import { auditedSession } from '../../../src/runtime/sessions.ts'
import { DATABASE_FILE, openDatabaseForReading } from '../../../src/store/database.ts'
import { openClusterReports } from '../../../src/store/erasure/cluster-report.ts'
import { decodeSegment } from '../../../src/store/index/cold-segment.ts'
import { eachSeries, SeriesRows } from '../../../src/store/index/series-rows.ts'
import { readLogPayload } from '../../../src/store/log/log-codec.ts'
import { decodeDirectory } from '../../../src/store/packs/pack-codec.ts'
import { decodeEdges } from '../../../src/store/rollups/rollup-pack.ts'
import { histogramOf } from '../../support/histograms.ts'
import { span, spanIdOf, traceIdOf } from '../../support/spans.ts'
import { HOUR_MS, MINUTE_MS, TempStore, tempDir } from '../temp-store.ts'

// After the erasure of a cluster no byte of the directory has its names or what only it had, others have what they had, and it
// ends also when the process is killed in the middle.

const [GONE, STAYS] = ['zlin-east-7', 'brno-west-2']
const SECRETS = [
  'zlin-east-7',
  'secretnamespace',
  'secret_metric',
  'secretexemplar',
  'secrettext',
  'secretspan',
  'secretobject',
  'secretnote',
  'secretmatcher',
  'secrethelp',
  'secretmanager',
  'secretperson',
]
/** At the beginning of a flush. */
const NOW_MS = 488_888 * HOUR_MS
const START_MS = NOW_MS - 10 * HOUR_MS

const OPTIONS = {
  flushEveryMs: 2 * HOUR_MS,
  outOfOrderMs: 0,
  compactToMs: [4 * HOUR_MS],
  checkpointLogBytes: 1,
  checkpointEveryMs: 1,
}

const word = (cluster: string, text: string): string => (cluster === GONE ? `secret${text}` : `open${text}`)

/** Samples each minute until `toMs`, with histograms, exemplars, spans, objects, logs and facts of a cluster. */
async function fill(store: TempStore, fromMs: number, toMs: number): Promise<void> {
  const { appender, spans, observations, logs } = store.writer
  for (let timeMs = fromMs; timeMs < toMs; timeMs += MINUTE_MS) {
    for (const cluster of [GONE, STAYS]) {
      for (let i = 0; i < 5; i++) {
        const ref = store.resolve({ __name__: 'm_total', cluster, namespace: word(cluster, 'namespace'), i: String(i) })
        appender.append(ref, timeMs, timeMs / MINUTE_MS + i / 3)
      }
      appender.append(store.resolve({ __name__: `${word(cluster, '_metric')}_total`, cluster }), timeMs, 1)
      const histogram = store.resolve({ __name__: 'h', cluster })
      appender.appendHistogram(histogram, timeMs, histogramOf(3, timeMs % 7))
    }
    if (timeMs % (2 * HOUR_MS) === 0) await store.writer.maintain(timeMs + 11 * MINUTE_MS)
  }
  for (const [i, cluster] of [GONE, STAYS].entries()) {
    const exemplar = { labels: Labels.of({ trace_id: word(cluster, 'exemplar') }), value: 1, timeMs: toMs }
    appender.appendExemplar(
      store.resolve({ __name__: 'm_total', cluster, namespace: word(cluster, 'namespace'), i: '0' }),
      exemplar,
    )
    appender.describe(word(cluster, '_metric'), { type: 'counter', help: word(cluster, 'help'), unit: '' })
    const attributes = [{ key: 'k8s.pod.name', value: word(cluster, 'span') }]
    const traced = { service: word(cluster, 'service'), cluster, attributes, name: word(cluster, 'operation') }
    spans.putSpans(
      [
        span({ ...traced, traceId: traceIdOf(i + 1), spanId: spanIdOf(1) }),
        // One trace with spans of both.
        span({ ...traced, traceId: traceIdOf(9), spanId: spanIdOf(i + 1) }),
      ],
      toMs,
    )
    observations.putObjects([
      {
        ...{ cluster, uid: `uid-${i}`, name: word(cluster, 'object'), namespace: word(cluster, 'namespace') },
        ...{ resourceVersion: '1', change: 'added', observedMs: toMs },
        facts: { kind: 'catalogsources', connectionState: word(cluster, 'text') },
      },
    ])
    const labels = { name: word(cluster, 'object') }
    observations.putRuns(cluster, 0, [
      { cluster, signal: 'csv_succeeded', labels, value: 1, firstMs: toMs, lastMs: toMs },
    ])
    observations.putClaims([
      { cluster, name: `${cluster}-uid`, kind: 'uid', joins: true, isBound: false, firstMs: toMs, lastMs: toMs },
    ])
    logs.putLogs([
      {
        ...{
          timeNs: BigInt(toMs) * 1_000_000n,
          cluster,
          service: word(cluster, 'service'),
          severity: 9,
          severityText: '',
        },
        ...{ eventName: '', body: word(cluster, 'text'), attributes: [], traceId: '', spanId: '' },
      },
    ])
  }
  await appender.commit()
}

async function addFacts(store: TempStore): Promise<void> {
  const { facts } = store.writer
  for (const [i, cluster] of [GONE, STAYS].entries()) {
    await facts.silences.write([
      {
        value: {
          ...{
            id: `silence-${i}`,
            matchers: [{ name: 'cluster', op: '=', value: cluster }],
            comment: word(cluster, 'matcher'),
          },
          ...{ startsAtMs: 0, endsAtMs: NOW_MS, updatedAtMs: 0, createdBy: 'ada', untilResolved: false },
        },
        audited: {
          atMs: NOW_MS,
          by: 'ada',
          action: 'silence.create',
          subject: `silence-${i}`,
          detail: JSON.stringify({ cluster, note: word(cluster, 'note') }),
        },
      },
    ])
    await facts.decommissions.write([
      {
        value: { id: `decommission-${i}`, cluster, sinceMs: 0, by: 'ada', reason: word(cluster, 'note'), saidMs: 0 },
        audited: { atMs: NOW_MS, by: 'ada', action: 'cluster.decommission', subject: cluster, detail: '{}' },
      },
    ])
    if (i === 0) await facts.configurationBaseline.write({ cluster, by: 'ada', chosenMs: 0 }, [])
    await facts.tokens.add(
      { role: 'ingest', name: word(cluster, 'note'), hash: `hash-${i}`, createdAtMs: 0, cluster },
      { atMs: NOW_MS, by: 'root', action: 'token.add', detail: JSON.stringify({ cluster }) },
    )
    const person = word(cluster, 'person')
    const times = { startedAtMs: NOW_MS, rotatedAtMs: NOW_MS, lastSeenMs: NOW_MS }
    const session = { id: `session-${i}`, hash: `hash-${i}`, key: `https://idp ${person}`, name: person, ...times }
    const record = { ...session, groups: [`${cluster}-admins`] }
    await facts.sessions.write([auditedSession('session.start', record, person, NOW_MS)], [])
  }
}

async function filled(): Promise<TempStore> {
  const store = new TempStore(OPTIONS, START_MS)
  await fill(store, START_MS, NOW_MS)
  await addFacts(store)
  // Writes a checkpoint of the head.
  await store.writer.maintain(NOW_MS)
  return store
}

/** What the directory has of a text, by file. */
function found(store: TempStore): readonly string[] {
  return [DATABASE_FILE, `${DATABASE_FILE}-wal`].flatMap((name) => {
    const path = join(store.options.dir, name)
    if (!existsSync(path)) return []
    const bytes = readFileSync(path)
    return SECRETS.filter((text) => bytes.includes(text)).map((text) => `${name}: ${text}`)
  })
}

function rowsOf(store: TempStore): ReadonlyMap<string, number> {
  const db = openDatabaseForReading(store.options.dir)
  try {
    const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
    return new Map(tables.map((name) => [name, Number(db.prepare(`SELECT count(*) FROM ${name}`).pluck().get())]))
  } finally {
    db.close()
  }
}

/** In which tables there are rows of which series: numbers alone, which no search for a text finds. */
function refsStored(store: TempStore): ReadonlyMap<string, ReadonlySet<number>> {
  const db = openDatabaseForReading(store.options.dir)
  const refs = new Map<string, Set<number>>()
  const note = (table: string, ref: number): void => {
    refs.set(table, (refs.get(table) ?? new Set()).add(ref))
  }
  try {
    for (const table of ['histogram', 'histogram_pack', 'histogram_series', 'exemplar', 'series_ended']) {
      for (const ref of db.prepare<[], number>(`SELECT ref FROM ${table}`).pluck().all()) note(table, ref)
    }
    const packs = db.prepare<[], [Uint8Array, number, number]>('SELECT directory, from_ms, to_ms FROM pack').raw().all()
    for (const pack of packs) for (const ref of decodeDirectory(...pack).refs) note('pack', ref)
    const rollups = db.prepare<[], Uint8Array>('SELECT edges FROM rollup').pluck().all()
    for (const edges of rollups) for (const ref of decodeEdges(edges).refs) note('rollup', ref)
    for (const payload of db.prepare<[], Uint8Array>('SELECT payload FROM log').pluck().all()) {
      readLogPayload(payload, (ref) => {
        note('log', ref)
      })
    }
    new SeriesRows(db).eachState(({ ref }) => {
      note('series_state', ref)
    })
    eachSeries(db, ({ ref }) => {
      note('series_batch', ref)
    })
    return refs
  } finally {
    db.close()
  }
}

/** Until the erasure is done, or for so many runs; each is a minute later. */
async function maintain(store: TempStore, fromMs: number, runs = 90): Promise<void> {
  for (let run = 0; run < runs; run++) {
    await store.writer.maintain(fromMs + run * MINUTE_MS)
    if (store.writer.listErasures().every(({ doneMs }) => doneMs !== undefined)) return
  }
}

function stays(store: TempStore): unknown {
  return Object.entries(store.all()).filter(([labels]) => !labels.includes(GONE) && !labels.includes('secret'))
}

describe('the erasure of a cluster', () => {
  test('leaves no byte of it in the directory, and everything of others', { timeout: 60_000 }, async () => {
    const store = await filled()
    expect(found(store).length).toBeGreaterThan(8)
    const rows = rowsOf(store)
    for (const table of ['pack', 'rollup', 'log', 'head_part', 'histogram_pack', 'exemplar', 'series_state']) {
      expect(rows.get(table), table).toBeGreaterThan(0)
    }
    const before = stays(store)
    const refs = refsStored(store)
    const gone = store.reader.seriesNamed(['cluster'], [GONE]).refs
    for (const [table, of] of refs) expect([table, [...of].some((ref) => gone.has(ref))]).toEqual([table, true])
    expect(Object.keys(store.all()).filter((labels) => labels.includes(GONE))).toHaveLength(7)
    const begun = await store.writer.beginErasure(GONE, 'erasure-1', 'ada', NOW_MS)
    expect(begun?.names).toEqual([GONE, `${GONE}-uid`])
    expect([GONE, `${GONE}-uid`, STAYS].map((name) => store.writer.isErased(name))).toEqual([true, true, false])
    // Before a flush removes rows of the log anyway.
    await store.writer.maintain(NOW_MS + MINUTE_MS)
    const logged = [...(refsStored(store).get('log') ?? [])]
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.filter((ref) => gone.has(ref))).toEqual([])
    await maintain(store, NOW_MS + MINUTE_MS)
    expect(found(store)).toEqual([])
    expect((await store.writer.facts.sessions.list()).map(({ id }) => id)).toEqual(['session-1'])
    expect(Object.keys(store.all()).filter((labels) => labels.includes(GONE))).toEqual([])
    expect(stays(store)).toEqual(before)
    const left = refsStored(store)
    for (const [table, of] of left) expect([table, [...of].filter((ref) => gone.has(ref))]).toEqual([table, []])
    for (const table of ['pack', 'rollup', 'series_batch', 'series_state', 'exemplar']) {
      expect(left.get(table)?.size, table).toBeGreaterThan(0)
    }
    expect(store.writer.listErasures()).toMatchObject([
      { id: 'erasure-1', by: 'ada', doneMs: expect.any(Number) as number },
    ])
    expect(store.writer.listErasures()[0]).not.toHaveProperty('names')
    // Also what was in the memory of the process, and after a start.
    await store.reopen(NOW_MS + 2 * HOUR_MS)
    expect(stays(store)).toEqual(before)
    expect(store.writer.isErased(GONE)).toBe(true)
    await store.close()
    expect(found(store)).toEqual([])
  })

  test(
    'goes on after a restart in the middle, and the series of others can be written on',
    { timeout: 60_000 },
    async () => {
      const store = await filled()
      const before = stays(store)
      await store.writer.beginErasure(GONE, 'erasure-1', 'ada', NOW_MS)
      await store.writer.maintain(NOW_MS + MINUTE_MS)
      const middle = store.writer.listErasures()[0]
      expect(middle).toMatchObject({ names: [GONE, `${GONE}-uid`] })
      await store.reopen(NOW_MS + 2 * MINUTE_MS)
      await maintain(store, NOW_MS + 2 * MINUTE_MS)
      expect(found(store)).toEqual([])
      expect(stays(store)).toEqual(before)
      const ref = store.resolve({ __name__: 'm_total', cluster: STAYS, namespace: 'opennamespace', i: '0' })
      store.writer.appender.append(ref, NOW_MS + HOUR_MS, 1)
      await store.writer.appender.commit()
      expect(Object.values(store.all(NOW_MS + HOUR_MS))).toHaveLength(1)
    },
  )

  test('goes on from the file as it is at any step', { timeout: 120_000 }, async () => {
    const store = await filled()
    const before = stays(store)
    await store.writer.beginErasure(GONE, 'erasure-1', 'ada', NOW_MS)
    const images: string[] = []
    const pass = { isOver: false }
    const maintaining = store.writer.maintain(NOW_MS + MINUTE_MS).finally(() => (pass.isOver = true))
    // What a kill would leave: both files between two steps, which run on this thread.
    for (let step = 0; !pass.isOver; step++) {
      if (step % 6 === 3) {
        const dir = tempDir()
        for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`]) {
          if (existsSync(join(store.options.dir, name))) copyFileSync(join(store.options.dir, name), join(dir, name))
        }
        images.push(dir)
      }
      await setImmediate()
    }
    await maintaining
    expect(images.length).toBeGreaterThan(3)
    for (const dir of images) {
      const image = new TempStore({ ...OPTIONS, dir }, NOW_MS + 2 * MINUTE_MS)
      await maintain(image, NOW_MS + HOUR_MS)
      expect(found(image)).toEqual([])
      expect(stays(image)).toEqual(before)
      await image.close()
    }
  })

  test('keeps at each step how far other series were flushed: a start would read their samples twice', async () => {
    const store = await filled()
    const db = openDatabaseForReading(store.options.dir)
    const stay = new Set(
      Array.from({ length: 5 }, (_, i) =>
        store.resolve({ __name__: 'm_total', cluster: STAYS, namespace: 'opennamespace', i: String(i) }),
      ),
    )
    const flushed = (): readonly string[] => {
      const states: string[] = []
      new SeriesRows(db).eachState(({ ref, flushedUntilMs }) => {
        if (stay.has(ref)) states.push(`${ref} until ${flushedUntilMs}`)
      })
      return states
    }
    const before = flushed()
    expect(before).toHaveLength(5)
    await store.writer.beginErasure(GONE, 'erasure-1', 'ada', NOW_MS)
    const seen = new Set<string>()
    const pass = { isOver: false }
    const maintaining = store.writer.maintain(NOW_MS + MINUTE_MS).finally(() => (pass.isOver = true))
    while (!pass.isOver) {
      seen.add(flushed().join())
      await setImmediate()
    }
    await maintaining
    db.close()
    expect([...seen]).toEqual([before.join()])
  })

  test(
    'refuses samples to series that callers still know, and what is written meanwhile goes too',
    { timeout: 60_000 },
    async () => {
      const store = await filled()
      const ref = store.resolve({ __name__: 'secret_metric_total', cluster: GONE })
      await store.writer.beginErasure(GONE, 'erasure-1', 'ada', NOW_MS)
      await store.writer.maintain(NOW_MS + MINUTE_MS)
      expect(store.writer.appender.append(ref, NOW_MS + MINUTE_MS, 1)).toBe(REFUSED_TOO_OLD)
      // Rules write that an alert of it is resolved.
      store.writer.appender.append(store.resolve({ __name__: 'ALERTS', cluster: GONE }), NOW_MS + MINUTE_MS, 1)
      store.writer.observations.putRuns(GONE, 0, [])
      await store.writer.appender.commit()
      await maintain(store, NOW_MS + 2 * MINUTE_MS)
      expect(found(store)).toEqual([])
    },
  )

  test('is of a known cluster, once, and can be allowed again when it is done', { timeout: 60_000 }, async () => {
    const store = await filled()
    expect(await store.writer.beginErasure('nobody', 'a', 'ada', NOW_MS)).toBeUndefined()
    const begun = await store.writer.beginErasure(GONE, 'b', 'ada', NOW_MS)
    expect(await store.writer.beginErasure(GONE, 'c', 'ada', NOW_MS)).toEqual(begun)
    expect(await store.writer.allowErased('b', 'ada', NOW_MS)).toBeUndefined()
    await maintain(store, NOW_MS)
    const allowed = await store.writer.allowErased('b', 'ada', NOW_MS + HOUR_MS)
    expect(allowed).toMatchObject({ allowed: { atMs: NOW_MS + HOUR_MS, by: 'ada' } })
    expect(store.writer.isErased(GONE)).toBe(false)
    const labels = { __name__: 'm_total', cluster: GONE, namespace: 'secretnamespace', i: '0' }
    store.writer.appender.append(store.resolve(labels), NOW_MS + HOUR_MS, 1)
    await store.writer.appender.commit()
    expect(Object.keys(store.all(NOW_MS))).toEqual([Labels.of(labels).toString()])
    const entries = await store.writer.facts.audit.list(10)
    expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      'cluster.erase.allow erased cluster b',
      'cluster.erase erased cluster b',
      'session.start https://idp openperson',
      'token.add 2',
      `cluster.decommission ${STAYS}`,
      'silence.create silence-1',
    ])
  })
})

test('removes series of which only rollups are left, on the disk', { timeout: 60_000 }, async () => {
  const store = new TempStore({ ...OPTIONS, retentionRawMs: 12 * HOUR_MS }, START_MS)
  await fill(store, START_MS, START_MS + 3 * HOUR_MS)
  for (let hours = 4; hours <= 28; hours += 4) {
    store.writer.appender.append(store.resolve({ __name__: 'up' }), START_MS + hours * HOUR_MS, 1)
    await store.writer.maintain(START_MS + hours * HOUR_MS)
  }
  const nowMs = START_MS + 29 * HOUR_MS
  const ref = store.resolve({ __name__: 'm_total', cluster: GONE, namespace: 'secretnamespace', i: '0' })
  expect(store.writer.stats()).toMatchObject({ seriesCount: 2, coldSeries: 13 })
  expect(found(store).length).toBeGreaterThan(5)
  const gone = store.reader.seriesNamed(['cluster'], [GONE])
  expect(gone).toMatchObject({ metrics: ['h', 'm_total', 'secret_metric_total'] })
  expect(gone.refs.size).toBe(7)
  const reports = openClusterReports(store.options.dir, (names) => store.reader.seriesNamed(['cluster'], names))
  const report = await reports.report(GONE)
  expect(report?.stored.find(({ what }) => what === 'rollups')?.count).toBeGreaterThan(0)
  reports.close()
  const before = stays(store)
  // Of histograms there are no rollups.
  expect(before).toHaveLength(7)
  await store.writer.beginErasure(GONE, 'erasure-1', 'ada', nowMs)
  await maintain(store, nowMs)
  expect(found(store)).toEqual([])
  expect(stays(store)).toEqual(before)
  expect(store.writer.stats().coldSeries).toBe(7)
  const db = openDatabaseForReading(store.options.dir)
  const refs = db.prepare<[], number>('SELECT ref FROM cold_series').pluck().all()
  // They are deflated: no search for a text finds them.
  const segments = db.prepare<[], Uint8Array>('SELECT series FROM cold_segment').pluck().all()
  for (const segment of segments) for (const one of decodeSegment(segment).all()) refs.push(one.ref)
  expect(refs).toHaveLength(14)
  expect(refs.filter((one) => gone.refs.has(one))).toEqual([])
  db.close()
  // A caller may hold a ref, and labels lead to a new series.
  expect(store.writer.appender.append(ref, nowMs + HOUR_MS, 1)).toBe(REFUSED_TOO_OLD)
  const again = store.resolve({ __name__: 'm_total', cluster: GONE, namespace: 'secretnamespace', i: '0' })
  expect(again).toBeGreaterThan(Math.max(...gone.refs))
})

test('a cluster with nothing but cold series is known', { timeout: 60_000 }, async () => {
  const store = new TempStore({ ...OPTIONS, retentionRawMs: 12 * HOUR_MS }, START_MS)
  store.writer.appender.append(store.resolve({ __name__: 'm', cluster: GONE }), START_MS, 1)
  for (let hours = 4; hours <= 24; hours += 4) {
    store.writer.appender.append(store.resolve({ __name__: 'up' }), START_MS + hours * HOUR_MS, 1)
    await store.writer.maintain(START_MS + hours * HOUR_MS)
  }
  expect(store.writer.stats()).toMatchObject({ seriesCount: 1, coldSeries: 1 })
  expect(await store.writer.beginErasure('zlin-east-8', 'a', 'ada', NOW_MS)).toBeUndefined()
  expect(await store.writer.beginErasure(GONE, 'b', 'ada', NOW_MS)).toMatchObject({ names: [GONE] })
})

test(
  'the audit is a sound chain during and after an erasure, without the entries of the cluster',
  { timeout: 60_000 },
  async () => {
    const store = await filled()
    const { audit } = store.writer.facts
    const noted = (await audit.verify()).last
    expect(noted.id).toBe(8)
    await store.writer.beginErasure(GONE, 'erasure-1', 'ada', NOW_MS)
    expect(await audit.verify(noted)).toMatchObject({ entries: 9, erased: 0 })
    await store.writer.maintain(NOW_MS + MINUTE_MS)
    // An entry that rules or people write while the erasure goes on.
    await audit.add({
      atMs: NOW_MS,
      by: 'daytwo',
      action: 'alert.remove',
      subject: 'f',
      detail: `{"cluster":"${GONE}"}`,
    })
    await maintain(store, NOW_MS + 2 * MINUTE_MS)
    expect(found(store)).toEqual([])
    expect(store.writer.listErasures()).toMatchObject([{ doneMs: expect.any(Number) as number }])
    const verdict = await audit.verify(noted)
    expect(verdict).toEqual({ entries: 10, unchained: 0, erased: 5, last: { id: 10, hash: verdict.last.hash } })
    const entries = await audit.list(10)
    expect(entries.map(({ id, action }) => `${id} ${action}`)).toEqual([
      '9 cluster.erase',
      '8 session.start',
      '7 token.add',
      '6 cluster.decommission',
      '5 silence.create',
    ])
    await store.writer.allowErased('erasure-1', 'ada', NOW_MS + 2 * HOUR_MS)
    expect(await audit.verify(verdict.last)).toMatchObject({ entries: 11, erased: 5 })
  },
)

test('the report has what is stored about a cluster', { timeout: 60_000 }, async () => {
  const store = await filled()
  const { clusterLabels, dir } = store.options
  const reports = openClusterReports(dir, (names) => store.reader.seriesNamed(clusterLabels, names))
  const report = await reports.report(GONE)
  expect(report?.names).toEqual([GONE, `${GONE}-uid`])
  const of = new Map(report?.stored.map((part) => [part.what, part]))
  expect(of.get('series')).toMatchObject({ count: 7, names: ['h', 'm_total', 'secret_metric_total'] })
  expect(of.get('series')?.labels).toEqual(['__name__', 'cluster', 'i', 'namespace'])
  expect(of.get('samples')).toMatchObject({ oldestMs: START_MS })
  expect(of.get('samples')?.bytes).toBeGreaterThan(100)
  expect(of.get('objects')).toMatchObject({ kind: 'catalogsources', count: 1, names: ['connectionState', 'kind'] })
  const counts = Object.fromEntries([...of].map(([what, { count }]) => [what, count]))
  expect(counts).toMatchObject({
    traces: 2,
    log_records: 1,
    metric_runs: 1,
    silences: 1,
    audit: 4,
    claims: 1,
    tokens: 1,
  })
  expect(await reports.report('nobody')).toBeUndefined()
  reports.close()
})
