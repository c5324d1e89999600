import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BuildInfo } from '../../../src/contract/prometheus-status.ts'
import { UiSettings } from '../../../src/contract/ui.ts'
import { makeServer, type TestServer } from '../test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await makeServer()
})
afterAll(() => server.app.close())

test.each([
  ['/', 200],
  ['/fleet', 200],
  ['/fleet/clusters/prague', 200],
  ['/adoption', 200],
  ['/alerts/0123456789abcdef?severity=critical', 200],
  ['/explore?expr=up', 200],
  ['/rb/KubeVirtCRModified', 200],
  ['/rb/KubeVirtCRModified.md', 200],
  ['/rb/HCOOldName', 200],
  ['/rb/Nonsense', 404],
])('%s is the page, with status %i', async (url, status) => {
  const answer = await server.app.inject(url)
  expect([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
    status,
    'text/html; charset=utf-8',
    'no-cache',
  ])
  expect(answer.body).toContain('<title>Daytwo</title>')
})

test.each(['/', '/rb/KubeVirtCRModified', '/-/healthy', '/-/ready', '/icon.svg'])(
  'HEAD %s is GET without a body',
  async (url) => {
    const [head, get] = [await server.app.inject({ method: 'HEAD', url }), await server.app.inject(url)]
    expect([head.statusCode, head.headers['content-type'], head.body]).toEqual([200, get.headers['content-type'], ''])
  },
)

test('assets are cached for ever, files beside the page are asked for again', async () => {
  const asset = await server.app.inject('/assets/main-abc123.js')
  expect([asset.statusCode, asset.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
  expect(asset.headers['content-type']).toMatch(/javascript/)
  const icon = await server.app.inject('/icon.svg')
  expect([icon.statusCode, icon.headers['cache-control'], icon.headers['content-type']]).toEqual([
    200,
    'no-cache',
    expect.stringContaining('image/svg+xml'),
  ])
  const again = await server.app.inject({ url: '/icon.svg', headers: { 'if-none-match': String(icon.headers.etag) } })
  expect(again.statusCode).toBe(304)
})

test.each(['/assets/../index.html', '/assets/%2e%2e/index.html', '/assets/..%2findex.html', '/assets/', '/assets/.x'])(
  '%s is not a way out of the folder',
  async (url) => {
    const answer = await server.app.inject(url)
    expect([400, 403, 404]).toContain(answer.statusCode)
    expect(answer.body).not.toContain('<title>')
  },
)

test('large answers are compressed for those who can read it', async () => {
  const url = '/assets/main-abc123.js'
  const answer = await server.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
  expect(answer.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(answer.rawPayload).toString()).toContain('export const x')
  expect((await server.app.inject(url)).headers['content-encoding']).toBeUndefined()
})

test.each([
  ['/graph', '/explore'],
  ['/graph?g0.tab=1', '/explore'],
  ['/graph?g0.expr=sum(up)%20%3E%201&g0.tab=0', '/explore?expr=sum%28up%29+%3E+1'],
  ['/query?g0.expr=up&g0.show_tree=0&g0.tab=table', '/explore?expr=up&tab=table'],
])('a link to Prometheus’ page of a query, %s, leads to %s', async (url, location) => {
  const answer = await server.app.inject(url)
  expect([answer.statusCode, answer.headers.location]).toEqual([302, location])
})

test('settings and build information are as the contract says', async () => {
  const settings: unknown = (await server.app.inject('/api/ui/v1/settings')).json()
  expect([...Value.Errors(UiSettings, settings)]).toEqual([])
  expect(settings).toEqual({ version: '0.0.0-test', isDemo: false, externalUrl: 'http://127.0.0.1:4318' })
  const build: unknown = (await server.app.inject('/api/v1/status/buildinfo')).json()
  expect([...Value.Errors(BuildInfo, build)]).toEqual([])
  expect(build).toMatchObject({ data: { version: expect.stringMatching(/^3\.\d+\.\d+$/) as unknown } })
  expect(build).not.toHaveProperty('data.features')
})

test('without a built UI the API works and the page says what to do', async () => {
  const webRoot = mkdtempSync(join(tmpdir(), 'daytwo-no-web-'))
  const { app } = await makeServer({ webRoot: join(webRoot, 'missing') })
  const page = await app.inject('/')
  expect([page.statusCode, page.body]).toEqual([503, 'the UI is not built (`npm run build` makes it)\n'])
  expect((await app.inject('/api/v1/labels')).statusCode).toBe(200)
  await app.close()
  rmSync(webRoot, { recursive: true })
})
