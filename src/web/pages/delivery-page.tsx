import { choiceField, textField, viewCodec, type ViewOf } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ReceiverItems } from '../../contract/deliveries.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { alertPath, deliveryPath } from '../lib/paths.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { DecisionItems } from '../panels/delivery-line.tsx'
import { DeliveryTable } from '../panels/delivery-table.tsx'
import { RoutingPanel } from '../panels/routing-panel.tsx'
import { deliveriesPath, useDeliveries, useReceivers } from '../query/use-delivery.ts'
import { useAlerts } from '../query/use-fleet.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardList } from '../ui/card-list.tsx'
import { Choice } from '../ui/choice.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shape } from '../ui/shapes.tsx'
import { Since } from '../ui/time.tsx'

const OUTCOMES = [
  { value: '', text: 'All' },
  { value: 'delivered', text: 'Delivered' },
  { value: 'failed', text: 'Failed' },
  { value: 'refused', text: 'Refused' },
] as const

const DELIVERY_VIEW = viewCodec({
  receiver: textField('receiver'),
  outcome: choiceField(
    'outcome',
    OUTCOMES.map(({ value }) => value),
  ),
  fingerprint: textField('fingerprint'),
})
type DeliveryView = ViewOf<typeof DELIVERY_VIEW>

/** Receivers with their health, routing, and the log of notification attempts. */
export function DeliveryPage(): ReactNode {
  const { view: asked, change, set } = useView(DELIVERY_VIEW, deliveryPath)
  const receivers = useReceivers()
  return (
    <div className="page">
      <title>Delivery · Daytwo</title>
      <PagesNav place="Alerts" />
      <h1>Delivery</h1>
      {asked.fingerprint === '' ? null : <WhyOf fingerprint={asked.fingerprint} />}
      <Panel title="Receivers" aside={receivers.data?.configFile}>
        <Answer query={receivers} what="the receivers" skeletonLines={3}>
          {(items) => <Receivers items={items} onChoose={set('receiver')} />}
        </Answer>
      </Panel>
      <RoutingPanel />
      <Log asked={asked} onChange={change} />
      <ApiCallNote call={{ path: deliveriesPath(asked) }} />
    </div>
  )
}

/** The decisions of the notification pipeline about one alert: why nobody was paged. */
function WhyOf({ fingerprint }: { readonly fingerprint: string }): ReactNode {
  const alert = useAlerts().data?.alerts.find((one) => one.fingerprint === fingerprint)
  if (alert === undefined) return null
  const receivers = alert.marks?.receivers ?? []
  const decisions = alert.marks?.decisions ?? []
  return (
    <Panel title="Routing decisions">
      <p>
        <Link href={alertPath(fingerprint)}>{alert.alertname}</Link> on{' '}
        {alert.cluster === '' ? 'no cluster' : alert.cluster}{' '}
        {receivers.length === 0 ? 'has no receiver: no route matches.' : `is routed to ${receivers.join(', ')}.`}
      </p>
      <ul className="plain-list">
        <DecisionItems decisions={decisions} />
      </ul>
    </Panel>
  )
}

function Receivers({
  items,
  onChoose,
}: {
  readonly items: ReceiverItems
  readonly onChoose: (receiver: string) => void
}): ReactNode {
  if (items.receivers.length === 0) {
    return (
      <Notice kind="partial" title="No notifications are sent">
        No receiver is configured. Set notify.config to an Alertmanager configuration file; daytwo check config
        validates the file.
      </Notice>
    )
  }
  return (
    <CardList isGrid>
      {items.receivers.map(({ name, integrations }) => (
        <Card
          key={name}
          actions={
            <Button
              variant="inline"
              onClick={() => {
                onChoose(name)
              }}
            >
              Show deliveries
            </Button>
          }
        >
          <p>
            <strong>{name}</strong>
          </p>
          {integrations.length === 0 ? <p className="quiet">Sends nothing: the receiver has no integration.</p> : null}
          {integrations.map((one, i) => (
            <div key={i}>
              <p>
                {one.integration} <span className="quiet">{one.target}</span>
              </p>
              <p>
                {one.failuresInARow > 0 ? (
                  <span className="mark text-strong tone-critical">
                    <Shape name="cross" /> {countOf(one.failuresInARow, 'failure')} in a row
                  </span>
                ) : one.lastDeliveredAtMs === undefined ? (
                  <span className="quiet">no delivery yet</span>
                ) : (
                  <span className="mark text-strong tone-good">
                    <Shape name="check" /> working{' '}
                  </span>
                )}{' '}
                {one.lastDeliveredAtMs === undefined ? null : (
                  <span className="quiet">
                    last delivered <Since atMs={one.lastDeliveredAtMs} suffix=" ago" />{' '}
                  </span>
                )}
                {one.waiting > 0 ? <span className="quiet">{formatCount(one.waiting)} waiting</span> : null}
              </p>
              {one.lastError === undefined ? null : <p className="tone-critical">{one.lastError}</p>}
            </div>
          ))}
        </Card>
      ))}
    </CardList>
  )
}

function Log({
  asked,
  onChange,
}: {
  readonly asked: DeliveryView
  readonly onChange: (part: Partial<DeliveryView>) => void
}): ReactNode {
  const query = useDeliveries(asked)
  const narrowed = (['receiver', 'fingerprint'] as const).filter((name) => asked[name] !== '')
  return (
    <Panel title="Delivery log" aside="newest first">
      <FilterBar
        chips={narrowed.map((name) => ({
          name,
          value: asked[name],
          onRemove: () => {
            onChange({ [name]: '' })
          },
        }))}
      >
        <Choice
          label="Outcome"
          options={OUTCOMES}
          value={asked.outcome}
          onChange={(outcome) => {
            onChange({ outcome })
          }}
        />
      </FilterBar>
      <Answer query={query} what="the delivery log" skeletonLines={6}>
        {({ pages }) => {
          const deliveries = pages.flatMap((page) => page.deliveries)
          if (deliveries.length === 0) {
            return (
              <p className="quiet empty">
                {DELIVERY_VIEW.isNarrowed(asked)
                  ? 'No delivery matches these filters.'
                  : 'No notification was sent yet.'}
              </p>
            )
          }
          return (
            <>
              <DeliveryTable deliveries={deliveries} />
              <MoreButton query={query} text="Show older deliveries" />
            </>
          )
        }}
      </Answer>
    </Panel>
  )
}
