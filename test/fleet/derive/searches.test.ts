/** Each search by time finds what a walk over everything finds, also among several objects and equal times. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { componentPath } from '../../../src/fleet/derive/component-upgrade.ts'
import { csvPath } from '../../../src/fleet/derive/csv-path.ts'
import { historyAt, historyOverTime } from '../../../src/fleet/derive/history-at.ts'
import { hcoWindows } from '../../../src/fleet/derive/hco-window.ts'
import { deriveModifications } from '../../../src/fleet/derive/modifications.ts'
import { nodesAtStart } from '../../../src/fleet/derive/nodes-at-start.ts'
import { objectArrivals } from '../../../src/fleet/derive/object-arrivals.ts'
import { platformUpgradesByObjects } from '../../../src/fleet/derive/platform-upgrades.ts'
import { lastStateBefore, objectsWithin, statesWithin } from '../../../src/fleet/derive/states-in-time.ts'
import { isHandlerObserved, virtHandlerRollout } from '../../../src/fleet/derive/virt-handler-rollout.ts'
import { workloadUpdateOf } from '../../../src/fleet/derive/workloads.ts'
import type { ClusterVersionFacts, DaemonSetFacts, MigrationFacts, NodeFacts } from '../../../src/model/object-facts.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { at, csv, hyperConverged, look, operand, overwritten } from './observed.ts'
import { csvNameOf, historyOf, objectsOf, seconds, version } from './random-objects.ts'

const runs = { numRuns: 300 }
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })

const kubevirts = objectsOf(
  fc
    .record({ observed: version, target: version, outdatedWorkloads: fc.nat(2) })
    .map(({ observed: observedVersion, target: targetVersion, outdatedWorkloads }) =>
      operand('kubevirts', { observedVersion, targetVersion, outdatedWorkloads }),
    ),
)

test('states, objects and components of a range', () => {
  fc.assert(
    fc.property(kubevirts, seconds, seconds, fc.boolean(), (objects, from, to, isOver) => {
      const history = historyOf(objects)
      const all = history.of('kubevirts')
      const range = { fromMs: at(from), toMs: at(to) }
      const isWithin = ({ atMs }: { readonly atMs: number }) => atMs >= range.fromMs && atMs < range.toMs
      for (const one of all) {
        expect(statesWithin(one, range)).toEqual(one.states.filter(isWithin))
        expect(lastStateBefore(one, range.fromMs)).toBe(one.states.findLast(({ atMs }) => atMs < range.fromMs))
      }
      expect(objectsWithin(all, range)).toEqual(all.filter(({ states }) => states.some(isWithin)))
      // Of each object by itself: the newest that changed, else the newest.
      const paths = all.map((one) => {
        const alone = { ...history, of: () => [one] as never }
        return componentPath(alone, 'kubevirts', range, isOver)
      })
      const changed = paths.findLast((path) => path?.started !== undefined || path?.ended !== undefined)
      expect(componentPath(history, 'kubevirts', range, isOver)).toEqual(changed ?? paths.at(-1))
    }),
    runs,
  )
})

const handlers = objectsOf(
  fc
    .record({ desired: fc.constant(3), updated: fc.nat(3), ready: fc.nat(3), generation: fc.nat(2) })
    .map((counts): DaemonSetFacts => ({
      kind: 'daemonsets',
      ...counts,
      current: counts.desired,
      available: counts.ready,
    })),
  (_, uid) => (uid.endsWith('1') ? 'other' : 'virt-handler'),
)

test('the rollout of virt-handler in a range is that of the first DaemonSet with a start in it', () => {
  fc.assert(
    fc.property(handlers, seconds, seconds, (objects, from, to) => {
      const history = historyOf(objects)
      const range = { fromMs: at(from), toMs: at(to) }
      const own = history.of('daemonsets').filter(({ name }) => name === 'virt-handler')
      const within = own.map(({ states }) =>
        states.flatMap((state, i) => {
          const before = states[i - 1]?.facts
          const isNew = before !== undefined && state.facts.generation !== before.generation
          const { updated, desired } = state.facts
          const isStart = updated < desired && (before === undefined || updated < before.updated || isNew)
          const isWithin = state.atMs >= range.fromMs && state.atMs < range.toMs
          return isWithin ? [{ state, isStart, isMissed: isNew && !isStart }] : []
        }),
      )
      const starts = within.flatMap((states) => states.find(({ isStart }) => isStart) ?? [])
      expect(virtHandlerRollout(history, range)?.started.atMs).toBe(starts[0]?.state.atMs)
      const isMissed = within.some((states) => states.some((one) => one.isMissed))
      expect(isHandlerObserved(history, range)).toBe(own.length > 0 && !isMissed)
    }),
    runs,
  )
})

const nodes = objectsOf(
  fc.constant<NodeFacts>({
    ...{ kind: 'nodes', isReady: true, isSchedulable: true, roles: [], kubeletVersion: 'v1.34.1' },
  }),
)

test('nodes at the start of an upgrade', () => {
  fc.assert(
    fc.property(nodes, handlers, seconds, (someNodes, someHandlers, second) => {
      const history = historyOf(someNodes, someHandlers)
      const atMs = at(second)
      const isGone = ({ gone }: { readonly gone: { readonly atMs: number } | undefined }) =>
        gone !== undefined && gone.atMs <= atMs
      const all = history.of('nodes').filter((node) => node.states[0]!.atMs <= atMs && !isGone(node)).length
      const handler = history.of('daemonsets').find((one) => one.name === 'virt-handler' && !isGone(one))
      const desired = handler?.states.findLast((state) => state.atMs <= atMs)?.facts.desired
      const [first, second_] = [all > 0 ? all : desired, desired ?? (all > 0 ? all : undefined)]
      expect(nodesAtStart(history, 'openshift', atMs)).toBe(first)
      expect(nodesAtStart(history, 'kubevirt', atMs)).toBe(second_)
    }),
    runs,
  )
})

const migrations = objectsOf(
  fc
    .record({ phase: fc.constantFrom('Succeeded', 'Failed', 'Running'), made: maybe(seconds) })
    .map(({ phase, made }): MigrationFacts => ({
      ...{ kind: 'virtualmachineinstancemigrations', vmi: 'vm', phase, cause: 'workload_update' },
      ...{ phaseTimesMs: {}, conditions: [], ...(made === undefined ? {} : { createdMs: at(made) }) },
    })),
)

test('outdated VMs and migrations of a window', () => {
  fc.assert(
    fc.property(kubevirts, migrations, seconds, maybe(seconds), (objects, someMigrations, from, until) => {
      const history = historyOf(objects, someMigrations)
      const [fromMs, untilMs] = [at(from), until === undefined ? Infinity : at(until)]
      const levels: number[] = []
      const states = history.of('kubevirts').flatMap((one) => one.states)
      const counts = states.map(({ atMs, facts }) => ({ atMs, outdated: facts.outdatedWorkloads! }))
      for (const { atMs, outdated } of counts.sort((a, b) => a.atMs - b.atMs || a.outdated - b.outdated)) {
        if (atMs >= untilMs) break
        if (atMs <= fromMs) levels[0] = outdated
        else levels.push(outdated)
      }
      const failed = history.of('virtualmachineinstancemigrations').filter(({ states: own }) => {
        const { facts } = own.at(-1)!
        const madeMs = facts.createdMs ?? own[0]!.atMs
        return facts.phase === 'Failed' && madeMs >= fromMs && madeMs < untilMs
      })
      const update = workloadUpdateOf(history, { fromMs, ...(until === undefined ? {} : { untilMs }) })
      expect([update?.outdatedNow, update?.outdatedAtStart]).toEqual(
        levels.length === 0 ? [undefined, undefined] : [levels.at(-1), Math.max(...levels)],
      )
      expect(update?.migrations.failed ?? 0).toBe(failed.length)
    }),
    runs,
  )
})

const upgradeEvents = fc.array(fc.record({ isEnd: fc.boolean(), version, second: seconds }), { maxLength: 6 })

test('the exact times of an upgrade are those of the nearest events of its version', () => {
  const upgrading = (to: string) => [
    { type: 'Progressing', status: 'True' as const, reason: 'HCOUpgrading', message: `to version ${to}` },
  ]
  fc.assert(
    fc.property(upgradeEvents, seconds, seconds, (events, start, length) => {
      const states = [
        look(0, hyperConverged({ operatorVersion: '1.16.0' })),
        look(start + 60, hyperConverged({ operatorVersion: '1.16.0', conditions: upgrading('1.17.0') })),
        look(start + length + 120, hyperConverged({ operatorVersion: '1.17.0' })),
      ]
      const objects = events.map(({ isEnd, version: to, second }, i) => {
        const message = `${isEnd ? 'Successfully upgraded' : 'Upgrading the HyperConverged'} to version ${to}`
        return look(9000, overwritten(message, { reason: 'UpgradeHCO', firstMs: at(second) }), { name: `e${i}` })
      })
      const nearest = (isEnd: boolean, toMs: number, untilMs: number): number | undefined => {
        const own = events.filter((event) => event.version === '1.17.0' && event.isEnd === isEnd)
        const near = own
          .map(({ second }) => at(second))
          .filter((ms) => ms <= untilMs && Math.abs(ms - toMs) <= 601_000)
          .sort((a, b) => Math.abs(a - toMs) - Math.abs(b - toMs) || a - b)
        return near[0]
      }
      const endMs = nearest(true, at(start + length + 120), Infinity) ?? at(start + length + 120)
      const startMs = nearest(false, at(start + 60), endMs) ?? at(start + 60)
      const windows = hcoWindows(historyOf(states, objects))
      expect(windows.map(({ started, ended }) => [started?.atMs, ended?.atMs])).toEqual([[startMs, endMs]])
    }),
    runs,
  )
})

test('a version is reached at the end of the upgrade to it that is nearest, of two the first named', () => {
  const ends = fc.array(fc.record({ to: version, second: maybe(seconds) }), { maxLength: 6 })
  fc.assert(
    fc.property(kubevirts, ends, (objects, someEnds) => {
      const history = historyOf(objects.filter(({ uid }) => uid.endsWith('0')))
      const upgrades = someEnds.map(({ to, second }) => ({
        upgrade: { operator: 'kubevirt', to, state: 'succeeded', ...(second !== undefined && { endedMs: at(second) }) },
        detail: { components: [] },
      })) as unknown as readonly UpgradeRecord[]
      const reached: number[] = []
      let running: string | undefined
      for (const { facts, atMs } of history.of('kubevirts').flatMap(({ states }) => states)) {
        if (facts.observedVersion === running) continue
        running = facts.observedVersion
        let nearest: number | undefined
        for (const { upgrade } of upgrades) {
          const { to, endedMs } = upgrade
          if (to !== running || endedMs === undefined || endedMs <= (reached.at(-1) ?? -Infinity)) continue
          if (nearest === undefined || Math.abs(endedMs - atMs) < Math.abs(nearest - atMs)) nearest = endedMs
        }
        reached.push(nearest ?? atMs)
      }
      const found = (objectArrivals(history, upgrades).get('kubevirt') ?? []).filter((one) => one.version !== undefined)
      expect(found.map(({ atMs }) => atMs)).toEqual(reached.sort((a, b) => a - b))
    }),
    runs,
  )
})

test('a modification in any upgrade of HCO is in upgrade mode', () => {
  const upgrade = fc.record({
    operator: fc.constantFrom('kubevirt-hyperconverged', 'openshift'),
    startedMs: maybe(seconds.map(at)),
    endedMs: maybe(seconds.map(at)),
    state: fc.constantFrom('in_progress', 'superseded'),
  })
  fc.assert(
    fc.property(fc.array(upgrade, { maxLength: 4 }), seconds, (upgrades, second) => {
      const message = 'Overwritten KubeVirt kubevirt-kubevirt-hyperconverged'
      const history = historyOf([look(9000, overwritten(message, { firstMs: at(second), lastMs: at(second) }))])
      const records = upgrades.map((one) => ({ upgrade: one, detail: { observedUntilMs: at(300) } }))
      const isWithin = upgrades.some(({ operator, startedMs, endedMs, state }) => {
        const untilMs = endedMs ?? (state === 'in_progress' ? Infinity : at(300))
        if (operator !== 'kubevirt-hyperconverged' || startedMs === undefined) return false
        return startedMs <= at(second) && at(second) <= untilMs
      })
      const [found] = deriveModifications(history, records as unknown as readonly UpgradeRecord[])
      expect(found?.isUpgradeMode).toBe(isWithin)
    }),
    runs,
  )
})

const clusterVersions = objectsOf(
  fc
    .record({
      channel: fc.constantFrom('stable', 'fast'),
      history: fc.array(fc.record({ state: fc.constantFrom('Completed', 'Partial'), version, second: seconds }), {
        maxLength: 3,
      }),
    })
    .map(
      ({ channel, history }) =>
        ({
          ...{ kind: 'clusterversions', clusterId: 'c', channel, desiredVersion: '', conditions: [] },
          availableUpdates: [],
          history: history.map(({ second, ...entry }) => ({ ...entry, startedMs: at(second) })),
        }) as unknown as ClusterVersionFacts,
    ),
)

test('updates of OpenShift: the version before, the channel at the start, and whether the start was observed', () => {
  fc.assert(
    fc.property(clusterVersions, (objects) => {
      const history = historyOf(objects)
      const all = history.of('clusterversions')
      const states = all.flatMap((one) => one.states)
      const expected = all.flatMap((one) => {
        const entries = one.states.flatMap(({ facts }) => facts.history)
        const known = new Map(entries.map((entry) => [`${entry.version} ${entry.startedMs}`, entry]))
        const path = [...known.values()].sort((a, b) => a.startedMs! - b.startedMs!)
        return path.slice(1).map((entry, i) => {
          const from = path.slice(0, i + 1).findLast(({ state }) => state === 'Completed')?.version
          const at = (states.findLast(({ atMs }) => atMs <= entry.startedMs!) ?? states[0])!.facts.channel
          const isLive = one.states.some(({ atMs, facts }) => {
            return facts.history[0]?.startedMs === entry.startedMs && Math.abs(atMs - entry.startedMs!) <= 60_000
          })
          return [from, entry.version, at, !isLive]
        })
      })
      const found = platformUpgradesByObjects(history)
      expect(found.map((one) => [one.from, one.to, one.channel, one.started?.isReconstructed])).toEqual(expected)
    }),
    runs,
  )
})

test('a step of a CSV was observed live when a state of its transition is near it', () => {
  const phase = fc.constantFrom('Pending', 'Installing', 'Succeeded')
  const csvs = objectsOf(
    fc
      .record({ phase, changed: seconds })
      .map((one) => csv('1.17.0', { phase: one.phase, lastTransitionMs: at(one.changed) })),
    () => csvNameOf('1.17.0'),
  )
  fc.assert(
    fc.property(csvs, (objects) => {
      for (const one of historyOf(objects).of('clusterserviceversions')) {
        for (const step of csvPath(one)) {
          const { started } = step
          const isLive = one.states.some(({ facts, atMs }) => {
            if (facts.phase !== step.phase || facts.lastTransitionMs !== started.atMs) return false
            return Math.abs(atMs - started.atMs) <= 60_000
          })
          expect(started.isReconstructed).toBe(!isLive)
        }
      }
    }),
    runs,
  )
})

test('the history at rising moments is that of each moment', () => {
  fc.assert(
    fc.property(kubevirts, fc.array(seconds), (objects, moments) => {
      const history = historyOf(objects)
      const then = historyOverTime(history)
      for (const second of moments.toSorted((a, b) => a - b)) {
        const expected = history.of('kubevirts').flatMap((one) => {
          const states = one.states.slice(0, one.states.findLastIndex(({ atMs }) => atMs <= at(second)) + 1)
          const gone = one.gone !== undefined && one.gone.atMs <= at(second) ? one.gone : undefined
          return states.length === 0 ? [] : [{ ...one, states, gone }]
        })
        expect(historyAt(history, at(second)).of('kubevirts')).toEqual(expected)
        expect(then(at(second)).of('kubevirts')).toEqual(expected)
      }
    }),
    runs,
  )
})
