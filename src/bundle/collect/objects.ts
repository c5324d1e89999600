import { fieldChanges } from '../../fleet/clusters/field-changes.ts'
import type { ObjectTransition } from '../../model/observation.ts'
import { json, opaque, type ObjectState } from '../content.ts'
import { Bounded, cutOf } from '../limits.ts'
import { checkWaiting, type BundleSources, type Part, type ReadContext } from './context.ts'

/** The states of objects in the window, each with the one before it. Of too many the newest. */
export async function readObjects(read: BundleSources['objects'], context: ReadContext): Promise<Part<ObjectState>> {
  const { subject, clusters, limits } = context
  const taken = new Bounded<ObjectState>(limits.objectsMax, limits.partBytesMax)
  const seen = new Set<string>()
  let found = 0
  let isMore = false
  for (const cluster of clusters) {
    checkWaiting(context)
    // One more shows whether there are more.
    const transitions = await read(cluster, { ...subject.window, limit: limits.objectsMax + 1 })
    isMore ||= transitions.length > limits.objectsMax
    for (const transition of transitions.slice(0, limits.objectsMax)) {
      const { uid, resourceVersion, observedMs, facts } = transition.after
      // Names of one cluster have the same objects.
      const id = `${facts.kind} ${uid} ${resourceVersion} ${observedMs}`
      if (seen.has(id)) continue
      seen.add(id)
      found++
      const state = stateOf(transition)
      taken.add(state, json(state.before).length + json(state.after).length)
    }
  }
  return {
    items: taken.items.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    cuts: cutOf('states of objects', taken.items.length, found, isMore),
  }
}

function stateOf({ after, before, manager }: ObjectTransition): ObjectState {
  const { observedMs, cluster, facts, namespace, name, uid, resourceVersion, change } = after
  return {
    at: new Date(observedMs).toISOString(),
    ...{ cluster, kind: facts.kind, namespace, name, uid, resourceVersion, change },
    manager: manager?.name ?? null,
    fields: (before === undefined ? [] : fieldChanges(before, facts)).map((one) => {
      return { field: one.field, before: one.before ?? null, after: one.after ?? null }
    }),
    before: before === undefined ? null : opaque(before),
    after: opaque(facts),
  }
}
