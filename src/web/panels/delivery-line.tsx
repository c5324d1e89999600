import type { ReactNode } from 'react'
import type { DeliveryItem } from '../../contract/deliveries.ts'
import { formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { Mark } from '../ui/marks.tsx'
import { Since } from '../ui/time.tsx'
import type { AlertItem } from '../../contract/alerts.ts'
import { reasonWords } from '../lib/alert-marks.ts'

export function OutcomeMark({ outcome }: { readonly outcome: DeliveryItem['outcome'] }): ReactNode {
  return (
    <Mark
      shape={outcome === 'delivered' ? 'check' : 'cross'}
      tone={`text-strong ${outcome === 'delivered' ? 'tone-good' : 'tone-critical'}`}
    >
      {outcome}
    </Mark>
  )
}

/** One notification attempt in one line. */
export function DeliveryLine({ delivery }: { readonly delivery: DeliveryItem }): ReactNode {
  const { outcome, receiver, integration, attempt, status, latencyMs, error, atMs, retryAtMs } = delivery
  return (
    <>
      <OutcomeMark outcome={outcome} /> to <strong>{receiver}</strong> by {integration}{' '}
      <span className="quiet">
        <Since atMs={atMs} suffix=" ago" />
        {attempt > 1 ? `, attempt ${attempt}` : ''}
        {status === undefined ? '' : `, status ${status}`}, {latencyText(latencyMs)}
      </span>
      {error === undefined ? null : <> {error}</>}
      {retryAtMs === undefined ? null : <span className="quiet"> Retry scheduled.</span>}
    </>
  )
}

export function latencyText(latencyMs: number): string {
  return latencyMs < 1000 ? `${formatCount(Math.round(latencyMs))} ms` : formatAge(latencyMs)
}

type Decision = NonNullable<AlertItem['marks']>['decisions'][number]

/** The decisions of the notification pipeline by receiver, with reasons, as list items. */
export function DecisionItems({ decisions }: { readonly decisions: readonly Decision[] }): ReactNode {
  return decisions.map(({ receiver, sends, reason, atMs }) => (
    <li key={`${receiver} ${atMs}`}>
      <strong>{receiver}</strong> {sends ? 'notified' : 'not notified'}: {reasonWords(reason)}{' '}
      <span className="quiet">
        <Since atMs={atMs} suffix=" ago" />
      </span>
    </li>
  ))
}
