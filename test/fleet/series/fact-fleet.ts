/** A fleet in memory whose series are computed from facts, and queries over it. */
import { withoutPause } from '../../../src/base/thread-slices.ts'
import { CLUSTER_LIVES_MS } from '../../../src/fleet/series/derived-clusters.ts'
import { createFleetIndex, type FleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { FactHistory } from '../../../src/fleet/series/fact-history.ts'
import { withFacts } from '../../../src/fleet/series/with-facts.ts'
import { LabelList } from '../../../src/model/label-rows.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { Queryable } from '../../../src/model/queryable.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../../src/promql/engine-options.ts'

/** Long enough that no cluster of a test is gone. */
export const GONE_AFTER_MS = 5 * CLUSTER_LIVES_MS

/** The same store for an engine that reads samples, one by one. */
export function withoutRuns(store: Queryable): Queryable {
  const copy = { ...store }
  delete copy.selectRuns
  delete copy.selectNewest
  return copy
}

/** A store without a series. */
export const EMPTY_STORE: Required<Queryable> = {
  select: () => [],
  selectNewest: () => [],
  selectRuns: () => ({
    rows: new LabelList([]),
    readRuns: (_from, _to, into) => {
      into.clear(Infinity)
    },
    readNewest: () => undefined,
  }),
  selectRollup: () => undefined,
  series: () => [],
  labelNames: () => [],
  labelValues: () => [],
  exemplars: () => [],
  metadata: () => [],
}

export class FactFleet {
  readonly plainIndex: FleetIndex
  readonly history: FactHistory
  readonly index: FleetIndex
  readonly store: Required<Queryable>

  constructor(facts: readonly ClusterFacts[], nowMs: number, stored = EMPTY_STORE, goneAfterMs = GONE_AFTER_MS) {
    this.plainIndex = createFleetIndex(goneAfterMs)
    this.history = new FactHistory(this.plainIndex)
    this.index = this.history.following(this.plainIndex)
    for (const one of facts) this.index.put(one)
    this.advance(nowMs)
    this.store = withFacts(stored, () => this.history)
  }

  /** An evaluation cycle ends. */
  advance(nowMs: number): void {
    withoutPause(this.history.advance(nowMs))
  }

  engine(queryable: Queryable = this.store, options: Partial<EngineOptions> = {}) {
    return createLocalEngine({ queryable, options: { ...DEFAULT_ENGINE_OPTIONS, ...options }, nowMs: () => 0 })
  }

  /** `name{labels} value`, without the metrics' common prefix, sorted. */
  async instant(expr: string, timeMs: number, queryable?: Queryable): Promise<readonly string[]> {
    const { value } = await this.engine(queryable).instant({ expr, timeMs })
    if (value.type !== 'vector') throw new Error(`got a ${value.type}, want a vector`)
    return value.samples.map(({ labels, value: number }) => `${textOf(labels.toObject())} ${number}`).sort()
  }

  /** `name{labels} value@step value@step ...` */
  async range(
    expr: string,
    startMs: number,
    endMs: number,
    stepMs: number,
    queryable?: Queryable,
  ): Promise<readonly string[]> {
    const { value } = await this.engine(queryable).range({ expr, startMs, endMs, stepMs })
    if (value.type !== 'matrix') throw new Error(`got a ${value.type}, want a matrix`)
    return value.series
      .map(({ labels, timesMs, values }) => {
        const points = Array.from(timesMs, (timeMs, i) => `${values[i]!}@${(timeMs - startMs) / stepMs}`)
        return `${textOf(labels.toObject())} ${points.join(' ')}`
      })
      .sort()
  }
}

function textOf({ __name__: name = '', ...labels }: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${name.replace('daytwo_', '')}{${pairs.map(([key, text]) => `${key}=${text}`).join(',')}}`
}
