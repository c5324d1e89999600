import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { DeliveryItem } from '../../contract/deliveries.ts'
import { reasonWords } from '../lib/alert-marks.ts'
import { countOf } from '../lib/format-number.ts'
import { clusterOfGroup } from '../lib/alert-labels.ts'
import { alertPath } from '../lib/paths.ts'
import { useDelivery } from '../query/use-delivery.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { Moment, Since, Until } from '../ui/time.tsx'
import { UnfoldButton } from '../ui/unfold-button.tsx'
import { Answer } from './answer.tsx'
import { ClusterLink } from './cluster-link.tsx'
import { latencyText, OutcomeMark } from './delivery-line.tsx'

/** Notification attempts; each unfolds to its request and response. */
export function DeliveryTable({ deliveries }: { readonly deliveries: readonly DeliveryItem[] }): ReactNode {
  const [openId, setOpenId] = useState<number>()
  const alerts: Column<DeliveryItem> = {
    head: 'Alerts',
    kind: 'name',
    cell: ({ id, alertnames, alerts: count }) => (
      <UnfoldButton
        isOpen={id === openId}
        onToggle={() => {
          setOpenId(id === openId ? undefined : id)
        }}
      >
        {alertnames.map((name) => (
          <span key={name} className="inline-item">
            <AlertName name={name} />
          </span>
        ))}{' '}
        <span className="quiet nums cell-nowrap">{countOf(count, 'alert')}</span>
      </UnfoldButton>
    ),
    below: (delivery) => (
      <>
        {clusterLink(delivery)}
        <span>
          to {delivery.receiver} by {delivery.integration}
        </span>
        <span>{reasonWords(delivery.reason)}</span>
      </>
    ),
  }
  return (
    <DataTable
      label="Deliveries"
      columns={[alerts, ...COLUMNS]}
      rows={deliveries}
      rowKey={({ id }) => id}
      detail={({ id }) => (id === openId ? <DeliveryDetail id={id} /> : null)}
    />
  )
}

const COLUMNS: readonly Column<DeliveryItem>[] = [
  {
    head: 'Cluster',
    isHiddenOnPhone: true,
    cell: (delivery) => clusterLink(delivery) ?? <span className="quiet">in the message</span>,
  },
  {
    head: 'Receiver',
    isHiddenOnPhone: true,
    cell: ({ receiver, integration }) => (
      <>
        {receiver} <span className="quiet">{integration}</span>
      </>
    ),
  },
  { head: 'Reason', isHiddenOnPhone: true, cell: ({ reason }) => reasonWords(reason) },
  {
    head: 'Outcome',
    cell: ({ outcome, status, attempt }) => (
      <>
        <OutcomeMark outcome={outcome} />
        <span className="quiet nums text-small outcome-note">
          {[...(status === undefined ? [] : [`status ${status}`]), ...(attempt > 1 ? [`attempt ${attempt}`] : [])].join(
            ', ',
          )}
        </span>
      </>
    ),
  },
  { head: 'Duration', kind: 'number', isHiddenOnPhone: true, cell: ({ latencyMs }) => latencyText(latencyMs) },
  { head: 'When', kind: 'number', cell: ({ atMs }) => <Since atMs={atMs} suffix=" ago" /> },
]

/** The cluster of the alert group; absent where a notification covers several clusters. */
function clusterLink({ groupKey }: DeliveryItem): ReactNode {
  const cluster = clusterOfGroup(groupKey)
  return cluster === undefined ? undefined : <ClusterLink cluster={cluster} />
}

function DeliveryDetail({ id }: { readonly id: number }): ReactNode {
  const query = useDelivery(id)
  return (
    <Answer query={query} what="the attempt" skeletonLines={4}>
      {({ atMs, target, groupKey, error, retryAtMs, fingerprints, payload, answer }) => (
        <>
          {error === undefined ? null : <p className="tone-critical">{error}</p>}
          <FactList
            facts={[
              { name: 'at', value: <Moment atMs={atMs} /> },
              { name: 'to', value: target },
              { name: 'group key', value: <code>{groupKey}</code> },
              retryAtMs === undefined
                ? undefined
                : {
                    name: 'next try',
                    value: (
                      <>
                        in <Until atMs={retryAtMs} />
                      </>
                    ),
                  },
              {
                name: 'alerts',
                value: fingerprints.map((fingerprint) => (
                  <span key={fingerprint} className="inline-item">
                    <Link href={alertPath(fingerprint)}>{fingerprint}</Link>
                  </span>
                )),
              },
            ]}
          />
          {payload === undefined ? null : <Body what="Request" text={payload} />}
          {answer === undefined ? null : <Body what="Response" text={answer} />}
        </>
      )}
    </Answer>
  )
}

function Body({ what, text }: { readonly what: string; readonly text: string }): ReactNode {
  const readable = indented(text)
  return (
    <CodeBlock what={what} text={readable} bar={what}>
      {readable}
    </CodeBlock>
  )
}

/** JSON over several lines; anything else, such as the beginning of a long one, as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
