import type { ReactNode } from 'react'
import type { AlertItem } from '../../contract/alerts.ts'
import { reasonWords } from '../lib/alert-marks.ts'
import { Since } from '../ui/time.tsx'

type Decision = NonNullable<AlertItem['marks']>['decisions'][number]

/** The decisions of the notification pipeline by receiver, with reasons, as list items. */
export function DecisionItems({ decisions }: { readonly decisions: readonly Decision[] }): ReactNode {
  return decisions.map(({ receiver, sends, reason, atMs }) => (
    <li key={`${receiver} ${atMs}`}>
      <strong>{receiver}</strong> {sends ? 'is told' : 'is not told'}: {reasonWords(reason)}{' '}
      <span className="quiet">
        <Since atMs={atMs} suffix=" ago" />
      </span>
    </li>
  ))
}
