import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { stepsAlone } from '../lib/chart-columns.ts'
import { formatDay, formatTimeOfDay, type Zone } from '../lib/format-time.ts'
import type { ColorToken } from '../lib/palette.ts'
import { tokenColor, useIsDark } from '../ui/preferences.ts'
import { drawBands, type PlotBand } from './plot-bands.ts'
import { classNames } from '../ui/class-names.ts'
import styles from './plot.module.css'

/** The only file that uses the chart library. The caller passes data as columns and formats all text. */

export interface PlotLine {
  readonly name: string
  readonly values: readonly (number | null)[]
  /** Its place among all lines. */
  readonly look: number
  readonly color: ColorToken
  /** Lengths in pixels, for lines without a style. */
  readonly dashes: readonly number[]
  readonly width?: number
  readonly style?: 'solid' | 'dashed' | 'dotted' | undefined
  /** From 0 to 1. */
  readonly areaOpacity?: number
  /** Of a stack: areas lie over each other, and must not shine through. */
  readonly isStacked?: boolean
  readonly isBar?: boolean
  readonly isHidden?: boolean
  readonly connectsNulls?: boolean
  /** Pixels; points are drawn where there is a radius. */
  readonly pointRadius?: number
}

export interface PlotAxis {
  readonly write: (value: number) => string
  readonly isShown?: boolean
  readonly label?: string
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** 0: linear. */
  readonly logBase?: number
  /** Allowed distances of ticks; absent: powers of ten. */
  readonly tickSteps?: readonly number[] | undefined
}

/** A line across the plot at a value. */
export interface PlotLimit {
  readonly value: number
  readonly tone: 'none' | 'good' | 'warning' | 'critical'
  readonly word: string
}

export interface PlotSpot {
  /** Of `timesSeconds`. */
  readonly step: number
  /** The line nearest to the pointer. */
  readonly line: number | undefined
  /** Position of the pointer in the window: the tooltip may exceed the plot, which is clipped. */
  readonly left: number
  readonly top: number
  /** In the right half of the plot, and in the lower half of the window: there is room on the other side. */
  readonly isRight: boolean
  readonly isLow: boolean
}

interface PlotProps {
  /** For screen readers. */
  readonly label: string
  readonly timesSeconds: Float64Array
  readonly lines: readonly PlotLine[]
  readonly axis: PlotAxis
  readonly limits: readonly PlotLimit[]
  /** By start time. */
  readonly bands: readonly PlotBand[]
  readonly zone: Zone
  /** Cursors of plots with the same key move together. */
  readonly syncKey: string
  /** Dragging over the plot selects a time. */
  readonly onZoom: (fromMs: number, toMs: number) => void
  /** The tooltip beside the pointer. */
  readonly renderSpot: (spot: PlotSpot) => ReactNode
  /** A click pins the tooltip until the next click, Esc, or until the page scrolls away below it. */
  readonly canPin: boolean
}

interface Pinned {
  readonly spot: PlotSpot
  readonly seconds: number
}

/** The plot of the last pointer press. */
let pressedPlot: HTMLElement | null = null

export function Plot(props: PlotProps): ReactNode {
  const { label, timesSeconds, lines, axis, limits, bands, zone, syncKey, renderSpot } = props
  const place = useRef<HTMLDivElement>(null)
  const isOver = useRef(false)
  const [spot, setSpot] = useState<PlotSpot | undefined>()
  const [pinned, setPinned] = useState<Pinned | undefined>()
  const pressedAt = useRef({ x: 0, y: 0 })
  // A refresh moves the data: the pinned moment is at another step then, or at none.
  const pinnedStep = pinned === undefined ? -1 : timesSeconds.indexOf(pinned.seconds)
  const isPinned = pinnedStep >= 0
  const shownSpot = pinned !== undefined && isPinned ? { ...pinned.spot, step: pinnedStep } : spot
  useEffect(() => {
    if (!isPinned) return
    const letGo = (event: Event): void => {
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return
        // Esc also leaves a panel: the first press removes the tooltip only.
        event.stopPropagation()
      }
      setPinned(undefined)
    }
    const options = { capture: true }
    window.addEventListener('scroll', letGo, options)
    window.addEventListener('keydown', letGo, options)
    return () => {
      window.removeEventListener('scroll', letGo, options)
      window.removeEventListener('keydown', letGo, options)
    }
  }, [isPinned])
  const isDark = useIsDark()
  const zoom = useEffectEvent((fromMs: number, toMs: number) => {
    props.onZoom(fromMs, toMs)
  })
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let line: number | undefined
    const options = optionsOf({ timesSeconds, lines, axis, limits, bands, zone, syncKey }, sizeOf(element), {
      onFocus: (focused) => {
        line = focused
      },
      onCursor: ({ cursor: { idx, left = -1, top = -1 }, over }) => {
        if (idx === null || idx === undefined || left < 0 || !isOver.current) {
          setSpot(undefined)
          return
        }
        const box = over.getBoundingClientRect()
        const isLow = box.top + top > window.innerHeight / 2
        const isRight = left > box.width / 2
        setSpot({ step: idx, line, left: box.left + left, top: box.top + top, isRight, isLow })
      },
      onSelect: (fromMs, toMs) => {
        // All plots with the same key get the event, each in its own pixels: only the plot below the pointer is exact.
        if (pressedPlot === element) zoom(fromMs, toMs)
      },
    })
    const chart = new uPlot(options, [timesSeconds, ...lines.map(({ values }) => [...values])], element)
    const observer = new ResizeObserver(() => {
      const now = sizeOf(element)
      // The observer reports the first size too, and the library redraws even when the size is equal.
      if (now.width !== chart.width || now.height !== chart.height) chart.setSize(now)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
    // A theme changes the colors, which are read from the styles when the chart is created.
  }, [timesSeconds, lines, axis, limits, bands, zone, syncKey, isDark])
  return (
    <div
      className={`fills ${styles.root}`}
      onPointerEnter={() => {
        isOver.current = true
      }}
      onPointerLeave={() => {
        isOver.current = false
        setSpot(undefined)
      }}
      onPointerDown={({ clientX, clientY }) => {
        pressedAt.current = { x: clientX, y: clientY }
        pressedPlot = place.current
      }}
      onClick={({ clientX, clientY, nativeEvent }) => {
        const { x, y } = pressedAt.current
        const isDrag = Math.hypot(clientX - x, clientY - y) >= ZOOM_LEAST_PX
        // A touch moves the tooltip already, and must not pin it.
        const isTouch = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch'
        if (!props.canPin || isDrag || isTouch) return
        const seconds = spot === undefined ? undefined : timesSeconds[spot.step]
        setPinned(isPinned || spot === undefined || seconds === undefined ? undefined : { spot, seconds })
      }}
    >
      <div ref={place} className={styles.chart} role="img" aria-label={label} />
      {shownSpot === undefined ? null : (
        <div
          className={classNames(
            'raised text-tiny',
            styles.spot,
            shownSpot.isRight && styles.isRight,
            shownSpot.isLow && styles.isLow,
          )}
          style={{ left: `${shownSpot.left}px`, top: `${shownSpot.top}px` }}
          aria-hidden="true"
        >
          {renderSpot(shownSpot)}
          {isPinned ? <p className="quiet">pinned until the next click</p> : null}
        </div>
      )}
    </div>
  )
}

const HEIGHT_LEAST_PX = 60
/** The greatest distance between the pointer and the line in focus. */
const FOCUS_PX = 30
/** A shorter drag is a click. */
const ZOOM_LEAST_PX = 8
const POINT_PX = 5

interface Size {
  readonly width: number
  readonly height: number
}

function sizeOf(element: HTMLElement): Size {
  return { width: element.clientWidth, height: Math.max(HEIGHT_LEAST_PX, element.clientHeight) }
}

type Drawn = Pick<PlotProps, 'timesSeconds' | 'lines' | 'axis' | 'limits' | 'bands' | 'zone' | 'syncKey'>

interface Hooks {
  readonly onFocus: (line: number | undefined) => void
  readonly onCursor: (chart: uPlot) => void
  readonly onSelect: (fromMs: number, toMs: number) => void
}

function optionsOf(drawn: Drawn, size: Size, hooks: Hooks): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const { lines, zone, syncKey, limits, bands, axis } = drawn
  const timeLabels = createTimeLabels(zone)
  const besides = (): number => timeLabels.halfWidthPx()
  return {
    ...size,
    padding: [8, besides, 0, axis.isShown === false ? besides : 0],
    legend: { show: false },
    focus: { alpha: lines.length > 1 ? 0.3 : 1 },
    cursor: {
      drag: { x: true, y: false, setScale: false },
      points: { one: true, size: POINT_PX },
      focus: { prox: FOCUS_PX },
      sync: { key: syncKey, setSeries: false },
    },
    scales: { x: { time: true }, y: scaleOf(axis, lines) },
    series: [{ label: 'time' }, ...lines.map((line) => seriesOf(line, style))],
    axes: axesOf(drawn, style, timeLabels),
    hooks: {
      setSeries: [
        (_chart, series) => {
          hooks.onFocus(series === null || series === 0 ? undefined : series - 1)
        },
      ],
      setCursor: [hooks.onCursor],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select
          const [from, to] = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')]
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          if (width >= ZOOM_LEAST_PX) hooks.onSelect(from * 1000, to * 1000)
        },
      ],
      drawClear: [
        (chart) => {
          const xOf = (seconds: number): number => chart.valToPos(seconds, 'x', true)
          drawBands({ context: chart.ctx, ...chart.bbox, xOf }, bands, style)
        },
      ],
      draw: [
        (chart) => {
          drawLimits(chart, limits, style)
        },
      ],
    },
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the names of this enum exist in types only
const LOGARITHMIC = 3 as uPlot.Scale.Distr

function scaleOf({ min, max, logBase = 0 }: PlotAxis, lines: readonly PlotLine[]): uPlot.Scale {
  const startsAtZero = lines.some(({ isBar, areaOpacity = 0 }) => isBar === true || areaOpacity > 0)
  return {
    ...(logBase > 0 ? { distr: LOGARITHMIC, log: logBase === 2 ? (2 as const) : (10 as const) } : {}),
    range: (_chart, dataMin, dataMax) => {
      const [low, high] =
        logBase > 0
          ? uPlot.rangeLog(dataMin || 1, dataMax || 1, logBase === 2 ? 2 : 10, true)
          : dataMin === 0 && dataMax === 0
            ? [0, 1]
            : uPlot.rangeNum(startsAtZero ? Math.min(0, dataMin) : dataMin, dataMax, 0.1, true)
      return [min ?? low, max ?? high]
    },
  }
}

function seriesOf(line: PlotLine, style: CSSStyleDeclaration): uPlot.Series {
  const { name, width = 1.6, areaOpacity = 0, isBar = false, isHidden = false, pointRadius } = line
  const stroke = tokenColor(style, line.color)
  const opacity = isBar ? Math.max(areaOpacity, 0.6) : areaOpacity
  return {
    label: name,
    show: !isHidden,
    stroke,
    width,
    dash: [...(line.style === undefined ? line.dashes : STYLES[line.style])],
    spanGaps: line.connectsNulls ?? false,
    points:
      pointRadius === undefined ? (isBar ? { show: false } : POINTS_ALONE) : { show: true, size: pointRadius * 2 },
    ...(opacity > 0
      ? {
          fill:
            line.isStacked === true
              ? mixed(stroke, tokenColor(style, '--dt-surface'), opacity)
              : withOpacity(stroke, opacity),
        }
      : {}),
    ...(isBar ? { paths: uPlot.paths.bars!({ size: [0.8, 28] }) } : {}),
  }
}

/** A sample between two gaps is drawn as a point, because no line leads to it. */
const POINTS_ALONE: uPlot.Series.Points = {
  show: true,
  size: 4,
  filter: (chart, series) => stepsAlone((chart.data[series] ?? []) as readonly (number | null | undefined)[]),
}

const STYLES = { solid: [], dashed: [6, 3], dotted: [2, 3] } as const

/** @param color of the styles, which are all `#rrggbb` */
function withOpacity(color: string, opacity: number): string {
  const byte = Math.round(Math.min(1, opacity) * 255)
  return `${color}${byte.toString(16).padStart(2, '0')}`
}

/** Both colors are `#rrggbb`. @param share of `color`, from 0 to 1 */
function mixed(color: string, ground: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [own, below] = [color, ground].map((hex) => parseInt(hex.slice(at, at + 2), 16)) as [number, number]
    return Math.round(below + Math.min(1, share) * (own - below))
  })
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

const TIME_AXIS_PX = 30
const AXIS_FONT_PX = 12
const AXIS_FONT = `${AXIS_FONT_PX}px "Red Hat Text", sans-serif`
/** The greatest width of a digit of the font. */
const DIGIT_EM = 0.62
const BESIDES_LEAST_PX = 8

/** Times below the plot. Each is centered on its tick, so half of the last one is beside the plot. */
interface TimeLabels {
  readonly write: (seconds: readonly number[], incrementSeconds: number) => string[]
  /** Of the widest text of the last call. */
  readonly halfWidthPx: () => number
}

function createTimeLabels(zone: Zone): TimeLabels {
  let longest = 0
  return {
    write: (seconds, incrementSeconds) => {
      const texts = seconds.map((at) => tickText(at, incrementSeconds, zone))
      longest = Math.max(0, ...texts.map((text) => text.length))
      return texts
    },
    halfWidthPx: () => Math.max(BESIDES_LEAST_PX, Math.ceil((longest * DIGIT_EM * AXIS_FONT_PX) / 2)),
  }
}

function axesOf({ axis }: Drawn, style: CSSStyleDeclaration, timeLabels: TimeLabels): uPlot.Axis[] {
  const grid = tokenColor(style, '--dt-line')
  const common = {
    stroke: tokenColor(style, '--dt-text-quiet'),
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1, size: 4 },
    font: AXIS_FONT,
  }
  const { label = '', isShown = true, write, tickSteps } = axis
  return [
    {
      ...common,
      size: TIME_AXIS_PX,
      values: (_chart, splits, _axis, _space, incr) => timeLabels.write(splits, incr),
    },
    {
      ...common,
      show: isShown,
      size: (_chart, texts) =>
        Math.max(36, 14 + 7 * Math.max(0, ...((texts as string[] | null) ?? []).map((text) => text.length))),
      values: (_chart, splits) => splits.map((value) => ((value as number | null) === null ? '' : write(value))),
      ...(label === '' ? {} : { label, labelSize: 18, labelFont: common.font }),
      ...(tickSteps === undefined ? {} : { incrs: [...tickSteps] }),
    },
  ]
}

const TONE_COLORS = {
  none: '--dt-line-strong',
  good: '--dt-good-text',
  warning: '--dt-warning-line',
  critical: '--dt-critical-text',
} as const

function drawLimits(chart: uPlot, limits: readonly PlotLimit[], style: CSSStyleDeclaration): void {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.font = `${11 * devicePixelRatio}px "Red Hat Text", sans-serif`
  for (const { value, tone, word } of limits) {
    const y = chart.valToPos(value, 'y', true)
    ctx.strokeStyle = ctx.fillStyle = tokenColor(style, TONE_COLORS[tone])
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio])
    ctx.lineWidth = devicePixelRatio
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.textAlign = 'right'
    ctx.fillText(word, bbox.left + bbox.width - 4 * devicePixelRatio, y - 3 * devicePixelRatio)
  }
  ctx.restore()
}

const DAY_SECONDS = 86_400

function tickText(seconds: number, incrementSeconds: number, zone: Zone): string {
  if (incrementSeconds >= DAY_SECONDS) return formatDay(seconds * 1000, zone).slice(5)
  const time = formatTimeOfDay(seconds * 1000, zone)
  if (time.startsWith('00:00')) return formatDay(seconds * 1000, zone).slice(5)
  return incrementSeconds >= 60 ? time.slice(0, 5) : time
}
