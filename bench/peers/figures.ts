/** Every figure of the table, in its order, with what is aimed at: ratios to each peer in one run, or a plain limit. */

import { KIND_QUERIES } from './queries.ts'

export const SCENARIOS = [
  'large',
  'small',
  'new',
  'sustained',
  'six-hours',
  'rules',
  'history',
  'restart',
  'wild',
  'wild-one-core',
  'live',
] as const
export type ScenarioName = (typeof SCENARIOS)[number]

export interface Figure {
  /** `scenario/what`: the key under which a server's number is kept. */
  readonly id: string
  readonly name: string
  readonly unit: keyof typeof SHOW
  /** Ratios are Daytwo's number over the peer's: above one is better for `more`, below one for `less`. */
  readonly goal: 'more' | 'less'
  /** The ratio aimed at, against each peer, and a limit for Daytwo's own number. */
  readonly victoria?: number
  readonly prometheus?: number
  readonly atMost?: number
}

export const SHOW = {
  perSecond: (value: number) => `${(value / 1e6).toFixed(3)} M`,
  ms: (value: number) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`,
  seconds: (value: number) => `${value.toFixed(2)} s`,
  megabytes: (value: number) => `${(value / 1e6).toFixed(0)} MB`,
  bytes: (value: number) => value.toFixed(3),
  count: (value: number) => String(value),
  share: (value: number) => `${(value * 100).toFixed(1)} %`,
} as const

function more(id: string, name: string, unit: Figure['unit'], aims: Aims = {}): Figure {
  return { id, name, unit, goal: 'more', ...aims }
}

function less(id: string, name: string, unit: Figure['unit'], aims: Aims = {}): Figure {
  return { id, name, unit, goal: 'less', ...aims }
}

type Aims = Pick<Figure, 'victoria' | 'prometheus' | 'atMost'>

/** Two rows: what a dashboard that is open costs, and the first time it is opened. */
function query(id: string, name: string, aims: Aims): Figure[] {
  return [less(`${id}.cpuMs`, `CPU, ${name}`, 'ms', aims), less(`${id}.coldCpuMs`, `CPU, ${name}, first time`, 'ms')]
}

const PER_CPU = 'samples per CPU second'

export const FIGURES: readonly Figure[] = [
  more('large/perCpuSecond', `${PER_CPU}, 2,000 a request`, 'perSecond', { victoria: 3, prometheus: 30 }),
  more('small/perCpuSecond', `${PER_CPU}, 60 a request`, 'perSecond', { victoria: 1.5, prometheus: 10 }),
  more('new/perCpuSecond', `${PER_CPU}, all series new`, 'perSecond', { victoria: 3, prometheus: 12 }),
  more('new/arrivalPerCpuSecond', `${PER_CPU}, new series and their first 10 scrapes`, 'perSecond', {
    victoria: 3,
    prometheus: 12,
  }),
  more('large/perCpuSecondAtRest', '2,000 a request, until at rest', 'perSecond'),
  more('small/perCpuSecondAtRest', '60 a request, until at rest', 'perSecond'),
  more('new/perCpuSecondAtRest', 'all series new, until at rest', 'perSecond'),
  less('large/ackMsP50', 'ack p50, 2,000 a request', 'ms'),
  less('large/ackMsP99', 'ack p99, 2,000 a request', 'ms', { victoria: 0.3, prometheus: 0.1 }),
  less('small/ackMsP50', 'ack p50, 60 a request', 'ms'),
  less('small/ackMsP99', 'ack p99, 60 a request', 'ms', { victoria: 0.3, prometheus: 0.1 }),
  less('large/peakBytes', 'peak memory, 126 k series', 'megabytes', { victoria: 0.8, prometheus: 0.2 }),
  less('new/peakBytes', 'peak memory, 600 k series, all new', 'megabytes', { victoria: 0.8, prometheus: 0.2 }),
  less('sustained/peakBytes', 'peak memory, 600 k series, sustained', 'megabytes', { victoria: 0.8, prometheus: 0.2 }),
  less('sustained/coreShare', '10,000 clusters every 30 s, share of one core', 'share', { atMost: 0.25 }),
  less('sustained/ackMsP99', 'ack p99, 10,000 clusters every 30 s', 'ms'),
  more('six-hours/perCpuSecond', `${PER_CPU}, six hours by relays, all put-off work`, 'perSecond'),
  less('six-hours/diskBytesPerSample', 'disk, 6 h, bytes a sample, logs included', 'bytes', {
    victoria: 0.55,
    prometheus: 0.2,
    atMost: 0.3,
  }),
  less('six-hours/diskBytesPerSampleNoLogs', 'disk, 6 h, bytes a sample, without log folders', 'bytes'),
  ...query('six-hours/version-share', 'version share, 6 h @ 1 m', { victoria: 1 / 1.5, prometheus: 1 / 8 }),
  ...query('six-hours/fleet-rate', 'sum by (region) (rate(x[5m])), 6 h @ 1 m', { victoria: 1, prometheus: 1 / 6 }),
  // Not slower than VictoriaMetrics. Of one series nothing is gained by reading many at a time.
  ...KIND_QUERIES.flatMap(({ id, name }) => query(`six-hours/${id}`, name, { victoria: 1 })),
  ...query('rules/all', '22 fleet rules, live', { victoria: 1 / 20, prometheus: 1 / 60 }),
  ...query('history/version-share', 'version share, 30 d @ 1 h', { victoria: 1 / 4, prometheus: 1 / 20 }),
  ...query('history/worst-health', 'worst health by region, 30 d @ 1 h', {}),
  ...query('history/fleet-counters', 'sum by (region) (increase(x_total[1h])), 30 d @ 1 h', {
    victoria: 1 / 50,
    prometheus: 1 / 20,
  }),
  less('restart/readyMs', 'restart, 100 M samples, until ready', 'ms', { atMost: 2000 }),
  less('restart/answeredMs', 'the same, until the first right answer', 'ms'),
  less('restart/emptyReadyMs', 'a start with nothing stored, until ready', 'ms'),
  less('restart/killedReadyMs', 'killed, 100 M samples, until ready', 'ms', { atMost: 2000 }),
  less('restart/killedAnsweredMs', 'the same, until the first right answer', 'ms'),
  ...wild('wild', 'wild'),
  ...wild('wild-one-core', 'wild, one core'),
  ...spread('live/lagMs', 'live: facts behind the clock', 30_000),
  ...spread('live/nowMs', 'live: how the fleet is now', 300),
  ...spread('live/clustersMs', 'live: the first 100 clusters', 300),
  less('live/nowPageMs', 'live: the page Now, first data', 'ms'),
  less('live/fleetPageMs', 'live: the page Fleet, first data', 'ms'),
  less('live/rulesMissed', 'live: evaluations of rule groups missed', 'count', { atMost: 0 }),
  less('live/rulesLateMsMax', 'live: the latest evaluation, after its interval', 'ms'),
  less('live/ackMsP99', 'live: ack p99', 'ms'),
  less('live/coreShare', 'live: share of one core', 'share'),
  less('live/peakBytes', 'live: peak memory', 'megabytes', { atMost: 3e9 }),
]

/** Half, 99 of 100 and all of the measurements are at most that; the aim is that of 99 of 100. */
function spread(id: string, name: string, atMost: number): readonly Figure[] {
  return [
    less(`${id}P50`, `${name}, p50`, 'ms'),
    less(`${id}P99`, `${name}, p99`, 'ms', { atMost }),
    less(`${id}Max`, `${name}, at most`, 'ms'),
  ]
}

function wild(scenario: ScenarioName, name: string): readonly Figure[] {
  return [
    more(`${scenario}/registration.perCpuSecond`, `${name}: ${PER_CPU}, first scrape`, 'perSecond'),
    more(`${scenario}/large.perCpuSecond`, `${name}: ${PER_CPU}, 2,000 a request`, 'perSecond', { victoria: 3 }),
    more(`${scenario}/large.perCpuSecondAtRest`, `${name}: 2,000 a request, until at rest`, 'perSecond'),
    more(`${scenario}/small16.perCpuSecond`, `${name}: ${PER_CPU}, 60 a request, 16 connections`, 'perSecond', {
      victoria: 1.5,
    }),
    more(`${scenario}/small16.perCpuSecondAtRest`, `${name}: 60 a request, 16 connections, until at rest`, 'perSecond'),
    more(`${scenario}/small64.perCpuSecond`, `${name}: ${PER_CPU}, 60 a request, 64 connections`, 'perSecond', {
      victoria: 1.5,
    }),
    less(`${scenario}/small64.ackMsP99`, `${name}: ack p99, 60 a request, 64 connections`, 'ms'),
    less(`${scenario}/peakBytes`, `${name}: peak memory`, 'megabytes'),
    less(`${scenario}/diskBytes`, `${name}: disk`, 'megabytes'),
    ...query(`${scenario}/rules`, `${name}: 22 fleet rules at one time`, { victoria: 1 / 15 }),
    less(`${scenario}/earlyRules.cpuMs`, `CPU, ${name}: the same, first 20 rounds after the first`, 'ms'),
    ...query(`${scenario}/region-rate`, `${name}: sum by (region) (rate(x[5m])), 2 h @ 1 m`, { victoria: 1 }),
  ]
}
