import type { ClusterHistory } from './cluster-history.ts'
import { eventObjects } from './objects/events.ts'
import { handlerObject } from './objects/handler.ts'
import { hyperConverged } from './objects/hco.ts'
import { imageObjects } from './objects/images.ts'
import { migrationObjects } from './objects/migrations.ts'
import { olmObjects } from './objects/olm.ts'
import { operandObjects } from './objects/operands.ts'
import { platformObjects } from './objects/platform.ts'
import type { SimObject } from './objects/sim-object.ts'

/** Every object of a cluster that an edge kit watches. */
export function objectsOf(history: ClusterHistory): readonly SimObject[] {
  return [
    ...olmObjects(history),
    hyperConverged(history),
    ...operandObjects(history),
    handlerObject(history),
    ...migrationObjects(history),
    ...imageObjects(history),
    ...platformObjects(history),
    ...eventObjects(history),
  ]
}
