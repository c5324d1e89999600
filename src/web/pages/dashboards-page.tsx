import { textField, viewCodec } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { DashboardSummary } from '../../contract/dashboards.ts'
import { dashboardPath, dashboardsPath, lintPath } from '../lib/paths.ts'
import { countOf } from '../lib/format-number.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { DASHBOARDS_PATH, useDashboards } from '../query/use-dashboards.ts'
import { SearchField } from '../ui/filter-bar.tsx'
import { Notice } from '../ui/notice.tsx'
import { Shape } from '../ui/shapes.tsx'
import { useFocusKeys } from '../ui/use-focus-keys.ts'
import styles from './dashboards-page.module.css'

const DASHBOARDS_VIEW = viewCodec({ text: textField('q') })

/** All loaded dashboards with their descriptions. */
export function DashboardsPage(): ReactNode {
  const query = useDashboards()
  const { view, set } = useView(DASHBOARDS_VIEW, dashboardsPath)
  useFocusKeys(`.${styles.root} h2 a`)
  return (
    <div className="page">
      <title>Dashboards · Daytwo</title>
      <PagesNav place="Explore" />
      <div className="row row-apart page-head">
        <h1>Dashboards</h1>
        <SearchField label="Find a dashboard" placeholder="Find" value={view.text} onChange={set('text')} />
      </div>
      <Answer query={query} what="the dashboards" skeletonLines={6}>
        {({ dashboards }) => <List dashboards={dashboards} text={view.text} />}
      </Answer>
      <ApiCallNote call={{ path: DASHBOARDS_PATH }} />
    </div>
  )
}

function List({
  dashboards,
  text,
}: {
  readonly dashboards: readonly DashboardSummary[]
  readonly text: string
}): ReactNode {
  const wanted = text.trim().toLowerCase()
  const found = dashboards.filter(({ name, title, description, tags }) =>
    [name, title, description, ...tags].some((said) => said.toLowerCase().includes(wanted)),
  )
  if (dashboards.length === 0) {
    return (
      <Notice kind="note" title="No dashboards">
        Put Perses YAML into the folder <code>dashboards</code>; it is read while the server runs. A Grafana dashboard
        becomes one by <code>daytwo import grafana FILE</code>.
      </Notice>
    )
  }
  if (found.length === 0) return <p className="empty quiet">No dashboard matches “{text}”.</p>
  return (
    <ul className={`${styles.root}`}>
      {found.map(({ name, title, description, tags, panels, faults, alerts }) => (
        <li key={name} className="stack box">
          <h2>
            <Link href={dashboardPath(name)}>{title}</Link>
          </h2>
          {description === '' ? null : <p>{description}</p>}
          <p className={`row quiet nums text-small ${styles.facts}`}>
            <span>{countOf(panels, 'panel')}</span>
            <span>{alerts === 0 ? 'no related alerts' : countOf(alerts, 'related alert')}</span>
            {tags.map((tag) => (
              <span key={tag} className={`box ${styles.tag}`}>
                {tag}
              </span>
            ))}
            {faults > 0 ? (
              <Link href={lintPath()}>
                <Shape name="diamond" /> {countOf(faults, 'fault')} in the file
              </Link>
            ) : null}
          </p>
        </li>
      ))}
    </ul>
  )
}
