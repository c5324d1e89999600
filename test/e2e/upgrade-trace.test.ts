import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// The way from watched objects to a trace in a Jaeger client: the whole app, its real threads, real HTTP.

const GOLDEN = resolve(import.meta.dirname, '../../../shared/golden/otlp')
const TRACE = '945c777c1329507dc44b3d4f4893652b'
const T0_MS = Date.UTC(2026, 7, 20, 10)

/** What the log set can tell: it holds no KubeVirt and no CDI, so neither components nor workloads. */
const TOLD = [
  'upgrade kubevirt-hyperconverged',
  'olm.csv.pending',
  'olm.csv.install_ready',
  'olm.csv.installing',
  'hco.reconcile',
]

interface JaegerSpan {
  readonly operationName: string
  readonly spanID: string
  readonly references: readonly { readonly spanID: string }[]
  /** Microseconds. */
  readonly startTime: number
  readonly duration: number
  readonly tags: readonly { readonly key: string; readonly value: unknown }[]
}

interface StoredTrace {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
        readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
      }[]
    }[]
  }[]
}

describe.skipIf(!existsSync(GOLDEN))('stored bodies (skipped when they are not beside the project)', () => {
  const data = tempDir('upgrade-trace')
  let app: App
  let spans: readonly JaegerSpan[]

  beforeAll(async () => {
    const options = new Map([
      ['listen', '127.0.0.1:0'],
      ['data', data.path],
      ['log.level', 'silent'],
      ['rules', NO_CONTENT],
      ['runbooks', NO_CONTENT],
      ['dashboards', NO_CONTENT],
    ])
    const { startApp } = await builtApp()
    const clock = new FakeClock(T0_MS + 1_200_000)
    app = await startApp({ config: readConfig(options, undefined, {}), clock, log: silentLog, isDemo: false })
    // Twice, in both encodings: it is one upgrade.
    for (const [file, type] of [
      ['logs-k8s-watch.pb', 'application/x-protobuf'],
      ['logs-k8s-watch.json', 'application/json'],
    ]) {
      const body = readFileSync(join(GOLDEN, file!))
      const answer = await fetch(`${app.url}/v1/logs`, { method: 'POST', headers: { 'content-type': type! }, body })
      expect(answer.status).toBe(200)
      await app.runCycle()
    }
    clock.set(clock.nowMs() + 60_000)
    await app.runCycle()
    const answer = await fetch(`${app.url}/api/traces/${TRACE}`)
    spans = ((await answer.json()) as { data: readonly { spans: readonly JaegerSpan[] }[] }).data[0]?.spans ?? []
  })

  afterAll(async () => {
    await app.stop()
    data.remove()
  })

  test('an upgrade that objects tell is the stored trace, as far as they tell it', () => {
    const stored = JSON.parse(readFileSync(join(GOLDEN, 'traces-upgrade.json'), 'utf8')) as StoredTrace
    const wanted = stored.resourceSpans[0]!.scopeSpans[0]!.spans.filter(({ name }) => TOLD.includes(name))
    expect(spans.map(({ operationName }) => operationName).sort()).toEqual(wanted.map(({ name }) => name).sort())
    for (const want of wanted) {
      const got = spans.find(({ spanID }) => spanID === want.spanId)!
      const tags = Object.fromEntries(got.tags.map(({ key, value }) => [key, value]))
      expect(got.operationName).toBe(want.name)
      expect(got.references.map(({ spanID }) => spanID)).toEqual(
        want.parentSpanId === undefined ? [] : [want.parentSpanId],
      )
      for (const { key, value } of want.attributes) expect({ [key]: tags[key] }).toEqual({ [key]: value.stringValue })
    }
  })

  test('its steps are at the stored times', () => {
    const seconds = Object.fromEntries(
      spans.map(({ operationName, startTime, duration }) => {
        const fromMs = startTime / 1000 - T0_MS
        return [operationName, [fromMs / 1000, (fromMs + duration / 1000) / 1000]]
      }),
    )
    expect(seconds).toMatchObject({
      'olm.csv.pending': [0, 20],
      'olm.csv.install_ready': [20, 21],
      'olm.csv.installing': [21, 95],
    })
    expect(seconds['hco.reconcile']).toEqual([95, 840])
    // Stored, it goes on until the last virtual machine has moved; nobody told of any here.
    expect(seconds['upgrade kubevirt-hyperconverged']).toEqual([0, 840])
  })
})
