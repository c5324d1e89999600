import { useState, type ReactNode } from 'react'
import type { RouteItem, RouteTest } from '../../contract/deliveries.ts'
import { countOf } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { parseLabels } from '../lib/silence-matchers.ts'
import { ROUTE_TEST_PATH, useRouteTest, useRouting } from '../query/use-delivery.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { submitTo, valueTo } from '../ui/form-events.ts'
import { Panel } from '../ui/panel.tsx'
import { Shape } from '../ui/shapes.tsx'
import { Answer } from './answer.tsx'
import { ApiCallNote } from './api-call-note.tsx'
import { ActionFailure } from './action-form.tsx'
import styles from './routing-panel.module.css'

/** The routing tree, and a test of the route of an alert. */
export function RoutingPanel(): ReactNode {
  const routing = useRouting()
  const test = useRouteTest()
  const [text, setText] = useState('alertname="KubeVirtCRModified", severity="critical"')
  const labels = parseLabels(text)
  const matches = test.data?.matches
  return (
    <Panel title="Routing" aside="receivers by label">
      <form
        className="form"
        onSubmit={submitTo(() => {
          if (labels !== undefined) test.mutate(labels)
        })}
      >
        <label className="field">
          <span>Labels of an alert</span>
          <input
            type="text"
            className="code-field"
            value={text}
            spellCheck={false}
            autoCapitalize="none"
            onChange={valueTo(setText)}
          />
        </label>
        <div className="row form-actions">
          <Button type="submit" isDisabled={labels === undefined || test.isPending}>
            Test routing
          </Button>
          {labels === undefined ? (
            <span className="quiet">Expected format: {'severity="critical", cluster="prod-1"'}.</span>
          ) : null}
          <span role="status">{matches === undefined ? null : <Where matches={matches} />}</span>
        </div>
        {test.error === null ? null : <ActionFailure what="test the routing" failure={test.error} />}
      </form>
      <Answer query={routing} what="the routing tree" skeletonLines={4}>
        {(root) => (
          <ul className={classNames(styles.tree, 'spaced')} aria-label="Routes">
            <RouteNode route={root} path={[]} matches={matches ?? []} isRoot />
          </ul>
        )}
      </Answer>
      <ApiCallNote title="API call of the test" call={{ method: 'POST', path: ROUTE_TEST_PATH, body: { labels } }} />
    </Panel>
  )
}

function Where({ matches }: { readonly matches: RouteTest['matches'] }): ReactNode {
  if (matches.length === 0) return <strong>No receiver.</strong>
  return (
    <>
      To <strong>{matches.map(({ receiver }) => receiver).join(', then ')}</strong>
    </>
  )
}

interface RouteNodeProps {
  readonly route: RouteItem
  /** Indices from the root to the route. */
  readonly path: readonly number[]
  readonly matches: RouteTest['matches']
  readonly isRoot?: boolean
}

function RouteNode({ route, path, matches, isRoot = false }: RouteNodeProps): ReactNode {
  const key = path.join(' ')
  const isHit = matches.some((match) => match.path.join(' ') === key)
  const isOnWay = matches.some((match) => match.path.slice(0, path.length).join(' ') === key)
  const { receiver, matchers, routes } = route
  return (
    <li>
      <div className={classNames(styles.route, isHit && styles.match, isOnWay && styles.onPath)}>
        <p>
          {isHit ? <Shape name="check" /> : null} <strong>{receiver}</strong>{' '}
          {isRoot ? <span className="quiet">default route</span> : <code>{matchers.join(', ')}</code>}
          {isHit ? <span className="visually-hidden"> (matches)</span> : null}
        </p>
        <p className="quiet">{timingSentence(route)}</p>
      </div>
      {routes.length === 0 ? null : (
        <ul aria-label={`${countOf(routes.length, 'route')} below ${receiver}`}>
          {routes.map((child, i) => (
            <RouteNode key={i} route={child} path={[...path, i]} matches={matches} />
          ))}
        </ul>
      )}
    </li>
  )
}

function timingSentence(route: RouteItem): string {
  const { groupBy, groupWaitMs, groupIntervalMs, repeatIntervalMs, muteTimeIntervals, activeTimeIntervals } = route
  return [
    groupBy.length === 0 ? 'one group' : `grouped by ${groupBy.join(', ')}`,
    `group wait ${formatAge(groupWaitMs)}`,
    `group interval ${formatAge(groupIntervalMs)}`,
    `repeat interval ${formatAge(repeatIntervalMs)}`,
    ...(muteTimeIntervals.length === 0 ? [] : [`muted in ${muteTimeIntervals.join(', ')}`]),
    ...(activeTimeIntervals.length === 0 ? [] : [`only in ${activeTimeIntervals.join(', ')}`]),
    ...(route.continues ? ['continues to the next route'] : []),
  ].join(', ')
}
