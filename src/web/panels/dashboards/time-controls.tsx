import { useState, type ReactNode } from 'react'
import { formatDuration, parseDuration } from '../../../model/duration.ts'
import { RANGES, REFRESHES, type TimeRange } from '../../lib/dashboards/time-range.ts'
import { fromFieldTime, toFieldTime, formatMoment } from '../../lib/format-time.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { submitTo, valueTo } from '../../ui/form-events.ts'
import { Popover } from '../../ui/popover.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { serverNowMs } from '../../ui/server-clock.ts'
import styles from './time-controls.module.css'

interface TimeControlsProps {
  readonly range: TimeRange
  readonly onRange: (range: TimeRange) => void
  /** 0: off. */
  readonly refreshSeconds: number
  readonly onRefresh: (word: string) => void
  readonly onRefreshNow: () => void
  /** The page shows a moment of the past, or a span that has ended: nothing new can come. */
  readonly isHeld: boolean
}

/** The time range, and the refresh interval. */
export function TimeControls(props: TimeControlsProps): ReactNode {
  const { range, onRange, refreshSeconds, onRefresh, onRefreshNow, isHeld } = props
  const isRange = (text: string): boolean => range.kind === 'last' && parseDuration(text) === range.seconds * 1000
  const refresh = refreshSeconds === 0 ? 'off' : formatDuration(refreshSeconds * 1000)
  const refreshes = (REFRESHES as readonly string[]).includes(refresh) ? REFRESHES : [...REFRESHES, refresh]
  return (
    <div className={`row row-controls screen-only ${styles.root}`}>
      <Choice
        label="Time range"
        options={RANGES}
        value={RANGES.find(({ value }) => isRange(value))?.value ?? ('' as (typeof RANGES)[number]['value'])}
        onChange={(value) => {
          onRange({ kind: 'last', seconds: parseDuration(value)! / 1000 })
        }}
      />
      <Absolute key={JSON.stringify(range)} range={range} onRange={onRange} />
      <label>
        <span className="visually-hidden">Refresh</span>
        <select
          className="control"
          value={refresh}
          disabled={isHeld}
          title={isHeld ? 'No refresh: the range ends in the past' : 'Refresh interval'}
          onChange={valueTo(onRefresh)}
        >
          {refreshes.map((word) => (
            <option key={word} value={word}>
              {word === 'off' ? 'no refresh' : `every ${word}`}
            </option>
          ))}
        </select>
      </label>
      <Button size="sm" onClick={onRefreshNow}>
        Refresh
      </Button>
    </div>
  )
}

/** From one moment to another, in the reader's zone. */
function Absolute({ range, onRange }: Pick<TimeControlsProps, 'range' | 'onRange'>): ReactNode {
  const { zone } = usePreferences()
  const toMs = range.kind === 'between' ? range.toMs : serverNowMs()
  const fromMs = range.kind === 'between' ? range.fromMs : toMs - range.seconds * 1000
  const [typed, setTyped] = useState({ from: toFieldTime(fromMs, zone), to: toFieldTime(toMs, zone) })
  const [from, to] = [fromFieldTime(typed.from, zone), fromFieldTime(typed.to, zone)]
  const isWhole = from !== undefined && to !== undefined && from < to
  const says = range.kind === 'between' ? `${formatMoment(fromMs, zone)} to ${formatMoment(toMs, zone)}` : ''
  return (
    <Popover
      className={styles.absolute}
      side="right"
      label="Absolute time range"
      button={says === '' ? 'From … to …' : <span className="nums">{says}</span>}
    >
      {(close) => (
        <form
          className={`entries ${styles.fields}`}
          onSubmit={submitTo(() => {
            if (!isWhole) return
            onRange({ kind: 'between', fromMs: from, toMs: to })
            close()
          })}
        >
          {(['from', 'to'] as const).map((end) => (
            <label key={end}>
              <span className="quiet text-small">
                {end === 'from' ? 'From' : 'To'}, {zone === 'utc' ? 'UTC' : 'your time zone'}
              </span>
              <input
                type="datetime-local"
                step={1}
                className="control"
                {...(end === 'from' ? { 'data-first': true } : {})}
                value={typed[end]}
                onChange={(event) => {
                  setTyped({ ...typed, [end]: event.target.value })
                }}
              />
            </label>
          ))}
          <Button type="submit" variant="primary" size="sm" isDisabled={!isWhole}>
            Show
          </Button>
          {isWhole ? null : <p className="quiet">The end must be after the start.</p>}
        </form>
      )}
    </Popover>
  )
}
