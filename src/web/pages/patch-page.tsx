import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PatchDetailItem, PatchMemberItem } from '../../contract/fleet-patches.ts'
import { operatorName } from '../lib/fleet-names.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { PATCH_VIEW, patchMarkdown, removeCommand } from '../lib/patch-text.ts'
import { clusterPath, patchesPath, patchPath, runbookPath } from '../lib/paths.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { FleetCoverageNote } from '../panels/fleet/fleet-coverage.tsx'
import { CopiedText, PatchClasses, PatchFindings } from '../panels/fleet/patch-parts.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useView } from '../panels/use-view.ts'
import { patchCall, usePatch } from '../query/use-patches.ts'
import { useMoment } from '../query/use-moment.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'
import { TitleLine } from '../ui/title-line.tsx'

/** One JSON patch: what breaks, what to set instead, what it changes, and where it is. */
export function PatchPage({ patchKey }: { readonly patchKey: string }): ReactNode {
  const {
    view: { to },
  } = useView(PATCH_VIEW, (search) => patchPath(patchKey, search))
  const query = usePatch(patchKey, to)
  return (
    <div className="page">
      <title>JSON patch · Daytwo</title>
      <PagesNav place="Fleet" />
      <Answer query={query} what="the JSON patch" skeletonLines={12}>
        {({ pages }) => {
          const [first] = pages
          if (first === undefined) return null
          return (
            <>
              <PatchHead detail={first} to={to} />
              <FindingPanels detail={first} />
              <ChangePanel detail={first} />
              <Panel title="Clusters" aside={<FleetCoverageNote coverage={first.coverage} />}>
                <DataTable
                  label="Clusters with this patch"
                  columns={MEMBER_COLUMNS}
                  rows={pages.flatMap(({ members }) => members)}
                  rowKey={({ cluster }, i) => `${cluster} ${i}`}
                  csvName="clusters-with-this-patch"
                />
                <MoreButton query={query} text="Show more" />
              </Panel>
            </>
          )
        }}
      </Answer>
      <ApiCallNote call={{ path: patchCall(patchKey, to, useMoment()) }} />
    </div>
  )
}

function PatchHead({ detail, to }: { readonly detail: PatchDetailItem; readonly to: string }): ReactNode {
  const { component, clusters, breaking, classes, operations, text } = detail
  return (
    <>
      <TitleLine
        title={`JSON patch of ${operatorName(component)}`}
        tools={<CopyButton text={patchMarkdown(detail, location.href)} label="Copy as Markdown" />}
      >
        <PatchClasses classes={classes} />
        <span className="quiet">
          on {countOf(clusters, 'cluster')}
          {breaking === 0 ? '' : `, broken by the upgrade on ${formatCount(breaking)}`}
        </span>
        <Link href={patchesPath({ to })}>All patches</Link>
      </TitleLine>
      <CopiedText what="annotation" text={operations === null ? text : JSON.stringify(operations, null, 2)} />
    </>
  )
}

/** The findings for each pair of versions, and what to do about them. */
function FindingPanels({ detail }: { readonly detail: PatchDetailItem }): ReactNode {
  const { variants, proposal, annotation } = detail
  return (
    <>
      {variants.map(({ installed, target, apiVersion, clusters, findings }) => (
        <Panel
          key={`${installed ?? ''} ${target ?? ''} ${apiVersion ?? ''}`}
          title={`HCO ${installed ?? 'not reported'} to ${target ?? 'a later version (none is known)'}`}
          aside={countOf(clusters, 'cluster')}
        >
          <PatchFindings findings={findings} />
        </Panel>
      ))}
      <Panel title="What to do" aside={<Link href={runbookPath('UnsupportedHCOModification')}>Runbook</Link>}>
        {proposal === null ? (
          <p>HyperConverged has no field for this patch.</p>
        ) : (
          <>
            <p>
              Merge this into HyperConverged ({proposal.apiVersion}
              {proposal.from === 'installed' ? '' : ', after the upgrade'}). Lists replace those of HyperConverged: add
              the items that are there.
            </p>
            <CopiedText what="HyperConverged" text={proposal.yaml} />
          </>
        )}
        {annotation === null ? null : (
          <>
            <p>Then remove the annotation. Operations that are still needed have to be set again without the others.</p>
            <CopiedText what="command" text={removeCommand(annotation)} />
          </>
        )}
      </Panel>
    </>
  )
}

function ChangePanel({ detail: { differences, differencesOf } }: { readonly detail: PatchDetailItem }): ReactNode {
  if (differencesOf === null) return null
  return (
    <Panel title="What the patch changes" aside={`defaults of HCO ${differencesOf.version}`}>
      <p className="quiet">
        Operands of clusters are not stored: the comparison is with the operand that HCO {differencesOf.version} makes
        without any settings in HyperConverged.
      </p>
      <DataTable
        label="Changed fields"
        columns={CHANGE_COLUMNS}
        rows={differences}
        rowKey={({ path }) => path}
        empty={<p>No field changes.</p>}
      />
    </Panel>
  )
}

const code = (text: string | null): ReactNode =>
  text === null ? <span className="quiet">not set</span> : <code>{text}</code>

const CHANGE_COLUMNS: readonly Column<PatchDetailItem['differences'][number]>[] = [
  { head: 'Field', kind: 'name', cell: ({ path }) => <code>{path}</code> },
  { head: 'Without the patch', cell: (one) => code(one.without) },
  { head: 'With the patch', cell: (one) => code(one.with) },
]

const MEMBER_COLUMNS: readonly Column<PatchMemberItem>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    cell: ({ cluster }) => (
      <Link href={clusterPath(cluster)} data-row>
        {cluster}
      </Link>
    ),
    csv: ({ cluster }) => cluster,
  },
  { head: 'HCO', isOneLine: true, cell: ({ version }) => version ?? 'not known', csv: ({ version }) => version },
  { head: 'To', isOneLine: true, cell: ({ target }) => target ?? 'none known', csv: ({ target }) => target },
  {
    head: 'Class',
    isHiddenOnPhone: true,
    cell: ({ classes }) => <PatchClasses classes={classes} />,
    csv: ({ classes }) => classes.join(' '),
  },
  {
    head: 'Breaks',
    cell: ({ breaking }) => (breaking ? <strong className="tone-critical">yes</strong> : 'no'),
    csv: ({ breaking }) => String(breaking),
  },
  { head: 'Set by', isHiddenOnPhone: true, cell: ({ by }) => by ?? 'not reported', csv: ({ by }) => by },
  { head: 'Since', cell: ({ since }) => <Ago at={since} none="before the first report" />, csv: ({ since }) => since },
]
