import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { NOW_MS, makeServer, type TestServer } from '../api/test-server.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { requirePeer } from '../support/peers.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo, program } from './run.ts'

// The real program asks the real API; the engine behind it is of this process.
const NOW = NOW_MS / 1000
const folder = tempDir('cli-query')
const tokenFile = join(folder.path, 'token')
let server: TestServer
let url: string
beforeAll(async () => {
  writeFileSync(tokenFile, 'secret\n')
  const queryable = new MemoryQueryable()
  for (let ago = 120; ago >= 0; ago -= 15) {
    queryable.append(Labels.of({ __name__: 'up', job: 'a', path: '/x"y' }), NOW_MS - ago * 1000, 1)
    queryable.append(Labels.of({ __name__: 'up', job: 'b' }), NOW_MS - ago * 1000, 0.5)
  }
  queryable.append(Labels.of({ __name__: 'large' }), NOW_MS, 1e21)
  queryable.append(Labels.of({ __name__: 'no_number' }), NOW_MS, NaN)
  const query = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => NOW_MS })
  server = await makeServer({
    query,
    explain: (asked, signal) => query.explain(asked, signal),
    requiresToken: true,
    authenticate: (token) => Promise.resolve(token === 'secret' ? { role: 'viewer', name: 'sre' } : undefined),
  })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.app.close()
  folder.remove()
})

const WITH_TOKEN = ['--token', 'secret']
const at = `--time=${NOW}`

describe('daytwo query', () => {
  test.each([
    [['instant', 'URL', 'up', at], `up{job="a", path="/x\\"y"} => 1 @[${NOW}]\nup{job="b"} => 0.5 @[${NOW}]\n`],
    [['instant', 'URL', 'sum(up)', '--time', '2026-08-20T10:00:00Z'], `{} => 1.5 @[${NOW}]\n`],
    [['instant', 'URL', 'large', at], `large => 1000000000000000000000 @[${NOW}]\n`],
    [['instant', 'URL', 'no_number', at], `no_number => NaN @[${NOW}]\n`],
    [['instant', 'URL', '1 / 0', at], `scalar: +Inf @[${NOW}]\n`],
    [['instant', 'URL', '"text"', at], 'text\n'],
    [['instant', 'URL', 'nothing', at], ''],
    [['instant', 'URL', 'up{job="b"}[30s]', at], `up{job="b"} =>\n0.5 @[${NOW - 15}]\n0.5 @[${NOW}]\n`],
    [
      ['range', 'URL', 'sum(up)', `--start=${NOW - 30}`, `--end=${NOW}`, '--step=15s'],
      `{} =>\n1.5 @[${NOW - 30}]\n1.5 @[${NOW - 15}]\n1.5 @[${NOW}]\n`,
    ],
    [
      ['series', 'URL', '--match', 'up{job=~"a,?"}', '--match', 'large'],
      '{__name__="large"}\n{__name__="up", job="a", path="/x\\"y"}\n',
    ],
    [['labels', 'URL', 'job'], 'a\nb\n'],
    [['labels', 'URL', 'job', '--match=up{job!="a"}'], 'b\n'],
    [
      ['instant', 'URL', 'up{job="b"}', at, '--format=json'],
      `[{"metric":{"__name__":"up","job":"b"},"value":[${NOW},"0.5"]}]\n`,
    ],
    [['series', 'URL', '--match', 'large', '--format', 'json'], '[{"__name__":"large"}]\n'],
    [['labels', 'URL', 'job', '--format', 'json'], '["a","b"]\n'],
  ])('%j', async (args, stdout) => {
    const asked = args.map((arg) => (arg === 'URL' ? url : arg))
    expect(await daytwo('query', ...asked, ...WITH_TOKEN)).toEqual({ code: 0, stdout, stderr: '' })
  })

  test('a range without a step has some 250 of them, and ends now without an end', async () => {
    const { stdout } = await daytwo('query', 'range', url, '1', `--start=${NOW - 5000}`, `--end=${NOW}`, ...WITH_TOKEN)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + 251)
    const { code, stdout: last } = await daytwo('query', 'range', url, '1', ...WITH_TOKEN)
    expect([code, last.trimEnd().split('\n').length]).toEqual([0, 1 + 301])
  })

  test('explain tells how an expression is answered', async () => {
    const { code, stdout } = await daytwo('query', 'explain', url, 'sum by (job) (up)', at, ...WITH_TOKEN)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^1 step, /)
    expect(stdout).toContain('sum by (job) (up)')
    const range = [`--start=${NOW - 30}`, `--end=${NOW}`, '--step=15']
    const answer = await daytwo('query', 'explain', url, 'up', ...range, '--format=json', ...WITH_TOKEN)
    expect(JSON.parse(answer.stdout)).toMatchObject({ steps: 3 })
  })

  test('remarks about a good answer go to standard error', async () => {
    const answer = await daytwo('query', 'instant', url, 'rate(up[1m])', at, '--limit=1', ...WITH_TOKEN)
    expect(answer.code).toBe(0)
    expect(answer.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(answer.stderr).toMatch(
      /^warning: results truncated due to limit\ninfo: PromQL info: metric might not be a counter/,
    )
  })

  test.each([
    ['--token', ['--token=secret'], 0],
    ['--token-file', [`--token-file=${tokenFile}`], 0],
    ['nothing', [], 1],
    ['another token', ['--token=other'], 1],
  ])('%s is a way in, or is none', async (_name, args, code) => {
    const answer = await daytwo('query', 'instant', url, '1', ...args)
    expect(answer.code).toBe(code)
    if (code !== 0) expect(answer.stderr).toMatch(/^query error: unauthorized: (this needs a token|unknown token)\n$/)
  })

  test('a user and a password in the address are one too', async () => {
    const withUser = url.replace('http://', 'http://sre:secret@')
    expect(await daytwo('query', 'instant', withUser, 'vector(1)', at)).toMatchObject({
      code: 0,
      stdout: `{} => 1 @[${NOW}]\n`,
    })
  })

  test.each([
    [['instant', 'URL', 'sum('], /^query error: bad_data: invalid parameter "query": 1:\d+: parse error: /],
    [['instant', 'URL', 'up * on() up'], /^query error: execution: /],
    [['series', 'URL'], /^query error: bad_data: no match\[\] parameter provided\n$/],
    [['instant', 'http://127.0.0.1:1', 'up'], /^query error: cannot reach http:\/\/127\.0\.0\.1:1: /],
    [['instant', 'URL/nowhere', 'up'], /^query error: server_error: server error: 404 404 page not found\n$/],
  ])('%j has no answer', async (args, stderr) => {
    const asked = args.map((arg) => arg.replace('URL', url))
    const answer = await daytwo('query', ...asked, ...WITH_TOKEN)
    expect(answer).toMatchObject({ code: 1, stdout: '' })
    expect(answer.stderr).toMatch(stderr)
  })

  test.each([
    [[], 'got "", want instant, range, explain, series or labels', ''],
    [['instance', 'URL', 'up'], 'got "instance", want instant', ''],
    [['instant', 'URL'], 'want SERVER EXPR, got 1 words', 'needs quotes'],
    [['instant', 'URL', 'a', 'b'], 'want SERVER EXPR', 'needs quotes'],
    [['series', 'URL', 'up', '--match=up'], 'want SERVER, got 2 words', ''],
    [['instant', 'localhost:4318', 'up'], 'server: got "localhost:4318"', ''],
    [['instant', 'URL', 'up', '--step=1'], 'daytwo query instant has no option --step', 'it has --time'],
    [['instant', 'URL', 'up', '--format=xml'], 'option --format: got "xml", want promql or json', ''],
    [['range', 'URL', 'up', '--end=tomorrow'], 'option --end: got "tomorrow", want RFC 3339 or seconds', ''],
    [['instant', 'URL', 'up', '--token-file=/no/such'], 'cannot read the token from /no/such', ''],
  ])('%j is not asked', async (args, message, hint) => {
    const answer = await daytwo('query', ...args.map((arg) => (arg === 'URL' ? url : arg)))
    expect(answer.code).toBe(2)
    expect(answer.stderr).toContain(message)
    expect(answer.stderr).toContain(hint)
  })

  test.for([
    ['instant', '--time', String(NOW), 'SERVER', 'up'],
    ['instant', '--time', String(NOW), 'SERVER', '1 / 0'],
    ['instant', '--time', String(NOW), 'SERVER', 'up{job="b"}[1m]'],
    ['range', `--start=${NOW - 60}`, `--end=${NOW}`, '--step=15s', 'SERVER', 'sum by (job) (up)'],
    ['series', '--match=up', '--match=large', 'SERVER'],
    ['labels', 'SERVER', 'job'],
  ])('promtool prints the same for %j', async (args, context) => {
    const promtool = requirePeer('promtool', context)
    const withToken = url.replace('http://', 'http://sre:secret@')
    const theirs = await program(promtool, ['query', ...args.map((arg) => (arg === 'SERVER' ? withToken : arg))])
    // Where the server's order is not by the number of labels, as promtool's is, the order differs: here it stays.
    const ours = await daytwo('query', ...args.map((arg) => (arg === 'SERVER' ? withToken : arg)))
    expect([ours.code, ours.stdout]).toEqual([theirs.code, theirs.stdout])
  })
})
