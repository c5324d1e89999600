/** What is asked, and what an answer costs: processor time of the server per query, and what it answered. */
import type { RunningServer } from './server.ts'

export interface RangeQuery {
  readonly name: string
  readonly expression: string
  readonly rangeMs: number
  readonly stepMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const SIX_HOUR_QUERIES: readonly RangeQuery[] = [
  {
    name: 'version share, 6 h @ 1 m',
    expression:
      'count by (version) (kubevirt_hco_info == 1) / ignoring (version) group_left count(kubevirt_hco_info == 1)',
    rangeMs: 6 * HOUR_MS,
    stepMs: MINUTE_MS,
  },
  {
    name: 'sum by (region) (rate(x[5m])), 6 h @ 1 m',
    expression: 'sum by (region) (rate(rest_client_requests_total[5m]))',
    rangeMs: 6 * HOUR_MS,
    stepMs: MINUTE_MS,
  },
]

export const THIRTY_DAY_QUERIES: readonly RangeQuery[] = [
  {
    name: 'version share, 30 d @ 1 h',
    expression:
      'count by (version) (kubevirt_hco_version_state == 1) / ignoring (version) group_left count(kubevirt_hco_version_state == 1)',
    rangeMs: 720 * HOUR_MS,
    stepMs: HOUR_MS,
  },
  {
    name: 'worst health by region, 30 d @ 1 h',
    expression: 'max by (region) (max_over_time(kubevirt_hco_system_health_status[1h]))',
    rangeMs: 720 * HOUR_MS,
    stepMs: HOUR_MS,
  },
]

/** Fleet rules: thresholds, rates, joins, absences and changes, as the shipped alerts are written. */
export const FLEET_RULES: readonly string[] = [
  'kubevirt_hco_system_health_status > 1',
  'kubevirt_hco_system_health_status == 1',
  'csv_succeeded == 0',
  'up == 0',
  'kubevirt_vmi_number_of_outdated > 45',
  'sum by (cluster) (kubevirt_vmi_number_of_outdated) > 45',
  'sum by (cluster, component_name) (increase(kubevirt_hco_out_of_band_modifications_total[10m])) > 0',
  'sum by (cluster) (rate(rest_client_requests_total{code=~"5.."}[5m])) / sum by (cluster) (rate(rest_client_requests_total[5m])) > 0.05',
  'sum by (cluster) (rate(rest_client_requests_total{code="409"}[5m])) > 10',
  'avg_over_time(process_resident_memory_bytes[10m]) > 2e9',
  'max_over_time(go_goroutines[10m]) > 5000',
  'count by (version) (kubevirt_hco_info) / scalar(count(kubevirt_hco_info)) < 0.01',
  'csv_succeeded * on (cluster) group_left (version) kubevirt_hco_info == 0',
  'changes(kubevirt_hco_system_health_status[30m]) > 4',
  'changes(csv_succeeded[30m]) > 2',
  'kubevirt_hco_system_health_status > 0 unless on (cluster) csv_succeeded == 1',
  'up == 1 unless on (cluster) kubevirt_hco_info',
  'min by (cluster) (kubevirt_component_1_ready) == 0',
  'min by (cluster) (kubevirt_component_2_ready) == 0',
  'min by (cluster) (min_over_time(kubevirt_component_3_ready[5m])) == 0',
  'count by (region) (up == 0) > 5',
  'absent(kubevirt_hco_info)',
]

export interface QueryCost {
  readonly cpuMs: number
  readonly wallMs: number
  /** Series, points and their sum: what the peers' answers are compared by. */
  readonly answer: AnswerShape
}

export interface AnswerShape {
  readonly series: number
  readonly points: number
  readonly sum: number
}

const RUNS_MAX = 20
const RUNS_MS = 1000
const SETTLE_MS_MAX = 1500

/** The mean of many runs, after one that warms up. Ends are inclusive, as the API has them. */
export async function measureRange(server: RunningServer, query: RangeQuery, endMs: number): Promise<QueryCost> {
  const params = {
    query: query.expression,
    start: String((endMs - query.rangeMs) / 1000),
    end: String(endMs / 1000),
    step: String(query.stepMs / 1000),
  }
  return measure(server, () => ask(server, '/api/v1/query_range', params))
}

/** All rules once, as a rule group would evaluate them at `timeMs`; times move on, as a rule's do. */
export async function measureRules(server: RunningServer, endMs: number): Promise<QueryCost> {
  let evaluation = 0
  return measure(server, async () => {
    const time = String((endMs - (evaluation++ % 10) * 30_000) / 1000)
    const shapes: AnswerShape[] = []
    for (const query of FLEET_RULES) shapes.push(await ask(server, '/api/v1/query', { query, time }))
    return shapes.reduce(added, { series: 0, points: 0, sum: 0 })
  })
}

async function measure(server: RunningServer, once: () => Promise<AnswerShape>): Promise<QueryCost> {
  const answer = await once()
  await server.settle(SETTLE_MS_MAX)
  const startCpuMs = server.cpuMs()
  const startMs = performance.now()
  let runs = 0
  while (runs < RUNS_MAX && (runs < 2 || performance.now() - startMs < RUNS_MS)) {
    await once()
    runs++
  }
  return { cpuMs: (server.cpuMs() - startCpuMs) / runs, wallMs: (performance.now() - startMs) / runs, answer }
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly value?: readonly [number, string]
      readonly values?: readonly [number, string][]
    }[]
  }
}

async function ask(server: RunningServer, path: string, params: Record<string, string>): Promise<AnswerShape> {
  const search = new URLSearchParams({ ...params, ...server.peer.queryParams })
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}?${search.toString()}`)
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${server.peer.name} did not answer ${params['query']}: ${text.slice(0, 500)}`)
  const { data } = JSON.parse(text) as Answer
  let points = 0
  let sum = 0
  for (const { value, values } of data.result) {
    for (const [, number] of values ?? (value === undefined ? [] : [value])) {
      points++
      sum += Number(number)
    }
  }
  return { series: data.result.length, points, sum }
}

function added(a: AnswerShape, b: AnswerShape): AnswerShape {
  return { series: a.series + b.series, points: a.points + b.points, sum: a.sum + b.sum }
}
