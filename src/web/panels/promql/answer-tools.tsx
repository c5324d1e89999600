import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { UNITS } from '../../../model/unit.ts'
import { csvOf, fileNameOf } from '../../lib/promql/answer-file.ts'
import { metricsIn } from '../../lib/promql/selectors.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { saveFile } from '../../ui/save-file.ts'

interface UnitChoiceProps {
  /** Empty: guessed. */
  readonly unit: string
  readonly guessed: string
  readonly onUnit: (unit: string) => void
}

/** Units people ask for here, in groups; dates and currencies are left to dashboards, but for two. */
const GROUPS: readonly { readonly name: string; readonly units: readonly string[] }[] = [
  { name: 'Numbers', units: [...UNITS.number, 'percent', 'percent-decimal'] },
  { name: 'Time', units: UNITS.time },
  { name: 'Data', units: [...UNITS.bytes, ...UNITS.bits] },
  { name: 'Throughput', units: UNITS.throughput },
  { name: 'Other', units: [...UNITS.temperature, 'datetime-local', 'relative-time'] },
]

/** In which unit values are written: guessed from the query, or chosen. */
export function UnitChoice({ unit, guessed, onUnit }: UnitChoiceProps): ReactNode {
  const isListed = unit === '' || GROUPS.some(({ units }) => units.includes(unit))
  return (
    <label className="unit-choice">
      <span className="quiet">Unit</span>
      <select
        className="field"
        value={unit}
        onChange={(event) => {
          onUnit(event.target.value)
        }}
      >
        <option value="">{guessed} (guessed)</option>
        {isListed ? null : <option value={unit}>{unit}</option>}
        {GROUPS.map(({ name, units }) => (
          <optgroup key={name} label={name}>
            {units.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

interface SaveAnswerProps {
  readonly expr: string
  readonly answer: QueryAnswer
}

/** Takes an answer elsewhere. */
export function SaveAnswer({ expr, answer }: SaveAnswerProps): ReactNode {
  const metrics = metricsIn(expr)
  return (
    <Popover button="Save" label="Take the answer elsewhere" side="right">
      {(close) => (
        <div className="save-answer">
          <span>
            <Button
              variant="secondary"
              size="sm"
              data-first
              onClick={() => {
                saveFile(fileNameOf(metrics, 'csv'), csvOf(answer.data), 'text/csv')
                close()
              }}
            >
              CSV file
            </Button>{' '}
            <Button
              variant="secondary"
              size="sm"
              onClick={() => {
                saveFile(fileNameOf(metrics, 'json'), JSON.stringify(answer), 'application/json')
                close()
              }}
            >
              JSON file
            </Button>
          </span>
          <span>
            CSV to the clipboard <CopyButton text={csvOf(answer.data)} label="Copy as CSV" />
          </span>
        </div>
      )}
    </Popover>
  )
}
