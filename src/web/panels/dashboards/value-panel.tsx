import type { ReactNode } from 'react'
import type { Format, GaugeOptions, StatOptions } from '../../../model/dashboard.ts'
import { calculate, type Column } from '../../lib/dashboards/calculate.ts'
import { formatUnit, type FormatContext } from '../../lib/dashboards/format-unit.ts'
import { labelText, type PanelData, type PanelSeries } from '../../lib/dashboards/series.ts'
import { limitOf, mappingOf, markOf, NO_MARK, toneOfColor, toneOfStep, type Mark } from '../../lib/dashboards/tone.ts'
import { formatValue } from '../../lib/format-number.ts'
import { toneText, toneWash, ToneMark } from '../../ui/tone-mark.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './value-panel.module.css'

/** Panels of single values: a number for each series, with its course or on a scale. */

const NAME_CLASS = 'quiet text-tiny one-line'

/** Values that are shown beside each other; more are a table's work. */
const VALUES_MAX = 24

/** What a panel of numbers is drawn from. */
export interface ChartProps<Options> {
  readonly data: PanelData
  readonly options: Options
  readonly formatContext: FormatContext
}

export function StatPanel({ data, options, formatContext }: ChartProps<StatOptions>): ReactNode {
  const shown = data.series.slice(0, VALUES_MAX)
  const isNamed = options.legendMode === 'on' || (options.legendMode === 'auto' && shown.length > 1)
  return (
    <>
      <ul {...listOf(shown.length)}>
        {shown.map((series) => (
          <li key={`${series.queryIndex} ${series.name}`} className={styles.item}>
            <Stat series={series} options={options} formatContext={formatContext} name={isNamed ? series.name : ''} />
          </li>
        ))}
      </ul>
      <OmittedNote count={data.series.length - VALUES_MAX} />
    </>
  )
}

/** Several may need more room than there is: they scroll, and can be reached by keyboard. */
function listOf(count: number): { readonly className: string; readonly tabIndex?: 0 } {
  const className = `fills ${styles.root}`
  return count > 1 ? { className: `${className} scrolls ${styles.many}`, tabIndex: 0 } : { className }
}

interface StatProps extends Omit<ChartProps<StatOptions>, 'data'> {
  readonly series: PanelSeries
  /** Empty: not shown. */
  readonly name: string
}

function Stat({ series, options, formatContext, name }: StatProps): ReactNode {
  const { calculation, format, thresholds, colorMode, metricLabel, mappings, valueFontPx } = options
  const value = calculate(series.values, calculation)
  const label = metricLabel === '' ? undefined : (series.labels[metricLabel] ?? '')
  const mapping = mappingOf(label ?? value, mappings)
  const own = metricLabel === '' ? textOf(value, format, formatContext) : labelText(series, metricLabel)
  const text = mapping?.text ?? own
  const mark: Mark =
    mapping === undefined || mapping.color === ''
      ? markOf(value, thresholds, defaultMax(format))
      : { tone: toneOfColor(mapping.color), word: '' }
  const isWashed = colorMode === 'background_solid' && mark.tone !== 'none'
  return (
    <div className={classNames('stack centered fills', styles.stat, isWashed && toneWash(mark.tone))}>
      {name === '' ? null : <span className={NAME_CLASS}>{name}</span>}
      <span
        className={classNames('nums', styles.value, colorMode !== 'none' && toneText(mark.tone))}
        title={value === null ? 'no value' : formatValue(value)}
        {...(valueFontPx === undefined ? {} : { style: { fontSize: `${valueFontPx}px` } })}
      >
        {text}
      </span>
      <ToneMark mark={colorMode === 'none' ? NO_MARK : mark} />
      {options.hasSparkline ? <Sparkline values={series.values} lineWidth={options.sparklineWidth} /> : null}
    </div>
  )
}

export function textOf(value: number | null, format: Format | undefined, formatContext: FormatContext): string {
  return value === null ? 'no value' : formatUnit(value, format, formatContext)
}

/** The value of 100 % for thresholds, where the panel has no maximum. */
function defaultMax(format: Format | undefined): number {
  return format?.unit === 'percent-decimal' ? 1 : 100
}

const SPARK = { width: 120, height: 28 } as const

/** A value over time. The current value is above it. */
function Sparkline({ values, lineWidth }: { readonly values: Column; readonly lineWidth: number }): ReactNode {
  const numbers = values.filter((value) => value !== null && Number.isFinite(value)) as number[]
  if (numbers.length < 2) return null
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  const x = (i: number): number => (i / (values.length - 1)) * SPARK.width
  const y = (value: number): number =>
    most === least ? SPARK.height / 2 : 2 + (1 - (value - least) / (most - least)) * (SPARK.height - 4)
  let path = ''
  let isOpen = false
  values.forEach((value, i) => {
    if (value === null || !Number.isFinite(value)) {
      isOpen = false
      return
    }
    path += `${isOpen ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`
    isOpen = true
  })
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} vectorEffect="non-scaling-stroke" style={{ strokeWidth: lineWidth }} />
    </svg>
  )
}

export function GaugePanel({ data, options, formatContext }: ChartProps<GaugeOptions>): ReactNode {
  const { calculation, format, thresholds } = options
  const max = options.max ?? defaultMax(format)
  const shown = data.series.slice(0, VALUES_MAX)
  const isNamed = options.isNamed ?? shown.length > 1
  return (
    <>
      <ul {...listOf(shown.length)}>
        {shown.map((series) => {
          const value = calculate(series.values, calculation)
          const mark = markOf(value, thresholds, max)
          return (
            <li key={`${series.queryIndex} ${series.name}`} className={`${styles.item} ${styles.gauge}`}>
              <Arc share={value === null ? 0 : value / max} mark={mark}>
                {thresholds?.steps.map((step, i) => (
                  <Tick
                    key={step.value}
                    share={limitOf(step, thresholds, max) / max}
                    tone={toneOfStep(thresholds, i)}
                  />
                ))}
              </Arc>
              <span
                className={classNames('nums', styles.value, toneText(mark.tone))}
                title={value === null ? 'no value' : formatValue(value)}
              >
                {textOf(value, format, formatContext)}
              </span>
              <ToneMark mark={mark} />
              {isNamed ? (
                <span className={NAME_CLASS} title={series.name}>
                  {series.name}
                </span>
              ) : null}
            </li>
          )
        })}
      </ul>
      <OmittedNote count={data.series.length - VALUES_MAX} />
    </>
  )
}

const ARC = { radius: 42, x: 50, y: 48 } as const
const ARC_LENGTH = Math.PI * ARC.radius

interface ArcProps {
  readonly share: number
  readonly mark: Mark
  readonly children: ReactNode
}

/** Half a circle, filled by the share. The value is below it. */
function Arc({ share, mark, children }: ArcProps): ReactNode {
  const filled = Math.min(1, Math.max(0, share)) * ARC_LENGTH
  const path = `M${ARC.x - ARC.radius} ${ARC.y}A${ARC.radius} ${ARC.radius} 0 0 1 ${ARC.x + ARC.radius} ${ARC.y}`
  return (
    <svg className={classNames('keeps-color', styles.arc, toneText(mark.tone))} viewBox="0 0 100 54" aria-hidden="true">
      <path stroke="var(--dt-line)" d={path} />
      <path data-fill d={path} strokeDasharray={`${filled} ${ARC_LENGTH * 2}`} />
      {children}
    </svg>
  )
}

function Tick({ share, tone }: { readonly share: number; readonly tone: Mark['tone'] }): ReactNode {
  if (share < 0 || share > 1) return null
  const angle = Math.PI * (1 - share)
  const at = (radius: number): string =>
    `${(ARC.x + radius * Math.cos(angle)).toFixed(2)} ${(ARC.y - radius * Math.sin(angle)).toFixed(2)}`
  return (
    <path strokeWidth="1.5" className={classNames(toneText(tone))} d={`M${at(ARC.radius - 7)}L${at(ARC.radius + 6)}`} />
  )
}

export function OmittedNote({ count }: { readonly count: number }): ReactNode {
  return count > 0 ? (
    <p className="quiet text-tiny one-line rigid">{count} more are in the table of this panel.</p>
  ) : null
}
