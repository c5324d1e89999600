import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ObjectChangeItem, ObjectChangeItems } from '../../../contract/fleet-changes.ts'
import { fieldWord, tellingFields } from '../../lib/cluster-timeline.ts'
import { logsPath } from '../../lib/explore-paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { applyLogView, changeKey, managerTitle, searchOfLogView } from '../../lib/log-view.ts'
import type { LogView } from '../../lib/log-view.ts'
import { Moment } from '../../ui/time.tsx'
import { VirtualRow } from '../../ui/virtual-row.tsx'
import type { RowPlace } from '../../ui/virtual-row.tsx'
import { LogTable } from './log-table.tsx'
import { ObjectState } from './object-state.tsx'
import tableStyles from './log-table.module.css'
import styles from './object-log.module.css'

const FIELDS_MAX = 5

interface ObjectLogProps {
  readonly changes: readonly ObjectChangeItem[]
  readonly view: LogView
  /** Parameters of the address that are not of the view: the time. */
  readonly more: Readonly<Record<string, string>>
  readonly hasOlder: boolean
  readonly onNeedMore: () => void
}

/** States of objects one after the other, each with what it has that the one before had not. */
export function ObjectLog({ changes, view, more, hasOlder, onNeedMore }: ObjectLogProps): ReactNode {
  const shown = useMemo(() => applyLogView(changes, view), [changes, view])
  const counted =
    shown.length === changes.length
      ? countOf(changes.length, 'change')
      : `${formatCount(shown.length)} of ${countOf(changes.length, 'change')}`
  return (
    <LogTable
      label="Object changes"
      counted={counted}
      count={shown.length}
      hasOlder={hasOlder}
      onNeedMore={onNeedMore}
      timeHead="Seen"
      head={
        <>
          <th scope="col" className={styles.object}>
            Object
          </th>
          <th scope="col" className={`cell-beside ${styles.manager}`}>
            Last written by
          </th>
          <th scope="col" className="cell-beside">
            What changed
          </th>
        </>
      }
      renderRow={(index, place) => {
        const change = shown[index]!
        return (
          <Row
            key={changeKey(change)}
            cluster={view.cluster}
            change={change}
            path={logsPath({ ...searchOfLogView({ ...view, kind: change.kind, text: change.name }), ...more })}
            place={place}
          />
        )
      }}
      empty={
        <p className="empty quiet">
          Nothing that is watched changed in this time{changes.length > 0 ? ' that passes these filters' : ''}.
        </p>
      }
    />
  )
}

interface RowProps {
  readonly cluster: string
  readonly change: ObjectChangeItem
  readonly path: string
  readonly place: RowPlace
}

function Row({ cluster, change, path, place }: RowProps): ReactNode {
  const { at, kind, namespace, name } = change
  return (
    <VirtualRow {...place}>
      <td className={`nums ${tableStyles.time}`}>
        <Moment atMs={Date.parse(at)} />
      </td>
      <td className={`cell-name ${styles.object}`}>
        <span className="quiet">{kind}</span>{' '}
        <Link href={path} data-row title="Only what changed of this object">
          {name}
        </Link>
        {namespace === '' ? null : <span className={tableStyles.second}>{namespace}</span>}
        <div className="cell-below cell-below-block">
          <Writer change={change} />
          <Changes change={change} />
          <After cluster={cluster} change={change} />
        </div>
      </td>
      <td className={`cell-beside ${styles.manager}`}>
        <Writer change={change} />
      </td>
      <td className="cell-beside">
        <Changes change={change} />
        <After cluster={cluster} change={change} />
      </td>
    </VirtualRow>
  )
}

/** What the object was then; asked for when somebody wants to know. */
function After({ cluster, change }: Pick<RowProps, 'cluster' | 'change'>): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className={styles.rest}
      onToggle={({ currentTarget }) => {
        setIsOpen(currentTarget.open)
      }}
    >
      <summary>The whole object after this change</summary>
      {isOpen ? <ObjectState cluster={cluster} change={change} /> : null}
    </details>
  )
}

/** Nobody where its Collector does not send managed fields. */
function Writer({ change: { manager } }: { readonly change: ObjectChangeItem }): ReactNode {
  if (manager === null) {
    return (
      <span className="quiet" title="Its Collector sends no managed fields; the edge kit of today does">
        not told
      </span>
    )
  }
  return (
    <span className={`text-small ${styles.name}`} title={managerTitle(manager)}>
      {manager.name}
    </span>
  )
}

function Changes({ change }: { readonly change: ObjectChangeItem }): ReactNode {
  const fields = tellingFields(change.fields)
  const others = change.fields.filter((field) => !fields.includes(field))
  const rest = [...fields.slice(FIELDS_MAX), ...others]
  return (
    <>
      <ul className={`plain-list ${styles.changes}`}>
        {fields.length === 0 ? <li className="quiet">{saysWithoutFields(change)}</li> : null}
        {change.change === 'deleted' && fields.length > 0 ? <li>deleted</li> : null}
        {fields.slice(0, FIELDS_MAX).map((field) => (
          <Field key={field.field} field={field} />
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details className={styles.rest}>
          <summary>{countOf(rest.length, 'more field')}</summary>
          <ul className={`plain-list ${styles.changes}`}>
            {rest.map((field) => (
              <Field key={field.field} field={field} />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function saysWithoutFields({ change, isFirst }: ObjectChangeItem): string {
  if (change === 'deleted') return 'deleted'
  if (!isFirst) return 'told again, nothing that is kept changed'
  return change === 'added' ? 'first seen, as new' : 'first seen; what it was before is not known'
}

function Field({ field: { field, before, after } }: { readonly field: ObjectChangeItem['fields'][number] }): ReactNode {
  return (
    <li>
      <span className={styles.name}>{field}</span>
      {before === null ? null : (
        <>
          {' '}
          <del>{fieldWord(before)}</del>
        </>
      )}
      <span className="quiet"> → </span>
      {after === null ? <span className="quiet">none</span> : <ins>{fieldWord(after)}</ins>}
    </li>
  )
}

/** Pages as one list; what ends one page begins the next. */
export function changesOf(pages: readonly ObjectChangeItems[]): readonly ObjectChangeItem[] {
  const byKey = new Map<string, ObjectChangeItem>()
  for (const { changes } of pages) for (const change of changes) byKey.set(changeKey(change), change)
  return [...byKey.values()]
}
