import { makeServer, NOW_MS } from '../../api/test-server.ts'
import { jsonBodies } from '../json-bodies.ts'
import { pick } from '../mutate.ts'
import { oneByOne, showBytes, simplerBytes, type Target } from '../target.ts'

interface Posted {
  readonly path: '/api/v2/alerts' | '/api/v2/silences'
  readonly body: Uint8Array
}

const HOUR_MS = 3_600_000
const at = (offsetMs: number): string => new Date(NOW_MS + offsetMs).toISOString()

const ALERTS = [
  [
    { labels: { alertname: 'A', cluster: 'fra-1', severity: 'critical' }, annotations: { summary: 's' } },
    {
      ...{ labels: { alertname: 'B', 'ž.': '😀' }, startsAt: at(-HOUR_MS), endsAt: at(HOUR_MS) },
      generatorURL: 'https://p.example/graph?g0.expr=up',
    },
  ],
  [{ labels: { alertname: 'A' }, endsAt: at(-1) }],
]
const SILENCE = {
  matchers: [
    { name: 'alertname', value: 'A|B', isRegex: true, isEqual: true },
    { name: 'cluster', value: 'fra', isRegex: false, isEqual: false },
  ],
  ...{ startsAt: at(0), endsAt: at(HOUR_MS), createdBy: 'me', comment: 'c' },
}
const bodies = (...values: readonly unknown[]): Uint8Array[] =>
  values.map((value) => Buffer.from(JSON.stringify(value)))
const DRAW = {
  '/api/v2/alerts': jsonBodies(bodies(...ALERTS)),
  '/api/v2/silences': jsonBodies(bodies(SILENCE, { ...SILENCE, id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427' })),
} as const

const alertmanager: Target<Posted> = {
  name: 'alertmanager-json',
  claim: 'An alert or a silence is taken, or refused with a 4xx status.',
  inputs: { suite: 250, long: 100_000 },
  sessionInputs: 2000,
  shares: { '200': 0.02, '400': 0.2 },
  open: async () => {
    const { app } = await makeServer()
    return {
      make: (random) => {
        const path = pick(random, ['/api/v2/alerts', '/api/v2/alerts', '/api/v2/silences'] as const)
        return { path, body: DRAW[path](random) }
      },
      check: oneByOne(async ({ path, body }) => {
        const headers = { 'content-type': 'application/json' }
        const { statusCode } = await app.inject({ method: 'POST', url: path, headers, payload: Buffer.from(body) })
        if (statusCode !== 200 && !(statusCode >= 400 && statusCode < 500)) throw new Error(`answers ${statusCode}`)
        return String(statusCode)
      }),
      simpler: function* ({ path, body }) {
        for (const simpler of simplerBytes(body)) yield { path, body: simpler }
      },
      show: ({ path, body }) => `POST ${path} ${showBytes(body)}`,
      close: () => app.close(),
    }
  },
}

export const ALERTMANAGER = [alertmanager]
