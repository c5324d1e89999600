import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { requirePeer } from '../support/peers.ts'
import { NOW_MS, makeServer, type TestServer } from './test-server.ts'

const run = promisify(execFile)
const NOW = NOW_MS / 1000

let server: TestServer
let url: string
beforeAll(async () => {
  const queryable = new MemoryQueryable()
  for (let ago = 120; ago >= 0; ago -= 15) {
    queryable.append(Labels.of({ __name__: 'up', job: 'a' }), NOW_MS - ago * 1000, 1)
    queryable.append(Labels.of({ __name__: 'up', job: 'b' }), NOW_MS - ago * 1000, 0.5)
  }
  const query = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => NOW_MS })
  server = await makeServer({
    query,
    requiresToken: true,
    authenticate: (token) => Promise.resolve(token === 'secret' ? { role: 'viewer', name: 'promtool' } : undefined),
  })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => server.app.close())

/** What promtool prints and how it ends, asking with a token in the address as a user would. */
async function promtool(path: string, args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  try {
    const { stdout, stderr } = await run(path, [...args])
    return { code: 0, out: stdout, err: stderr }
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, err: stderr }
  }
}

describe('promtool as a client', () => {
  const withToken = () => url.replace('http://', 'http://promtool:secret@')

  test.for(['healthy', 'ready'])('check %s', async (what, context) => {
    const path = requirePeer('promtool', context)
    const help = await promtool(path, ['check', '--help'])
    if (!(help.out + help.err).includes(`check ${what}`))
      context.skip(`this promtool has no check ${what}; 2.43 brought it`)
    expect(await promtool(path, ['check', what, `--url=${url}`])).toMatchObject({ code: 0 })
  })

  test.for([
    [
      ['query', 'instant', '--time', String(NOW)],
      ['up'],
      /up\{job="a"\} => 1 @\[\d+\]\nup\{job="b"\} => 0\.5 @\[\d+\]/,
    ],
    [['query', 'instant', '--time', '2026-08-20T10:00:00Z'], ['sum(up)'], /\{\} => 1\.5 @/],
    [
      ['query', 'range', `--start=${NOW - 60}`, `--end=${NOW}`, '--step=15s'],
      ['sum(up)'],
      /\{\} =>\n(?:1\.5 @\[\d+\]\n){5}/,
    ],
    [['query', 'series', '--match=up', `--start=${NOW - 60}`, `--end=${NOW}`], [], /job="a"[\s\S]*job="b"/],
    [['query', 'labels'], ['job'], /^a\nb\n$/],
    [
      ['query', '-o', 'json', 'instant', '--time', String(NOW)],
      ['sum(up)'],
      /^\[\{"metric":\{\},"value":\[\d+,"1\.5"\]\}\]\n$/,
    ],
    [
      ['query', '-o', 'json', 'range', `--start=${NOW - 15}`, `--end=${NOW}`, '--step=15s'],
      ['sum(up)'],
      /"values":\[\[\d+,"1\.5"\],\[\d+,"1\.5"\]\]/,
    ],
    [
      ['query', '-o', 'json', 'series', '--match=up', `--start=${NOW - 60}`, `--end=${NOW}`],
      [],
      /^\[\{"__name__":"up","job":"a"\},/,
    ],
    [['query', '-o', 'json', 'labels'], ['job'], /^\["a","b"\]\n$/],
  ] as const)('%j', async ([args, rest, out], context) => {
    const path = requirePeer('promtool', context)
    const answer = await promtool(path, [...args, withToken(), ...rest])
    expect(answer).toMatchObject({ code: 0, err: '' })
    expect(answer.out).toMatch(out)
  })

  test('shows our errors as a Prometheus’', async (context) => {
    const path = requirePeer('promtool', context)
    const answer = await promtool(path, ['query', 'instant', withToken(), 'sum('])
    expect(answer.code).not.toBe(0)
    expect(answer.err).toMatch(/bad_data: invalid parameter "query": 1:\d+: parse error/)
  })

  test('without a token is told so', async (context) => {
    const path = requirePeer('promtool', context)
    const answer = await promtool(path, ['query', 'instant', url, 'up'])
    expect([answer.code === 0, answer.out + answer.err]).toEqual([false, expect.stringContaining('needs a token')])
  })
})
