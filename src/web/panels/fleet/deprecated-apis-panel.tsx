import type { ReactNode } from 'react'
import type { DeprecatedApiItem } from '../../../contract/fleet-configuration.ts'
import { countOf } from '../../lib/format-number.ts'
import { useDeprecatedApis } from '../../query/use-configuration.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Answer } from '../answer.tsx'
import { ClusterNames } from './cluster-names.tsx'

/** Deprecated versions of APIs that are requested, by whom, and what breaks with a target. */
export function DeprecatedApisPanel({ target }: { readonly target: string }): ReactNode {
  return (
    <Panel title="Deprecated APIs">
      <Answer query={useDeprecatedApis(target)} what="the deprecated APIs" skeletonLines={4}>
        {({ apis, withClients }) => (
          <>
            <p className="quiet">
              API servers report which versions are requested; who requests them is known from OpenShift&apos;s
              APIRequestCount objects, which {countOf(withClients, 'cluster')} {withClients === 1 ? 'sends' : 'send'}.
            </p>
            <DataTable
              label="Deprecated APIs"
              columns={target === '' ? COLUMNS : [...COLUMNS, BREAKS]}
              rows={apis}
              rowKey={({ group, version, resource }) => `${resource}.${version}.${group}`}
              csvName="deprecated-apis"
              empty={<p className="quiet">No cluster reports a request to a deprecated API.</p>}
            />
          </>
        )}
      </Answer>
    </Panel>
  )
}

const COLUMNS: readonly Column<DeprecatedApiItem>[] = [
  {
    head: 'API',
    kind: 'name',
    cell: ({ group, version, resource }) => <code>{`${resource}.${version}${group === '' ? '' : `.${group}`}`}</code>,
    csv: ({ group, version, resource }) => `${resource}.${version}.${group}`,
    isBelowStacked: true,
    below: ({ clusters }) => <ClusterNames clusters={clusters} />,
  },
  { head: 'Removed', cell: (api) => removalText(api), csv: (api) => removalText(api) },
  {
    head: 'Clients',
    cell: ({ clients }) =>
      clients.length === 0 ? (
        <span className="quiet">not reported</span>
      ) : (
        clients.map(({ client, clusters }) => (
          <span key={client} className="inline-item">
            <code>{client}</code> <span className="quiet nums">({clusters.count})</span>
          </span>
        ))
      ),
    csv: ({ clients }) => clients.map(({ client }) => client).join(' '),
  },
  {
    head: 'Clusters',
    isHiddenOnPhone: true,
    cell: ({ clusters }) => <ClusterNames clusters={clusters} />,
    csv: ({ clusters }) => clusters.count,
  },
]

const BREAKS: Column<DeprecatedApiItem> = {
  head: 'Breaks with the target',
  cell: ({ breaksOn }) => <ClusterNames clusters={breaksOn} none="no cluster" />,
  csv: ({ breaksOn }) => breaksOn.count,
}

function removalText({ removals }: DeprecatedApiItem): string {
  if (removals.length === 0) return 'no date announced'
  return removals
    .map(({ by, release }) => (by === 'kubernetes' ? `in Kubernetes ${release}` : `after HCO ${release}`))
    .join(', ')
}
