import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { RemovedProcess } from '../../contract/processes.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { actorOf, type ApiPeople } from './people.ts'

/** Removes a process that is not running from the list of processes. False: there is none of this name that is not running. */
export type ForgetProcess = (name: string) => Promise<boolean>

/** `/api/fleet/v1/processes`: processes that will not return. `/debug/processes` lists all. */
export function registerProcesses(
  app: FastifyInstance,
  ports: PortsOf<{ readonly people: ApiPeople }>,
  forget: ForgetProcess,
  clock: Clock,
): void {
  ownRoute(app, 'DELETE /api/fleet/v1/processes/:name', {
    access: 'admin',
    scope: 'fleet',
    summary: 'Removes a stopped process that will not return: nothing waits for what is in its data folder.',
    path: { name: 'Name of the process.' },
    answer: RemovedProcess,
    handler: async ({ params: { name }, request }) => {
      if (!(await forget(name))) {
        throw new FleetError('not_found', `no process that has stopped is called ${JSON.stringify(name)}`)
      }
      const by = actorOf(request)
      const action = { atMs: clock.nowMs(), by, action: 'process.remove', subject: name, detail: '{}' } as const
      await ports(request).people.record(action)
      return { name }
    },
  })
}
