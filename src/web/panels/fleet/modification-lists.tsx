import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ModificationItem } from '../../../contract/fleet-modifications.ts'
import { clusterPath } from '../../lib/fleet-paths.ts'
import { operatorName } from '../../lib/operator-words.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { groupEdits, groupPatches, PATCH_HAZARD_WORDS } from '../../lib/patch-hazards.ts'
import type { EditGroup, PatchTarget } from '../../lib/patch-hazards.ts'
import { BlockChart } from '../../ui/block-chart.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { Since } from '../../ui/time.tsx'
import styles from './modification-lists.module.css'

/** JSON patches by what makes them unsafe, each target with the clusters that have it. */
export function PatchGroups({
  patches,
  goneClusters,
}: {
  readonly patches: readonly ModificationItem[]
  readonly goneClusters: readonly string[]
}): ReactNode {
  const groups = groupPatches(patches)
  if (groups.length === 0) return <p className="quiet">No patch stands, as far as is told.</p>
  return groups.map(({ hazard, targets, clusters }) => (
    <section key={hazard} className={styles.group} aria-labelledby={`patch-${hazard}`}>
      <h3 id={`patch-${hazard}`}>
        {PATCH_HAZARD_WORDS[hazard].name} <span className="quiet">on {countOf(clusters, 'cluster')}</span>
      </h3>
      <p className="quiet">{PATCH_HAZARD_WORDS[hazard].meaning}</p>
      <table className="data-table" aria-label={PATCH_HAZARD_WORDS[hazard].name}>
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Clusters</th>
            <th scope="col" className="cell-number cell-beside">
              Oldest
            </th>
          </tr>
        </thead>
        <tbody>
          {targets.map((target) => (
            <PatchRow key={`${target.component} ${target.path}`} target={target} goneClusters={goneClusters} />
          ))}
        </tbody>
      </table>
    </section>
  ))
}

const CLUSTERS_SHOWN = 6

interface PatchRowProps {
  readonly target: PatchTarget
  readonly goneClusters: readonly string[]
}

function PatchRow({ target: { component, path, patches }, goneClusters }: PatchRowProps): ReactNode {
  const [areAllShown, setAllShown] = useState(false)
  const clusters = [...new Map(patches.map((patch) => [patch.cluster, patch])).values()]
  const shown = areAllShown ? clusters : clusters.slice(0, CLUSTERS_SHOWN)
  const began = patches.flatMap(({ startedAt }) => (startedAt === null ? [] : [Date.parse(startedAt)]))
  return (
    <tr>
      <td className="cell-name">
        {operatorName(component)}{' '}
        {path === '' ? <span className="quiet">{patches[0]?.text}</span> : <code>{path}</code>}
      </td>
      <td className={styles.clusters}>
        {shown.map(({ cluster, endedAt, operations }) => (
          <span key={cluster} className="inline-item" title={operations === null ? '' : JSON.stringify(operations)}>
            <Link href={clusterPath(cluster)}>{cluster}</Link>
            {goneClusters.includes(cluster) ? ' (gone)' : endedAt === null ? '' : ' (removed)'}
          </span>
        ))}{' '}
        {clusters.length > shown.length ? (
          <Button
            variant="link"
            size="sm"
            isInline
            onClick={() => {
              setAllShown(true)
            }}
          >
            and {formatCount(clusters.length - shown.length)} more
          </Button>
        ) : null}
      </td>
      <td className="cell-number cell-beside">
        {began.length === 0 ? 'not known' : <Since atMs={Math.min(...began)} suffix=" ago" />}
      </td>
    </tr>
  )
}

const ROWS_STEP = 50

/** Who is edited past the operator: how often, and at which hours. */
export function EditTable({
  edits,
  goneClusters,
  nowMs,
}: {
  readonly edits: readonly ModificationItem[]
  readonly goneClusters: readonly string[]
  readonly nowMs: number
}): ReactNode {
  const [shown, setShown] = useState(ROWS_STEP)
  const { zone } = usePreferences()
  const groups = groupEdits(edits, nowMs, (ms) =>
    zone === 'utc' ? new Date(ms).getUTCHours() : new Date(ms).getHours(),
  )
  if (groups.length === 0) return <p className="quiet">No edit was seen, as far as is told.</p>
  const most = Math.max(...groups.flatMap(({ hours }) => hours))
  return (
    <>
      <table className="data-table" aria-label="Edits by component and cluster">
        <thead>
          <tr>
            <th scope="col">Component</th>
            <th scope="col">Cluster</th>
            <th scope="col" className="cell-number">
              Edits
            </th>
            <th scope="col" className="cell-number cell-beside">
              A day
            </th>
            <th scope="col" className={classNames('cell-beside', styles.hours)}>
              By hour of the day ({zone === 'utc' ? 'UTC' : 'local'})
            </th>
            <th scope="col" className="cell-number">
              Last
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, shown).map((group) => (
            <EditRow
              key={`${group.component} ${group.cluster}`}
              group={group}
              most={most}
              isGone={goneClusters.includes(group.cluster)}
            />
          ))}
        </tbody>
      </table>
      {groups.length > shown ? (
        <Button
          variant="link"
          onClick={() => {
            setShown(shown + 4 * ROWS_STEP)
          }}
        >
          Show more: {countOf(groups.length - shown, 'row')} left
        </Button>
      ) : null}
    </>
  )
}

interface EditRowProps {
  readonly group: EditGroup
  /** Of any hour of any group. */
  readonly most: number
  readonly isGone: boolean
}

function EditRow({ group, most, isGone }: EditRowProps): ReactNode {
  const { component, cluster, edits, bursts, lastMs, perDay, hours } = group
  return (
    <tr>
      <td>{operatorName(component)}</td>
      <td className="cell-name">
        <Link href={clusterPath(cluster)}>{cluster}</Link>
        {isGone ? ' (gone)' : ''}
      </td>
      <td className="cell-number nums" title={`in ${countOf(bursts, 'burst')}`}>
        {formatCount(edits)}
      </td>
      <td className="cell-number cell-beside nums">{perDay < 1 ? '< 1' : perDay.toFixed(1)}</td>
      <td className={classNames('cell-beside', styles.hours)}>
        <BlockChart values={hours} most={most} label={hoursText(hours)} />
      </td>
      <td className="cell-number">
        <Since atMs={lastMs} suffix=" ago" />
      </td>
    </tr>
  )
}

function hoursText(hours: readonly number[]): string {
  const told = hours.flatMap((count, hour) => (count === 0 ? [] : [`${formatCount(count)} at ${hour} h`]))
  return `Edits by hour: ${told.join(', ')}`
}
