import { expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { DebugProcesses } from '../../../src/contract/debug-processes.ts'
import type { ProcessRecord } from '../../../src/model/lease.ts'
import { makeServer, NOW_MS } from '../test-server.ts'

const SELF: ProcessRecord = {
  ...{ name: 'a', version: '1.0.0', roles: ['collect', 'serve'], startedMs: 1, silentMs: 900 },
  ...{ state: 'running', isSelf: true },
  report: {
    forward: { isComplete: true, lagSamples: 3, lagSeconds: 2, refused: { invalid: 1 } },
    ...{ shipping: { lagSeconds: 1, pendingCommits: 4 }, leases: { cluster: 2 }, faults: ['no room'] },
  },
}
const OLDER: ProcessRecord = { ...SELF, name: 'b', isSelf: false, state: 'silent', report: undefined }

test('the processes are listed with what they report; of an older release that is nothing', async () => {
  const deployment = () => ({ processes: [SELF, OLDER], unheardMs: 1500, fault: 'refused' })
  const { app } = await makeServer({ deployment })
  const answer = (await app.inject('/debug/processes')).json<DebugProcesses>()
  expect([...Value.Errors(DebugProcesses, answer)]).toEqual([])
  const common = { version: '1.0.0', roles: ['collect', 'serve'], startedMs: 1, silentMs: 900 }
  const processes = [
    {
      ...{ name: 'a', isSelf: true, state: 'running', ...common, leases: { cluster: 2 }, faults: ['no room'] },
      ...{ forward: { lagSamples: 3, lagSeconds: 2 }, shipping: { lagSeconds: 1, pendingCommits: 4 } },
    },
    { name: 'b', isSelf: false, state: 'silent', ...common, faults: [] },
  ]
  expect(answer).toEqual({ asOfMs: NOW_MS, processes, unheardMs: 1500, fault: 'refused' })
  expect((await app.inject('/debug/forward')).json()).toMatchObject({ processes: [{ name: 'a' }, { name: 'b' }] })
  await app.close()
})

test('a process that has stopped is removed by name, and the audit says by whom', async () => {
  const asked: string[] = []
  const forgetProcess = (name: string): Promise<boolean> => {
    asked.push(name)
    return Promise.resolve(name === 'gone/1')
  }
  const { app } = await makeServer({ forgetProcess })
  const remove = (name: string) =>
    app.inject({ method: 'DELETE', url: `/api/fleet/v1/processes/${encodeURIComponent(name)}` })
  expect((await remove('gone/1')).json()).toEqual({ name: 'gone/1' })
  const refused = await remove('runs')
  expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([
    404,
    'no process that has stopped is called "runs"',
  ])
  expect(asked).toEqual(['gone/1', 'runs'])
  await app.close()
})
