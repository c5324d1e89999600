import type { Steps } from '../../base/thread-slices.ts'
import type { MetricType } from '../../model/metadata.ts'
import type { Refusal } from '../../model/refusal.ts'
import type { SeriesRef } from '../../model/series.ts'
import {
  POINTS_PER_STEP,
  type ExponentialPoint,
  type HistogramPoint,
  type Metric,
  type MetricData,
  type MetricsRequest,
  type NumberPoint,
  type OtlpExemplar,
  type ResourceMetrics,
  type Scope,
  type SummaryPoint,
  type Temporality,
} from '../../wire/otlp/metrics.ts'
import { attributesKey, resourceLabels, type ResourceLabels } from './labels.ts'
import { metricNameOf } from './names.ts'
import { PointWriter, type Place, type RequestParts, type ResourceState } from './point-writer.ts'
import {
  histogramOfPoint,
  faultOfHistogram,
  faultOfSummary,
  NUMBER_SHAPE,
  histogramShape,
  histogramValues,
  summaryShape,
  summaryValues,
} from './points.ts'
import { unitText } from './units.ts'

/**
 * Writes one decoded request in steps: its resources, scopes and metrics, and of each kind of point the series and values
 * (`point-writer.ts`). Also writes `target_info` with the other attributes of each resource with an identity.
 */

interface OtlpWritten {
  readonly itemsTaken: number
  readonly itemsDuplicate: number
  readonly refusals: readonly Refusal[]
  readonly exemplarsTaken: number
  readonly newUnidentifiedSeries: number
}

export class OtlpRequestWriter {
  readonly #parts: RequestParts
  readonly #points: PointWriter
  #newUnidentified = 0
  #steps = 0

  constructor(parts: RequestParts) {
    this.#parts = parts
    this.#points = new PointWriter(parts)
  }

  *write(request: MetricsRequest): Steps<OtlpWritten> {
    const { streams } = this.#parts.memory
    this.#begin()
    for (const resource of request.resources) yield* this.#resource(resource)
    return { ...this.#points.written, newUnidentifiedSeries: this.#newUnidentified + streams.newUnidentified }
  }

  #begin(): void {
    this.#points.begin()
    this.#parts.memory.streams.newUnidentified = 0
  }

  *#pause(): Steps<void> {
    this.#newUnidentified += this.#parts.memory.streams.newUnidentified
    yield false
    this.#begin()
  }

  *#resource({ attributes, scopes }: ResourceMetrics): Steps<void> {
    const { memory, otlp, context } = this.#parts
    const { ids } = memory
    let labels: ResourceLabels | undefined
    let cluster: number | undefined
    // The same resource under another bound cluster has other series.
    const bound = context.cluster === undefined ? '' : `${context.cluster.length}:${context.cluster}`
    const resource: ResourceState = {
      key: String(ids.of(`resource ${bound} ${attributesKey(attributes)}`)),
      labels: () => (labels ??= resourceLabels(attributes, this.#points.labelOptions)),
      cluster: () => (cluster ??= this.#points.clusterOf(resource)),
      oldestMs: Infinity,
      newestMs: -Infinity,
    }
    for (const { scope, metrics } of scopes) {
      const scopeKey = otlp.promoteScope ? `${resource.key} ${ids.of(keyOfScope(scope))}` : resource.key
      for (const metric of metrics) {
        yield* this.#metric(metric, scope, scopeKey, resource)
        if (++this.#steps % POINTS_PER_STEP === 0) yield* this.#pause()
      }
    }
    if (resource.newestMs >= resource.oldestMs) this.#points.targetInfo(resource)
  }

  *#metric(metric: Metric, scope: Scope, scopeKey: string, resource: ResourceState): Steps<void> {
    const { data } = metric
    if (data.kind === 'none') return
    const isMonotonic = data.kind === 'sum' && data.isMonotonic
    const kind = isMonotonic ? 'monotonic_sum' : data.kind === 'gauge' ? 'gauge' : 'other'
    const name = metricNameOf({ name: metric.name, unit: metric.unit, kind }, this.#parts.otlp.strategy)
    if (name === undefined) {
      const example = `got metric name ${JSON.stringify(metric.name)}, want one with characters that a metric name may have`
      this.#points.refuse('no_metric_name', data.points.length, resource.cluster(), () => example)
      return
    }
    const temporality = 'temporality' in data ? data.temporality : 'cumulative'
    if (temporality === 'unspecified') {
      const example = `got no aggregation temporality, want cumulative or delta: ${metric.name}`
      this.#points.refuse('temporality_unsupported', data.points.length, resource.cluster(), () => example)
      return
    }
    this.#describe(name, metric)
    // Delta and cumulative points of one name are two streams: the sums of one are not the values of the other.
    const key = `${scopeKey} ${data.kind} ${temporality} ${name.length}:${name}`
    const place: Place = { key: `${this.#parts.memory.ids.of(key)} `, name, resource, scope }
    if (data.kind === 'histogram') {
      yield* this.#each(data.points, (point) => {
        this.#histogram(place, point, temporality)
      })
    } else if (data.kind === 'exponential_histogram') {
      yield* this.#each(data.points, (point) => {
        this.#exponential(place, point, temporality)
      })
    } else if (data.kind === 'summary') {
      yield* this.#each(data.points, (point) => {
        this.#summary(place, point)
      })
    } else {
      yield* this.#each(data.points, (point) => {
        this.#number(place, point, temporality, isMonotonic)
      })
    }
  }

  *#each<P>(points: readonly P[], write: (point: P) => void): Steps<void> {
    for (const point of points) {
      write(point)
      if (++this.#steps % POINTS_PER_STEP === 0) yield* this.#pause()
    }
  }

  #describe(family: string, { description, unit, data }: Metric): void {
    const { intake, memory, context } = this.#parts
    if (intake.privacy.isMetricDropped(family)) return
    const metadata = { type: metricTypeOf(data), help: description ?? '', unit: unitText(unit) }
    if (memory.metadata.isNew(family, metadata, context.nowMs)) intake.appender.describe(family, metadata)
  }

  /** HOT: once per point. */
  #number(place: Place, point: NumberPoint, temporality: Temporality, isMonotonic: boolean): void {
    if (point.value === undefined && !point.isStale) {
      this.#points.refusePoint('bad_point', place, point, 'got a point without a value')
      return
    }
    const refs = this.#points.write(place, point, NUMBER_SHAPE, [point.value ?? 0], temporality)
    // Exemplars of gauges add nothing to the value.
    if (point.exemplars === undefined || refs === undefined || !isMonotonic) return
    for (const exemplar of point.exemplars) this.#points.exemplar(refs[0]!, exemplar)
  }

  #exponential(place: Place, point: ExponentialPoint, temporality: Temporality): void {
    if (temporality === 'delta') {
      const text = 'got an exponential histogram of delta temporality, want cumulative'
      this.#points.refusePoint('temporality_unsupported', place, point, text)
      return
    }
    const histogram = point.isStale ? undefined : histogramOfPoint(point, this.#parts.otlp.bucketsMax)
    if (typeof histogram === 'string') {
      this.#points.refusePoint('bad_point', place, point, histogram)
      return
    }
    const refs = this.#points.write(place, point, NUMBER_SHAPE, histogram ?? [], 'cumulative')
    if (point.exemplars === undefined || refs === undefined) return
    for (const exemplar of point.exemplars) this.#points.exemplar(refs[0]!, exemplar)
  }

  #histogram(place: Place, point: HistogramPoint, temporality: Temporality): void {
    const fault = faultOfHistogram(point, this.#parts.otlp.bucketsMax)
    if (fault !== undefined) this.#points.refusePoint('bad_point', place, point, fault)
    else {
      const refs = this.#points.write(place, point, histogramShape(point), histogramValues(point), temporality)
      if (point.exemplars === undefined || refs === undefined) return
      for (const exemplar of point.exemplars) this.#bucketExemplar(refs, point.bounds, exemplar)
    }
  }

  #summary(place: Place, point: SummaryPoint): void {
    const fault = faultOfSummary(point, this.#parts.otlp.bucketsMax)
    if (fault !== undefined) this.#points.refusePoint('bad_point', place, point, fault)
    else this.#points.write(place, point, summaryShape(point), summaryValues(point), 'cumulative')
  }

  /** Attaches the exemplar to its bucket: the first whose bound is not below the value. */
  #bucketExemplar(refs: readonly SeriesRef[], bounds: readonly number[], exemplar: OtlpExemplar): void {
    const bucket = bounds.findIndex((bound) => exemplar.value !== undefined && exemplar.value <= bound)
    this.#points.exemplar(refs[bucket === -1 ? bounds.length : bucket]!, exemplar)
  }
}

/** What Prometheus calls it. */
function metricTypeOf(data: MetricData): MetricType {
  switch (data.kind) {
    case 'none':
      return 'unknown'
    case 'gauge':
      return 'gauge'
    case 'sum':
      return data.isMonotonic ? 'counter' : 'gauge'
    case 'histogram':
    case 'exponential_histogram':
      return 'histogram'
    case 'summary':
      return 'summary'
  }
}

function keyOfScope({ name, version, attributes, schemaUrl }: Scope): string {
  const texts = [name, version, schemaUrl].map((text) => `${text.length}:${text}`).join('')
  return `scope ${texts}${attributesKey(attributes)}`
}
