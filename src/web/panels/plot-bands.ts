import type { UpgradeState } from '../../model/upgrade.ts'
import { stateToken } from '../lib/palette.ts'
import { tokenColor } from '../ui/preferences.ts'

/** A stretch of time behind the lines of a plot, with its outcome as a shape and a word over it. */
export interface PlotBand {
  readonly fromSeconds: number
  /** Absent: until the end of what is drawn when it `goesOn`, otherwise its begin is all that is known. */
  readonly toSeconds?: number
  readonly goesOn: boolean
  readonly state: UpgradeState
  /** The longest that fits is drawn. */
  readonly texts: readonly string[]
}

/** The part of a drawing that bands need, independent of the chart library. */
interface BandPlace {
  readonly context: CanvasRenderingContext2D
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly xOf: (seconds: number) => number
}

const GLYPHS: Readonly<Record<UpgradeState, string>> = {
  in_progress: '↑',
  succeeded: '✓',
  failed: '✕',
  rolled_back: '✕',
  superseded: '/',
  unknown: '–',
}

/** Lines are drawn over the band: its colour is pale. */
const FILL_OPACITY = 0.14
const TEXT_PX = 11
const GAP_PX = 3

/** Draws bands behind the lines. A text that does not fit before the next band is left out, its glyph is not. */
export function drawBands(place: BandPlace, bands: readonly PlotBand[], style: CSSStyleDeclaration): void {
  const { context, left, top, width, height, xOf } = place
  const right = left + width
  const scale = devicePixelRatio
  const color = (name: string): string => tokenColor(style, name)
  context.save()
  context.beginPath()
  context.rect(left, top, width, height)
  context.clip()
  context.font = `${TEXT_PX * scale}px "Red Hat Text", sans-serif`
  context.textBaseline = 'top'
  context.lineWidth = scale
  bands.forEach((band, i) => {
    const glyph = GLYPHS[band.state]
    const from = xOf(band.fromSeconds)
    const to = band.toSeconds === undefined ? (band.goesOn ? right : from) : xOf(band.toSeconds)
    const stateColor = color(stateToken(band.state) ?? '--dt-state-unknown')
    context.globalAlpha = FILL_OPACITY
    context.fillStyle = stateColor
    context.fillRect(from, top, Math.max(to - from, scale), height)
    context.globalAlpha = 1
    context.strokeStyle = stateColor
    context.fillStyle = color('--dt-text')
    for (const x of to === from || to >= right ? [from] : [from, to]) {
      context.beginPath()
      context.moveTo(x, top)
      context.lineTo(x, top + height)
      context.stroke()
    }
    const next = bands[i + 1]
    const textLeft = Math.max(from, left) + GAP_PX * scale
    const room = (next === undefined ? right : Math.min(right, xOf(next.fromSeconds))) - textLeft
    const texts = band.texts.map((text) => `${glyph} ${text}`)
    const text = texts.find((one) => context.measureText(one).width <= room) ?? glyph
    context.fillText(text, textLeft, top + GAP_PX * scale)
  })
  context.restore()
}
