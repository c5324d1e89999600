import { useMemo, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ObjectChangeItem, ObjectChangeItems } from '../../../contract/fleet-changes.ts'
import { fieldWord, relevantFields } from '../../lib/cluster-timeline.ts'
import { logsPath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { applyLogView, changeKey, managerTitle, type LogView, LOG_VIEW } from '../../lib/log-view.ts'
import type { Column } from '../../ui/data-table.tsx'
import { useObjectState } from '../../query/use-logs.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { LogTable, timeColumn, type LogTableProps } from './log-table.tsx'
import styles from './object-log.module.css'

const FIELDS_MAX = 5

interface ObjectLogProps extends Pick<LogTableProps<ObjectChangeItem>, 'hasOlder' | 'onNeedMore'> {
  readonly changes: readonly ObjectChangeItem[]
  readonly view: LogView
}

/** States of objects one after the other, each with what it has that the one before had not. */
export function ObjectLog({ changes, view, ...paging }: ObjectLogProps): ReactNode {
  const shown = useMemo(() => applyLogView(changes, view), [changes, view])
  const counted =
    shown.length === changes.length
      ? countOf(changes.length, 'change')
      : `${formatCount(shown.length)} of ${countOf(changes.length, 'change')}`
  const columns = useMemo(
    (): readonly Column<ObjectChangeItem>[] => [
      timeColumn('Received', ({ at }) => at),
      {
        head: 'Object',
        kind: 'name',
        className: styles.object,
        cell: ({ kind, name, namespace }) => (
          <>
            <span className="quiet">{kind}</span>{' '}
            <Link
              href={logsPath(LOG_VIEW.searchOf({ ...view, kind, text: name }))}
              data-row
              title="Only changes of this object"
            >
              {name}
            </Link>
            {namespace === '' ? null : <span className="own-labels">{namespace}</span>}
          </>
        ),
        isBelowStacked: true,
        below: (change) => (
          <>
            <Writer change={change} />
            <Changes change={change} />
            <After cluster={view.cluster} change={change} />
          </>
        ),
      },
      {
        head: 'Last written by',
        isHiddenOnPhone: true,
        className: styles.manager,
        cell: (change) => <Writer change={change} />,
      },
      {
        head: 'Changes',
        isHiddenOnPhone: true,
        cell: (change) => (
          <>
            <Changes change={change} />
            <After cluster={view.cluster} change={change} />
          </>
        ),
      },
    ],
    [view],
  )
  return (
    <LogTable
      label="Object changes"
      counted={counted}
      rows={shown}
      rowKey={changeKey}
      columns={columns}
      {...paging}
      empty={
        <p className="empty quiet">
          No object changes{changes.length > 0 ? ' match these filters' : ' in this range'}.
        </p>
      }
    />
  )
}

interface ChangeProps {
  readonly change: ObjectChangeItem
}

/** The object after the change, loaded on demand. */
function After({ cluster, change }: ChangeProps & { readonly cluster: string }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className={styles.rest}
      onToggle={({ currentTarget }) => {
        setIsOpen(currentTarget.open)
      }}
    >
      <summary className="quiet text-tiny">Full object after this change</summary>
      {isOpen ? <ObjectState cluster={cluster} change={change} /> : null}
    </details>
  )
}

/** Nobody where its Collector does not send managed fields. */
function Writer({ change: { manager } }: ChangeProps): ReactNode {
  if (manager === null) {
    return (
      <span className="quiet" title="The Collector of this cluster does not send managed fields; update the edge kit">
        not reported
      </span>
    )
  }
  return (
    <span className="mono text-small" title={managerTitle(manager)}>
      {manager.name}
    </span>
  )
}

function Changes({ change }: ChangeProps): ReactNode {
  const fields = relevantFields(change.fields)
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
          <summary className="quiet text-tiny">{countOf(rest.length, 'more field')}</summary>
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
  if (!isFirst) return 'reported again, no change in the stored fields'
  return change === 'added' ? 'first seen, new object' : 'first seen; the earlier state is not known'
}

function Field({ field: { field, before, after } }: { readonly field: ObjectChangeItem['fields'][number] }): ReactNode {
  return (
    <li>
      <span className="mono">{field}</span>
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

/** The stored state of the object after the change. */
function ObjectState({ cluster, change }: { readonly cluster: string; readonly change: ObjectChangeItem }): ReactNode {
  const { query, path } = useObjectState(cluster, change)
  return (
    <Answer query={query} what="the object" skeletonLines={6}>
      {(found) => {
        if (found?.state === undefined) {
          return <p className="quiet">This state has expired: it is older than the retention of object states.</p>
        }
        const text = JSON.stringify(found.state, null, 2)
        return (
          <>
            <p className="quiet">
              Stored fields of {change.kind}/{change.name} at resource version {change.resourceVersion}. Fields that no
              fact is derived from are not stored.
            </p>
            <CodeBlock what="state" text={text}>
              {text}
            </CodeBlock>
            <ApiCallNote call={{ path }} />
          </>
        )
      }}
    </Answer>
  )
}
