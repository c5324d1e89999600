import type { CSSProperties, ReactNode } from 'react'
import type { BarOptions } from '../../../model/dashboard.ts'
import { toBars, wholeOf, type Bar, type BarGroup, type BarPart } from '../../lib/dashboards/bar-groups.ts'
import { formatUnit, type FormatContext } from '../../lib/dashboards/format-unit.ts'
import { countOf, formatShares, formatValue } from '../../lib/format-number.ts'
import { toneText, ToneMark } from '../../ui/tone-mark.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './bars-panel.module.css'
import legendStyles from './chart-legend.module.css'
import { cssColor, SERIES_COLORS } from '../../lib/palette.ts'
import type { ChartProps } from './value-panel.tsx'

/** Bars or groups of bars that are drawn. */
const GROUPS_MAX = 100

/** One number of each series as a bar, lying or standing, alone or in groups. */
export function BarsPanel({ data, options, formatContext }: ChartProps<BarOptions>): ReactNode {
  const { format, mode, orientation, isStacked } = options
  const { groups, parts } = toBars(data.series, options)
  const shown = groups.slice(0, GROUPS_MAX)
  const areGroups = parts.length > 0
  const isShare = mode === 'percentage'
  const sizeOf = (bar: Bar): number => Math.max(0, isShare && areGroups ? bar.share : (bar.value ?? 0))
  const most = Math.max(
    0,
    ...shown.map(({ bars }) =>
      isStacked ? bars.reduce((sum, bar) => sum + sizeOf(bar), 0) : Math.max(0, ...bars.map(sizeOf)),
    ),
  )
  const write = createWriter(shown, options, formatContext)
  const drawn: DrawnProps = {
    groups: shown,
    write,
    lengthOf: (bar) => (most > 0 ? (100 * sizeOf(bar)) / most : 0),
    // A single bar has its value beside it, a group its total where the total is not always 100 %.
    totalOf: (group) => (isShare ? '' : formatUnit(group.total, format, formatContext)),
    isStacked: areGroups && isStacked,
    areGroups,
  }
  return (
    <div className={`stack fills ${styles.root}`}>
      {areGroups ? <Parts parts={parts} groups={shown} /> : null}
      {orientation === 'vertical' ? <Standing {...drawn} /> : <Lying {...drawn} />}
      {groups.length > GROUPS_MAX ? (
        <p className="quiet text-tiny one-line rigid">
          {countOf(groups.length - GROUPS_MAX, 'more is', 'more are')} not drawn.
        </p>
      ) : null}
    </div>
  )
}

interface Written {
  /** Empty where only shares are wanted. */
  readonly value: string
  readonly share: string
  /** To the last digit. */
  readonly exact: string
}

type Write = (bar: Bar) => Written

/** Shares are written beside those they are of: all bars, or those of their group. */
function createWriter(
  groups: readonly BarGroup[],
  { format, mode, groupBy }: BarOptions,
  formatContext: FormatContext,
): Write {
  const wholes = groupBy.length > 0 ? groups.map(({ bars }) => bars) : [groups.flatMap(({ bars }) => bars)]
  const written = new Map<Bar, Written>()
  for (const bars of wholes) {
    const shares = sharesOf(bars, mode === 'percentage' ? format?.decimalPlaces : undefined, formatContext)
    for (const [i, bar] of bars.entries()) {
      const { value } = bar
      const text = value === null ? 'no value' : formatUnit(value, format, formatContext)
      const exact = value === null ? 'no value' : formatValue(value)
      written.set(bar, { value: mode === 'percentage' ? '' : text, share: shares[i] ?? '', exact })
    }
  }
  return (bar) => written.get(bar)!
}

/** @param decimalPlaces of the file; absent: as few as needed to distinguish the shares */
function sharesOf(
  bars: readonly Bar[],
  decimalPlaces: number | undefined,
  formatContext: FormatContext,
): readonly string[] {
  if (decimalPlaces !== undefined) {
    return bars.map(({ share }) => formatUnit(share, { unit: 'percent-decimal', decimalPlaces }, formatContext))
  }
  return formatShares(
    bars.map(({ value }) => Math.max(0, value ?? 0)),
    wholeOf(bars),
  )
}

interface DrawnProps {
  readonly groups: readonly BarGroup[]
  readonly write: Write
  /** In percent of the longest. */
  readonly lengthOf: (bar: Bar) => number
  /** Empty: not shown. */
  readonly totalOf: (group: BarGroup) => string
  readonly isStacked: boolean
  readonly areGroups: boolean
}

/** One row a group. */
function Lying({ groups, write, lengthOf, totalOf, isStacked, areGroups }: DrawnProps): ReactNode {
  return (
    <ul
      className={classNames('bar-list fills scrolls', styles.lying, areGroups && styles.ofGroups)}
      tabIndex={0}
      aria-label="Bars"
    >
      {groups.map((group, i) => {
        const [only] = group.bars
        const written = areGroups || only === undefined ? undefined : write(only)
        return (
          <li key={`${group.name} ${i}`}>
            <GroupName group={group} areGroups={areGroups} />
            <span
              className={areGroups ? classNames(styles.row, isStacked && styles.stack) : 'bar-list-track'}
              {...saysOf(group, write, areGroups)}
            >
              {group.bars.map((bar) => (
                <BarMark
                  key={bar.name}
                  bar={bar}
                  write={write}
                  areGroups={areGroups}
                  size={{ inlineSize: `${lengthOf(bar)}%` }}
                />
              ))}
            </span>
            {written === undefined ? (
              <span className="nums bar-list-count">{totalOf(group)}</span>
            ) : (
              <>
                {written.value === '' ? null : (
                  <span className="nums bar-list-count" title={written.exact}>
                    {written.value}
                  </span>
                )}
                <span className="quiet nums bar-list-share">{written.share}</span>
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** One column a group, its name below and its number above. */
function Standing({ groups, write, lengthOf, totalOf, isStacked, areGroups }: DrawnProps): ReactNode {
  return (
    <ul className={`fills scrolls ${styles.standing}`} tabIndex={0} aria-label="Bars">
      {groups.map((group, i) => {
        const [only] = group.bars
        const written = areGroups || only === undefined ? undefined : write(only)
        return (
          <li key={`${group.name} ${i}`}>
            <span className="nums one-line rigid" title={written?.exact}>
              {written === undefined ? totalOf(group) : written.value || written.share}
            </span>
            <span className={classNames(styles.column, isStacked && styles.stack)} {...saysOf(group, write, areGroups)}>
              {group.bars.map((bar) => (
                <BarMark
                  key={bar.name}
                  bar={bar}
                  write={write}
                  areGroups={areGroups}
                  size={{ blockSize: `${lengthOf(bar)}%` }}
                />
              ))}
            </span>
            <GroupName group={group} areGroups={areGroups} />
          </li>
        )
      })}
    </ul>
  )
}

/** The bars as text for screen readers; a single bar has its text beside it. */
function saysOf(group: BarGroup, write: Write, areGroups: boolean): object {
  if (!areGroups) return { 'aria-hidden': true }
  const said = group.bars.map((bar) => `${bar.name} ${inWords(write(bar))}`)
  return { role: 'img', 'aria-label': said.join(', ') }
}

function inWords({ value, share }: Written): string {
  return value === '' ? share : `${value} (${share})`
}

function GroupName({ group, areGroups }: { readonly group: BarGroup; readonly areGroups: boolean }): ReactNode {
  const tone = areGroups ? 'none' : (group.bars[0]?.tone ?? 'none')
  return (
    <span className="bar-list-name one-line rigid" title={group.name}>
      <ToneMark mark={{ tone, word: '' }} /> {group.name}
    </span>
  )
}

interface BarMarkProps {
  readonly bar: Bar
  readonly write: Write
  readonly areGroups: boolean
  readonly size: { readonly inlineSize: string } | { readonly blockSize: string }
}

function BarMark({ bar, write, areGroups, size }: BarMarkProps): ReactNode {
  const title = areGroups ? { title: `${bar.name}: ${inWords(write(bar))}` } : {}
  return <span {...markOf(bar, areGroups, size)} {...title} />
}

/** Patterns of parts, with each of the colours; further parts repeat them. */
const STRIPES = [undefined, styles.striped, styles.stripedThin] as const

function markOf(
  { look, color: own, tone }: Pick<Bar, 'look' | 'color' | 'tone'>,
  areGroups: boolean,
  size?: BarMarkProps['size'],
): { readonly className: string; readonly style: CSSProperties } {
  const isPart = areGroups && tone === 'none'
  const color = tone !== 'none' ? 'currentcolor' : own === undefined ? undefined : cssColor(own)
  const stripes = isPart && STRIPES[Math.floor(look / SERIES_COLORS) % STRIPES.length]
  return {
    className: classNames('keeps-color', styles.bar, toneText(tone), stripes),
    style: { ...(color === undefined ? {} : { '--bar': color }), ...size } as CSSProperties,
  }
}

/** What the parts of groups are called, in the order in which they are drawn. */
function Parts({ parts, groups }: Pick<DrawnProps, 'groups'> & { readonly parts: readonly BarPart[] }): ReactNode {
  const tones = new Map(groups.flatMap(({ bars }) => bars.map(({ name, tone }) => [name, tone] as const)))
  return (
    <ul className={`row scrolls text-tiny rigid ${legendStyles.list}`} aria-label="Parts" tabIndex={0}>
      {parts.map((part) => {
        const { name } = part
        const tone = tones.get(name) ?? 'none'
        return (
          <li key={name} className={`inline-row ${styles.part}`}>
            <span {...markOf({ ...part, tone }, true)} aria-hidden="true" />
            <ToneMark mark={{ tone, word: '' }} />
            <span title={name}>{name}</span>
          </li>
        )
      })}
    </ul>
  )
}
