import { Fragment, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { DeliveryItem } from '../../contract/deliveries.ts'
import { reasonWords } from '../lib/alert-marks.ts'
import { clusterPath } from '../lib/fleet-paths.ts'
import { countOf } from '../lib/format-number.ts'
import { clusterOfGroup } from '../lib/group-key.ts'
import { alertPath } from '../lib/paths.ts'
import { useDelivery } from '../query/use-delivery.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { Icon } from '../ui/icon.tsx'
import { Moment, Since, Until } from '../ui/time.tsx'
import { Answer } from './answer.tsx'
import { latencyText, OutcomeMark } from './delivery-line.tsx'

/** Attempts to tell somebody; each opens to what was sent and what was answered. */
export function DeliveryTable({ deliveries }: { readonly deliveries: readonly DeliveryItem[] }): ReactNode {
  const [openId, setOpenId] = useState<number>()
  return (
    <table className="data-table" aria-label="Deliveries">
      <thead>
        <tr>
          <th scope="col">Alerts</th>
          <th scope="col" className="cell-beside">
            Cluster
          </th>
          <th scope="col" className="cell-beside">
            Receiver
          </th>
          <th scope="col" className="cell-beside">
            Why
          </th>
          <th scope="col">Outcome</th>
          <th scope="col" className="cell-number cell-beside">
            Took
          </th>
          <th scope="col" className="cell-number">
            When
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => {
          const { id, alertnames, alerts, receiver, integration, reason, outcome, attempt, status, latencyMs } =
            delivery
          const isOpen = id === openId
          const cluster = clusterOfGroup(delivery.groupKey)
          const place = cluster === undefined ? null : <Link href={clusterPath(cluster)}>{cluster}</Link>
          return (
            <Fragment key={id}>
              <tr>
                <td className="cell-name">
                  <button
                    type="button"
                    className="group-toggle"
                    aria-expanded={isOpen}
                    onClick={() => {
                      setOpenId(isOpen ? undefined : id)
                    }}
                  >
                    {isOpen ? <Icon name="down" /> : <Icon name="right" />}
                    <span>
                      {alertnames.map((name) => (
                        <span key={name} className="inline-item">
                          <AlertName name={name} />
                        </span>
                      ))}{' '}
                      <span className="quiet nums cell-nowrap">{countOf(alerts, 'alert')}</span>
                    </span>
                  </button>
                  <span className="cell-below">
                    {place}
                    <span>
                      to {receiver} by {integration}
                    </span>
                    <span>{reasonWords(reason)}</span>
                  </span>
                </td>
                <td className="cell-beside">{place ?? <span className="quiet">in the message</span>}</td>
                <td className="cell-beside">
                  {receiver} <span className="quiet">{integration}</span>
                </td>
                <td className="cell-beside">{reasonWords(reason)}</td>
                <td>
                  <OutcomeMark outcome={outcome} />
                  <span className="quiet nums outcome-note">
                    {[
                      ...(status === undefined ? [] : [`status ${status}`]),
                      ...(attempt > 1 ? [`attempt ${attempt}`] : []),
                    ].join(', ')}
                  </span>
                </td>
                <td className="cell-number nums cell-beside">{latencyText(latencyMs)}</td>
                <td className="cell-number">
                  <Since atMs={delivery.atMs} suffix=" ago" />
                </td>
              </tr>
              {isOpen ? (
                <tr>
                  <td colSpan={7} className="cell-wraps">
                    <DeliveryDetail id={id} />
                  </td>
                </tr>
              ) : null}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
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
              ...(retryAtMs === undefined
                ? []
                : [
                    {
                      name: 'next try',
                      value: (
                        <>
                          in <Until atMs={retryAtMs} />
                        </>
                      ),
                    },
                  ]),
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
          {payload === undefined ? null : <Body what="What was sent" text={payload} />}
          {answer === undefined ? null : <Body what="What was answered" text={answer} />}
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
