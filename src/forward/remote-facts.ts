import type { ForwardOptions } from './options.ts'

/**
 * What the remote side is and accepts, from its answers: `/api/v1/status/buildinfo`, `/api/v1/status/flags`, `/metrics` and an
 * empty request of remote write 2.0. A receiver of 1.0 alone ignores the content type of 2.0 and acknowledges requests whose
 * samples it did not find, so only the headers of 2.0 in its answer count.
 */
export interface RemoteFacts {
  readonly engine: RemoteEngine
  /** Empty: not reported. */
  readonly version: string
  readonly protocol: '1.0' | '2.0'
  readonly acceptsHistograms: boolean
  readonly acceptsExemplars: boolean
  readonly acceptsMetadata: boolean
  /**
   * Whether samples that it acknowledged are sent again after it restarted. VictoriaMetrics acknowledges what is in its memory
   * only. The others write ahead, and refuse samples that are older than the newest of their series.
   */
  readonly needsResend: boolean
  /** What is not forwarded or not stored, and why. */
  readonly notAccepted: readonly NotAccepted[]
}

export type RemoteEngine = 'prometheus' | 'victoriametrics' | 'mimir' | 'thanos' | 'unknown'

export interface NotAccepted {
  readonly what: 'native histograms' | 'exemplars' | 'metadata' | 'repeated samples'
  readonly why: string
}

export interface RemoteAnswers {
  /** Its answer to the empty request had the headers of 2.0. */
  readonly hasV2: boolean
  /** Of `/api/v1/status/buildinfo`; undefined: no answer in the format of Prometheus. */
  readonly buildInfo: Readonly<Record<string, string>> | undefined
  /** Of `/api/v1/status/flags`. */
  readonly flags: Readonly<Record<string, string>> | undefined
  /** The text of `/metrics`; undefined: it cannot be read. */
  readonly metrics: string | undefined
}

export function factsOf(kind: ForwardOptions['kind'], answers: RemoteAnswers): RemoteFacts {
  const engine = engineOf(kind, answers)
  const version = versionOf(engine, answers)
  const notAccepted = NOT_ACCEPTED[engine](version, answers)
  const accepts = (what: NotAccepted['what']): boolean => notAccepted.every((one) => one.what !== what)
  return {
    ...{ engine, version, notAccepted, protocol: answers.hasV2 ? '2.0' : '1.0' },
    acceptsHistograms: accepts('native histograms'),
    acceptsExemplars: accepts('exemplars'),
    acceptsMetadata: accepts('metadata'),
    needsResend: engine === 'victoriametrics' || engine === 'unknown',
  }
}

/** When the process started, in seconds; undefined: its metrics do not have it. */
export function startSecondsOf(metrics: string): number | undefined {
  const found = /^(?:process_start_time_seconds|vm_app_start_timestamp)(?:\{[^}]*\})? ([0-9.e+]+)$/m.exec(metrics)
  const seconds = Number(found?.[1])
  return Number.isFinite(seconds) ? seconds : undefined
}

function engineOf(kind: ForwardOptions['kind'], { buildInfo, metrics }: RemoteAnswers): RemoteEngine {
  if (kind === 'mimir' || kind === 'thanos') return kind
  if (kind === 'victoriametrics-cluster') return 'victoriametrics'
  if (metrics !== undefined && /^vm_app_version\{/m.test(metrics)) return 'victoriametrics'
  if (buildInfo === undefined) return 'unknown'
  if (/mimir/i.test(buildInfo['application'] ?? '')) return 'mimir'
  // VictoriaMetrics answers with a version of Prometheus at most, for clients that want one.
  return buildInfo['revision'] === undefined ? 'victoriametrics' : 'prometheus'
}

function versionOf(engine: RemoteEngine, { buildInfo, metrics }: RemoteAnswers): string {
  if (engine !== 'victoriametrics') return buildInfo?.['version'] ?? ''
  return /^vm_app_version\{.*short_version="v?([^"]*)"/m.exec(metrics ?? '')?.[1] ?? ''
}

const NOT_ACCEPTED: Readonly<
  Record<RemoteEngine, (version: string, answers: RemoteAnswers) => readonly NotAccepted[]>
> = {
  prometheus: (version, { flags }) => {
    const features = flags?.['enable-feature']?.split(',')
    const hasFeature = (name: string): boolean => features?.includes(name) ?? true
    const notAccepted: NotAccepted[] = [
      { what: 'metadata', why: 'Prometheus does not store metadata that it receives by remote write' },
    ]
    if (isBefore(version, 2, 40)) {
      notAccepted.push({ what: 'native histograms', why: `Prometheus ${version} has none; 2.40 does` })
    } else if (isBefore(version, 3, 8) && !hasFeature('native-histograms')) {
      notAccepted.push({ what: 'native histograms', why: 'it runs without --enable-feature=native-histograms' })
    }
    if (!hasFeature('exemplar-storage')) {
      notAccepted.push({ what: 'exemplars', why: 'it runs without --enable-feature=exemplar-storage' })
    }
    return notAccepted
  },
  victoriametrics: (_, { metrics = '' }) => {
    const flag = (name: string): string | undefined =>
      new RegExp(`^flag\\{name="${name}", ?value="([^"]*)"`, 'm').exec(metrics)?.[1]
    const notAccepted: NotAccepted[] = [
      { what: 'native histograms', why: 'VictoriaMetrics does not store them as they are' },
      { what: 'exemplars', why: 'VictoriaMetrics has none' },
    ]
    if (flag('enableMetadata') !== 'true') {
      notAccepted.push({ what: 'metadata', why: 'VictoriaMetrics runs without -enableMetadata, or is too old for it' })
    }
    if (flag('dedup\\.minScrapeInterval') === '0s') {
      const why =
        'samples that are sent twice after a failure are stored twice; run it with -dedup.minScrapeInterval=1ms'
      notAccepted.push({ what: 'repeated samples', why })
    }
    return notAccepted
  },
  mimir: () => [],
  thanos: () => [{ what: 'metadata', why: 'Thanos Receive does not store metadata' }],
  unknown: () => [
    {
      what: 'native histograms',
      why: 'the engine is unknown, and some acknowledge native histograms without storing them',
    },
  ],
}

function isBefore(version: string, major: number, minor: number): boolean {
  const [, has = '0', hasMinor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? []
  return Number(has) < major || (Number(has) === major && Number(hasMinor) < minor)
}
