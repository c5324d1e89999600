import type { Now } from '../../contract/now.ts'
import { steadyRows, type ListChanges, type Steady } from './steady-list.ts'

/** The landing page as it is read: its lists keep their rows, its numbers are the newest. Pure. */

type ListName = 'stuck' | 'upgrading' | 'following' | 'waiting' | 'silent' | 'fallingEdges'

/** An answer whose rows may be gone. */
export type SteadyNow = Omit<Now, ListName | 'firing'> & {
  readonly [K in ListName]: Omit<Now[K], 'items'> & { readonly items: readonly Steady<Now[K]['items'][number]>[] }
} & {
  readonly firing: Omit<Now['firing'], 'groups'> & {
    readonly groups: readonly Steady<Now['firing']['groups'][number]>[]
  }
}

const groupKey = ({ alertname, severity, healthImpact }: Now['firing']['groups'][number]): string =>
  `${alertname} ${severity} ${healthImpact}`

/** @param read as it was when the reader last asked for it */
export function steadyNow(read: Now, newest: Now): { readonly now: SteadyNow; readonly news: ListChanges } {
  let [newCount, goneCount] = [0, 0]
  const steady = <T extends object>(before: readonly T[], after: readonly T[], keyOf: (row: T) => string) => {
    const list = steadyRows(before, after, keyOf)
    newCount += list.added.length
    goneCount += list.goneCount
    return list.rows
  }
  const { stuck, upgrading, following, waiting, silent, firing, fallingEdges } = newest
  const now = {
    ...newest,
    stuck: { ...stuck, items: steady(read.stuck.items, stuck.items, ({ id }) => id) },
    upgrading: { ...upgrading, items: steady(read.upgrading.items, upgrading.items, ({ id }) => id) },
    following: { ...following, items: steady(read.following.items, following.items, ({ id }) => id) },
    waiting: { ...waiting, items: steady(read.waiting.items, waiting.items, ({ id }) => id) },
    silent: { ...silent, items: steady(read.silent.items, silent.items, ({ cluster }) => cluster) },
    firing: { ...firing, groups: steady(read.firing.groups, firing.groups, groupKey) },
    fallingEdges: {
      ...fallingEdges,
      items: steady(
        read.fallingEdges.items,
        fallingEdges.items,
        ({ operator, from, to, against }) => `${operator} ${from} ${to} ${against}`,
      ),
    },
  }
  return { now, news: { newCount, goneCount } }
}
