import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, resolve } from 'node:path'
import { PAGE_POLICY } from '../../../src/api/server/security-headers.ts'
import type { AlertRuns, AlertStrips } from '../../../src/contract/alert-history.ts'
import type { AlertDetail, AlertItems } from '../../../src/contract/alerts.ts'
import type {
  DeliveryItem,
  DeliveryItems,
  ReceiverItems,
  RouteItem,
  RouteTest,
} from '../../../src/contract/deliveries.ts'
import type { DashboardAnswer, DashboardList } from '../../../src/contract/dashboards.ts'
import type { ChangeEvent, EventTopic } from '../../../src/contract/events.ts'
import type { LintReport } from '../../../src/contract/lint.ts'
import type { Now } from '../../../src/contract/now.ts'
import type { PlanAnswer, PlanRequest } from '../../../src/contract/fleet-plans.ts'
import type { PrometheusRuleGroup } from '../../../src/contract/prometheus.ts'
import type { Replay, ReplayRequest, RuleTests } from '../../../src/contract/replay.ts'
import type { BoundRunbook } from '../../../src/contract/runbooks.ts'
import type { MatcherItem, SilenceItems, SilencePreview } from '../../../src/contract/silences.ts'
import type { UiSettings } from '../../../src/contract/ui.ts'
import {
  alertDetail,
  alertRuns,
  deliveries,
  delivery,
  lintReport,
  pageOfDeliveries,
  pageOfRuns,
  receivers,
  replay,
  ROUTING,
  RULE_TESTS,
  ruleGroups,
  silencePreview,
  silences,
  strips,
} from './alerting-fixtures.ts'
import { adoptionFixture } from './adoption-fixtures.ts'
import { alertItems, boundRunbook, queryAnswer, rangeAnswer, RUNBOOKS, SETTINGS } from './fixtures.ts'
import { now } from './now-fixtures.ts'
import { fleetAnswer } from './fleet-answers.ts'
import { planAnswer } from './plan-fixtures.ts'
import { exploreAnswer, labelValues } from './explore-answers.ts'
import { closeTabsInUse } from './tabs-in-use.ts'
import { traceAnswer } from './trace-fixtures.ts'
import { outcomeList, outcomes, review, workDesk } from './work-fixtures.ts'
import type {
  OutcomeList,
  OutcomesAnswer,
  ReviewAnswer,
  WorkAnswer,
  WorkRequest,
} from '../../../src/contract/runbook-work.ts'

/**
 * Serves the built UI with answers that a test chooses, under the content security policy a real server has.
 * It stands where the API will; what the API itself answers is tested with the API.
 */
export interface FixtureServer {
  readonly origin: string
  /** What to answer; a test replaces parts. */
  readonly answers: Answers
  /** Paths of the API that were asked for, in order. */
  readonly asked: readonly string[]
  /** What was asked to be changed, in order. */
  readonly sent: readonly Sent[]
  /** Tells every page that listens; only where `isLive`. */
  readonly tell: (topic: EventTopic) => void
  /** Pages that listen. */
  readonly listening: () => number
  readonly close: () => Promise<void>
}

/** An answer, or what stands for a fault: a status with a body, or no answer ever. */
export type Answer<T> = T | { readonly status: number; readonly body: unknown } | 'hang' | 'drop'

/** What a page asked the server to change. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

export interface Answers {
  /** Whether changes are told; otherwise pages poll. */
  isLive: boolean
  now: () => Answer<Now>
  alerts: () => Answer<AlertItems>
  runbook: (name: string, instance: string | null) => Answer<BoundRunbook>
  query: (expr: string, timeSeconds?: number) => unknown
  settings: () => Answer<UiSettings>
  /** One alert; by default what `alerts` holds of it. */
  detail: (fingerprint: string) => Answer<AlertDetail>
  history: (search: URLSearchParams) => Answer<AlertRuns>
  strips: (fingerprints: readonly string[]) => Answer<AlertStrips>
  silences: () => Answer<SilenceItems>
  preview: (matchers: readonly MatcherItem[]) => Answer<SilencePreview>
  plan: (request: PlanRequest) => Answer<PlanAnswer>
  receivers: () => Answer<ReceiverItems>
  deliveries: (search: URLSearchParams) => Answer<DeliveryItems>
  delivery: (id: number) => Answer<DeliveryItem>
  routes: () => Answer<RouteItem>
  routeTest: (labels: Readonly<Record<string, string>>) => Answer<RouteTest>
  rules: () => Answer<{ readonly status: 'success'; readonly data: { readonly groups: PrometheusRuleGroup[] } }>
  ruleTests: (alertname: string) => Answer<RuleTests>
  replay: (request: ReplayRequest) => Answer<Replay>
  lint: () => Answer<LintReport>
  /** What is asked about the fleet's facts: clusters, upgrades, edges, modifications; may be a promise; `undefined`: no such route. */
  fleet: (url: URL) => unknown
  /** An expression over a time, and the dashboards. */
  range: (expr: string, start: number, end: number, step: number) => unknown
  dashboards: () => Answer<DashboardList>
  dashboard: (name: string) => Answer<DashboardAnswer>
  labelValues: (name: string) => readonly string[] | { readonly status: number; readonly body: object }
  /** What follows `/api/adoption/v1/`. */
  adoption: (question: string, search: URLSearchParams) => unknown
  /** What is asked about metrics, their labels and logs; `undefined`: no such route. */
  explore: (url: URL) => unknown
  /** What is asked of the API that Jaeger's pages use. */
  traces: (url: URL) => unknown
  /** Work on an alert. @param request absent: it is read */
  work: (path: string, request?: WorkRequest) => Answer<WorkAnswer>
  outcomes: (name: string) => Answer<OutcomesAnswer>
  outcomeList: () => Answer<OutcomeList>
  review: (path: string) => Answer<ReviewAnswer>
  /** Anything that changes something: acknowledge, silence. */
  change: (sent: Sent) => Answer<unknown>
}

/** @param nowMs the moment all of it is told at; without it the present, of each answer its own */
export function usualAnswers(nowMs?: number): Answers {
  const clock = (): number => nowMs ?? Date.now()
  let then: ReturnType<typeof adoptionFixture> | undefined
  const desk = workDesk(clock)
  return {
    isLive: false,
    now: () => now(clock()),
    alerts: () => alertItems(clock()),
    runbook: (name, instance) => boundRunbook(clock(), name, instance === null ? 0 : 4, instance !== null),
    query: (expr) => queryAnswer(expr, clock()),
    settings: () => SETTINGS,
    detail: (fingerprint) =>
      alertDetail(alertItems(clock(), 3000), fingerprint) ?? { status: 404, body: { error: 'no such alert' } },
    history: (search) => pageOfRuns(alertRuns(clock()), search),
    strips: (fingerprints) => strips(fingerprints, clock()),
    silences: () => ({ asOfMs: clock(), silences: silences(clock()) }),
    preview: (matchers) => silencePreview(alertItems(clock()).alerts, alertRuns(clock()), matchers, clock()),
    plan: (request) => planAnswer(request, Date.now()),
    receivers: () => receivers(clock()),
    deliveries: (search) => pageOfDeliveries(deliveries(clock()), search),
    delivery: (id) => ({
      ...(deliveries(clock()).find((one) => one.id === id) ?? delivery(id, clock(), {})),
      payload: '{"version":"4","status":"firing"}',
      answer: '{"status":"success"}',
    }),
    routes: () => ROUTING,
    routeTest: (labels) => ({
      matches:
        labels['severity'] === 'critical'
          ? [{ receiver: 'on-call', path: [0], matchers: ['severity="critical"'] }]
          : [{ receiver: 'team-chat', path: [], matchers: [] }],
    }),
    rules: () => ({ status: 'success', data: { groups: ruleGroups(alertItems(clock())) } }),
    ruleTests: () => RULE_TESTS,
    replay: ({ fromMs, toMs, rule }) => replay(toMs, toMs - fromMs, rule !== undefined),
    lint: () => lintReport(clock()),
    work: (path, request) => (request === undefined ? desk.read(path) : desk.add(path, request)),
    outcomes: (name) => outcomes(name, clock()),
    outcomeList: () => outcomeList(clock()),
    review: (path) => review(path, clock()),
    fleet: (url) => fleetAnswer(url, clock()),
    range: (_expr, start, end, step) => rangeAnswer(start, end, step),
    dashboards: () => ({ dashboards: [] }),
    dashboard: (name) => ({ status: 404, body: { error: `no dashboard is called "${name}"`, nearest: [] } }),
    labelValues,
    adoption: (question, search) => {
      const { operators, answer } = nowMs === undefined ? adoptionOfToday() : (then ??= adoptionFixture(nowMs))
      return question === 'operators' ? operators : answer(question, search)
    },
    explore: (url) => exploreAnswer(url, clock()),
    traces: traceAnswer,
    change: ({ path }) => (path.endsWith('/silences') ? { ...silences(clock())[0]!, id: 'made' } : {}),
  }
}

let adoption: ReturnType<typeof adoptionFixture> | undefined

/** A year of a fleet is counted once, when it is first asked for. */
function adoptionOfToday(): ReturnType<typeof adoptionFixture> {
  return (adoption ??= adoptionFixture(Date.now()))
}

const WEB_ROOT = resolve(import.meta.dirname, '../../../dist/web')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** What the one server of this process answers from; whoever started it last. */
interface Desk {
  readonly answers: Answers
  readonly asked: string[]
  readonly sent: Sent[]
  readonly streams: Set<ServerResponse>
}

let desk: Desk | undefined
let door: Promise<string> | undefined

/** One address for all files of tests that run in this process: what a browser compiled for one serves the next. */
async function openDoor(): Promise<string> {
  const server = createServer((request, response) => {
    handle(request, response, desk).catch((thrown: unknown) => {
      response.statusCode = 500
      response.end(String(thrown))
    })
  })
  // It ends with the process, as the browser does.
  server.unref()
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers of its own, on the address of the process. One at a time: close it before the next is started. */
export async function startFixtureServer(): Promise<FixtureServer> {
  if (desk !== undefined) throw new Error('the fixture server of an earlier file was not closed')
  const own: Desk = { answers: usualAnswers(), asked: [], sent: [], streams: new Set() }
  desk = own
  const { answers, asked, sent, streams } = own
  const origin = await (door ??= openDoor())
  return {
    origin,
    answers,
    asked,
    sent,
    tell: (topic) => {
      for (const stream of streams) {
        stream.write(`event: change\ndata: ${JSON.stringify({ topic, version: 1 } satisfies ChangeEvent)}\n\n`)
      }
    },
    listening: () => streams.size,
    close: async () => {
      await closeTabsInUse()
      for (const stream of streams) stream.end()
      if (desk === own) desk = undefined
    },
  }
}

async function handle(request: IncomingMessage, response: ServerResponse, heard: Desk | undefined): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (url.pathname === '/collect') {
    response.statusCode = 202
    response.end('ok')
    return
  }
  if (!/^\/(?:api|debug)\//.test(url.pathname)) {
    await serveFile(url.pathname, response)
    return
  }
  if (heard === undefined) {
    response.statusCode = 503
    response.end('nobody answers now')
    return
  }
  const { answers } = heard
  if (url.pathname === '/api/fleet/v1/events') {
    listen(response, answers.isLive, heard.streams)
    return
  }
  heard.asked.push(`${url.pathname}${url.search}`)
  const method = request.method ?? 'GET'
  const text = method === 'GET' ? '' : await readText(request)
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  const isWork = url.pathname.startsWith('/api/runbooks/v1/work/')
  const asking = method !== 'POST' || isWork ? undefined : POSTED_QUESTIONS[url.pathname]
  const change = { method, path: url.pathname, body }
  if (method !== 'GET' && asking === undefined) heard.sent.push(change)
  const answer =
    method === 'GET'
      ? await answerTo(url, answers)
      : isWork
        ? answers.work(url.pathname, body as WorkRequest)
        : asking === undefined
          ? answers.change(change)
          : asking(answers, body)
  if (answer === 'hang') return
  if (answer === 'drop') {
    response.destroy()
    return
  }
  const isFault = typeof answer === 'object' && answer !== null && 'status' in answer && 'body' in answer
  response.statusCode = isFault ? Number(answer.status) : 200
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(isFault ? answer.body : answer))
}

/** A server without events answers 204: the browser does not ask again by itself, and no error is on the console. */
function listen(response: ServerResponse, isLive: boolean, streams: Set<ServerResponse>): void {
  response.writeHead(isLive ? 200 : 204, { 'content-type': 'text/event-stream' })
  if (!isLive) {
    response.end()
    return
  }
  response.write(': listening\n\n')
  streams.add(response)
  response.once('close', () => streams.delete(response))
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** Questions too long for an address. */
const POSTED_QUESTIONS: Readonly<Record<string, (answers: Answers, body: unknown) => unknown>> = {
  '/api/fleet/v1/silences/preview': (answers, body) =>
    answers.preview((body as { readonly matchers: readonly MatcherItem[] }).matchers),
  '/api/fleet/v1/routes/test': (answers, body) =>
    answers.routeTest((body as { readonly labels: Readonly<Record<string, string>> }).labels),
  '/api/fleet/v1/plans': (answers, body) => answers.plan(body as PlanRequest),
  '/api/fleet/v1/rules/replay': (answers, body) => answers.replay(body as ReplayRequest),
}

function answerTo(url: URL, answers: Answers): unknown {
  const { pathname, searchParams } = url
  if (pathname === '/api/fleet/v1/now') return answers.now()
  if (pathname === '/api/fleet/v1/alerts') return answers.alerts()
  if (pathname === '/api/fleet/v1/alerts/history') return answers.history(searchParams)
  if (pathname === '/api/fleet/v1/alerts/strip') return answers.strips(searchParams.getAll('fingerprint'))
  if (pathname.startsWith('/api/fleet/v1/alerts/')) return answers.detail(pathname.split('/').at(-1)!)
  if (pathname === '/api/fleet/v1/silences') return answers.silences()
  if (pathname === '/api/fleet/v1/receivers') return answers.receivers()
  if (pathname === '/api/fleet/v1/deliveries') return answers.deliveries(searchParams)
  if (pathname.startsWith('/api/fleet/v1/deliveries/')) return answers.delivery(Number(pathname.split('/').at(-1)))
  if (pathname === '/api/fleet/v1/routes') return answers.routes()
  if (pathname === '/api/fleet/v1/rules/tests') return answers.ruleTests(searchParams.get('alertname') ?? '')
  if (pathname === '/api/v1/rules') return answers.rules()
  if (pathname === '/api/v1/format_query') return { status: 'success', data: searchParams.get('query') }
  if (pathname === '/api/lint') return answers.lint()
  if (pathname.startsWith('/api/adoption/v1/')) return answers.adoption(pathname.split('/').at(-1)!, searchParams)
  if (pathname === '/api/ui/v1/settings') return answers.settings()
  if (pathname === '/api/runbooks/v1/pages') return RUNBOOKS
  if (pathname.startsWith('/api/runbooks/v1/work/')) return answers.work(pathname)
  if (pathname === '/api/runbooks/v1/outcomes') return answers.outcomeList()
  if (pathname.startsWith('/api/runbooks/v1/outcomes/'))
    return answers.outcomes(decodeURIComponent(pathname.split('/').at(-1)!))
  if (pathname.startsWith('/api/runbooks/v1/reviews/')) return answers.review(pathname)
  if (pathname.startsWith('/api/runbooks/v1/pages/') && pathname.endsWith('/source')) {
    const name = decodeURIComponent(pathname.split('/').at(-2)!)
    return { name, path: `runbooks/${name}.md`, text: `# ${name}\n\n## Meaning\n\nSomebody changed <object>.\n` }
  }
  if (pathname.startsWith('/api/runbooks/v1/pages/')) {
    return answers.runbook(decodeURIComponent(pathname.split('/').at(-1)!), searchParams.get('instance'))
  }
  if (pathname === '/api/v1/query') {
    return answers.query(searchParams.get('query') ?? '', Number(searchParams.get('time')))
  }
  if (pathname === '/api/v1/query_range') {
    const at = (name: string): number => Number(searchParams.get(name))
    return answers.range(searchParams.get('query') ?? '', at('start'), at('end'), at('step'))
  }
  const label = /^\/api\/v1\/label\/(\w+)\/values$/.exec(pathname)?.[1]
  if (label !== undefined) {
    const data = answers.labelValues(label)
    return 'status' in data ? data : { status: 'success', data }
  }
  if (pathname === '/api/dashboards/v1') return answers.dashboards()
  if (pathname.startsWith('/api/dashboards/v1/')) return answers.dashboard(pathname.split('/').at(-1)!)
  if (pathname.startsWith('/api/v3/')) return answers.traces(url)
  const fleet = pathname.startsWith('/api/fleet/v1/') ? answers.fleet(url) : undefined
  return fleet ?? answers.explore(url) ?? { status: 404, body: { error: `no route ${pathname}`, code: 'not_found' } }
}

/** Names of runbooks and versions may look like those of files. */
function isPage(pathname: string): boolean {
  return extname(pathname) === '' || /^\/(?:rb|fleet)\//.test(pathname)
}

async function serveFile(pathname: string, response: ServerResponse): Promise<void> {
  const wanted = normalize(join(WEB_ROOT, isPage(pathname) ? 'index.html' : pathname))
  const body = wanted.startsWith(WEB_ROOT) ? await readFile(wanted).catch(() => undefined) : undefined
  // For a file that is shown by itself, as in a tab between two pages, the browser wants an icon of that name.
  response.statusCode = pathname === '/favicon.ico' ? 204 : body === undefined ? 404 : 200
  response.setHeader('content-type', TYPES[extname(wanted)] ?? 'application/octet-stream')
  response.setHeader('content-security-policy', PAGE_POLICY)
  response.setHeader('cache-control', pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache')
  response.end(response.statusCode === 404 ? 'not found' : body)
}
