import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { DifferenceItem, DifferencesAnswer } from '../../../contract/fleet-configuration.ts'
import { countOf } from '../../lib/format-number.ts'
import { clusterPath, configurationPath, settingPath } from '../../lib/paths.ts'
import { valueText } from '../../lib/setting-text.ts'
import { differencesCall, useDifferences } from '../../query/use-configuration.ts'
import { useMoment } from '../../query/use-moment.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Ago } from '../../ui/time.tsx'
import { Answer } from '../answer.tsx'

/** How the settings of a cluster differ from the baseline cluster or from most clusters. */
export function ClusterDifferences({ cluster }: { readonly cluster: string }): ReactNode {
  const query = useDifferences(cluster)
  const moment = useMoment()
  return (
    <Panel title="Configuration differences" aside={<Link href={configurationPath()}>configuration of the fleet</Link>}>
      <Answer query={query} what="the differences" skeletonLines={3} call={differencesCall(cluster, moment)}>
        {(answer) => <Differences answer={answer} />}
      </Answer>
    </Panel>
  )
}

function Differences({ answer }: { readonly answer: DifferencesAnswer }): ReactNode {
  const { cluster, reference, compared, differences } = answer
  if (reference === cluster) return <p className="quiet">This is the baseline cluster: others are compared with it.</p>
  if (compared === 0) return <p className="quiet">Not known: the settings of HyperConverged are not reported.</p>
  return (
    <>
      <p className="quiet">
        {countOf(differences.length, 'setting')} of {compared} differ from{' '}
        {reference === null ? (
          'most clusters'
        ) : (
          <>
            the baseline <Link href={clusterPath(reference)}>{reference}</Link>
          </>
        )}
        . Defaults of other versions do not differ.
      </p>
      {differences.length === 0 ? null : (
        <DataTable label="Configuration differences" columns={COLUMNS} rows={differences} rowKey={({ name }) => name} />
      )}
    </>
  )
}

const COLUMNS: readonly Column<DifferenceItem>[] = [
  {
    head: 'Setting',
    kind: 'name',
    cell: ({ name }) => <Link href={settingPath(name)}>{name.replace(/^featureGates\./, '')}</Link>,
    isBelowStacked: true,
    below: (one) => <WrittenBy one={one} />,
  },
  { head: 'Here', cell: ({ value, default: isDefault }) => valueText({ value, isDefault }) },
  {
    head: 'Expected',
    cell: ({ expected, expectedDefault }) => valueText({ value: expected, isDefault: expectedDefault }),
  },
  { head: 'Set', isHiddenOnPhone: true, cell: (one) => <WrittenBy one={one} /> },
]

function WrittenBy({ one: { since, by } }: { readonly one: Pick<DifferenceItem, 'since' | 'by'> }): ReactNode {
  return (
    <>
      <Ago at={since} none="before the first report" />
      {by === null ? null : (
        <>
          {' '}
          by <code>{by}</code>
        </>
      )}
    </>
  )
}
