import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLUSTER_STATES } from '../../src/model/cluster-record.ts'
import { meaningTokens, seriesTokens } from '../../src/web/lib/dashboards/series-colors.ts'
import {
  dashesOf,
  LINE_STEP_MIN,
  RAMP_STEPS,
  rampOf,
  rampToken,
  SERIES_COLORS,
  seriesToken,
  sixDigits,
  stateToken,
  versionToken,
  type ColorToken,
} from '../../src/web/lib/palette.ts'
import { contrastOf, distanceOf, hueOf, nearestPair, VISIONS, type Vision } from './color-vision.ts'

// The colours of charts as readers see them, with each kind of colour blindness, in both themes.

const css = readFileSync(resolve(import.meta.dirname, '../../src/web/ui/styles/tokens.css'), 'utf8')
const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

function colorOf(token: string, theme: Theme): string {
  const [, light, dark] = new RegExp(`${token}: light-dark\\((#\\w{6}), (#\\w{6})\\);`).exec(css) ?? []
  expect(light, token).toBeDefined()
  return theme === 'light' ? light! : dark!
}

const SERIES = Array.from({ length: SERIES_COLORS }, (_, place) => seriesToken(place))
const RAMP = Array.from({ length: RAMP_STEPS }, (_, i) => rampToken(i + 1))
const STATES: readonly ColorToken[] = [
  '--dt-state-active',
  '--dt-state-waiting',
  '--dt-state-idle',
  '--dt-state-unknown',
  '--dt-good-text',
  '--dt-warning-line',
  '--dt-critical-fill',
  '--dt-state-rolled-back',
]
const GROUNDS = ['--dt-surface', '--dt-ground'] as const

/** Smaller than this, two fills side by side are told apart with effort only. */
const SERIES_LEAST = 0.07
const RAMP_LEAST = 0.06
const STATES_LEAST = 0.055

const CASES = THEMES.flatMap((theme) => (Object.keys(VISIONS) as Vision[]).map((vision) => [theme, vision] as const))

describe.each(CASES)('in the %s theme with %s vision', (theme, vision) => {
  const named = (tokens: readonly string[]): Record<string, string> =>
    Object.fromEntries(tokens.map((token) => [token, colorOf(token, theme)]))

  test('all series differ', () => {
    const { pair, distance } = nearestPair(named(SERIES), vision)
    expect(distance, pair).toBeGreaterThanOrEqual(SERIES_LEAST)
  })

  test('versions that follow each other differ, and the oldest is seen', () => {
    const steps = ['--dt-surface', ...RAMP].map((token) => colorOf(token, theme))
    const distances = RAMP.map((_, i) => distanceOf(steps[i]!, steps[i + 1]!, vision))
    expect(Math.min(...distances.slice(1)), distances.join(' ')).toBeGreaterThanOrEqual(RAMP_LEAST)
    expect(distances[0]).toBeGreaterThanOrEqual(0.04)
  })

  test('states and outcomes differ', () => {
    const { pair, distance } = nearestPair(named(STATES), vision)
    expect(distance, pair).toBeGreaterThanOrEqual(STATES_LEAST)
  })

  test('nothing is lost on the ground', () => {
    for (const token of [...SERIES, ...STATES]) {
      for (const ground of GROUNDS) {
        const distance = distanceOf(colorOf(token, theme), colorOf(ground, theme), vision)
        expect(distance, `${token} on ${ground}`).toBeGreaterThanOrEqual(0.12)
      }
    }
  })
})

describe.each(THEMES)('in the %s theme', (theme) => {
  const reserved = ['--dt-critical-fill', '--dt-critical-text', '--dt-warning-line', '--dt-good-text'].map(
    (token) => hueOf(colorOf(token, theme)).hue,
  )

  test('no series has a hue of a severity or an outcome', () => {
    for (const token of SERIES) {
      const { hue, chroma } = hueOf(colorOf(token, theme))
      const nearest = Math.min(...reserved.map((one) => Math.abs(((hue - one + 540) % 360) - 180)))
      expect(chroma < 0.03 || nearest >= 18, `${token} is ${nearest.toFixed(0)}° from a reserved hue`).toBe(true)
    }
  })

  test('lines have the contrast of graphics, also those of old versions', () => {
    const lines = [...SERIES, '--dt-bar', '--dt-state-active', ...RAMP.slice(LINE_STEP_MIN - 1)]
    for (const token of lines) {
      expect(contrastOf(colorOf(token, theme), colorOf('--dt-surface', theme)), token).toBeGreaterThanOrEqual(3)
    }
  })

  test('words have the contrast of text: of states on all surfaces, and of versions on their colour', () => {
    for (const token of ['--dt-state-active', '--dt-state-waiting']) {
      for (const ground of ['--dt-surface', '--dt-ground', '--dt-hover', '--dt-selected', '--dt-surface-sunken']) {
        expect(
          contrastOf(colorOf(token, theme), colorOf(ground, theme)),
          `${token} on ${ground}`,
        ).toBeGreaterThanOrEqual(4.5)
      }
    }
    for (const age of [0, 1, 2, 3, 4]) {
      const text = age < 2 ? '--dt-surface' : '--dt-text'
      expect(contrastOf(colorOf(versionToken(age), theme), colorOf(text, theme)), `age ${age}`).toBeGreaterThanOrEqual(
        4.5,
      )
    }
    expect(contrastOf(colorOf('--dt-heat', theme), colorOf('--dt-surface', theme))).toBeGreaterThanOrEqual(4.5)
  })

  test('the ramp grows stronger with each version', () => {
    const contrasts = RAMP.map((token) => contrastOf(colorOf(token, theme), colorOf('--dt-surface', theme)))
    expect(contrasts).toEqual(contrasts.toSorted((a, b) => a - b))
  })
})

describe('what has which colour', () => {
  const series = (names: readonly string[], label = 'x') => names.map((name) => ({ name, labels: { [label]: name } }))

  test('versions have the ramp, newest first, whatever the order of the answer', () => {
    const found = seriesTokens(series(['1.9.0', '1.18.1', '1.17.3'], 'version'))
    expect(found).toEqual([rampToken(4), rampToken(8), rampToken(6)])
    expect([...rampOf(['1.18.1', '1.17.3', '1.9.0']).values()]).toEqual([8, 6, 4])
    expect([...rampOf(['6', '5', '4', '3', '2', '1']).values()]).toEqual([8, 6, 4, 3, 2, 1])
    expect([...rampOf(['8', '7', '6', '5', '4', '3', '2', '1']).values()]).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
    expect([0, 1, 2, 9].map(versionToken)).toEqual([rampToken(8), rampToken(6), rampToken(4), rampToken(1)])
  })

  test('lines of old versions are as strong as a line has to be', () => {
    const versions = ['1.6', '1.5', '1.4', '1.3', '1.2', '1.1'].map((minor) => `${minor}.0`)
    expect(seriesTokens(series(versions, 'hco_version'), true).at(-1)).toBe(rampToken(LINE_STEP_MIN))
    expect(seriesTokens(series(versions, 'hco_version')).at(-1)).toBe(rampToken(1))
  })

  test('a number that is no version has the colour of its place', () => {
    expect(meaningTokens(series(['0.5', '1.0'], 'le'))).toEqual([undefined, undefined])
    expect(seriesTokens(series(['a', 'b']))).toEqual([seriesToken(0), seriesToken(1)])
    expect(seriesTokens([{ name: 'Versions', labels: {} }])).toEqual([seriesToken(0)])
  })

  test('a state keeps its colour beside others', () => {
    expect(seriesTokens(series(['other', 'failed', 'in_progress']))).toEqual([
      seriesToken(0),
      '--dt-critical-fill',
      '--dt-state-active',
    ])
    expect(stateToken('constructor')).toBeUndefined()
  })

  test.each(['in_progress', 'succeeded', 'failed', 'superseded', 'rolled_back', 'unknown', ...CLUSTER_STATES])(
    'the state %s has one, whose value is in the styles',
    (state) => {
      const token = stateToken(state)
      expect(token).toBeDefined()
      for (const theme of THEMES) expect(colorOf(token!, theme)).toMatch(/^#/)
    },
  )

  test('each phase has its own', () => {
    const phases = ['approval', 'olm', 'operands', 'virt_handler.canary', 'virt_handler.waves', 'settle', 'workloads']
    expect(new Set(phases.map(stateToken)).size).toBe(phases.length)
  })

  test('32 lines differ by colour or dashes', () => {
    const looks = Array.from({ length: 32 }, (_, place) => `${seriesToken(place)} ${dashesOf(place).join(' ')}`)
    expect(new Set(looks).size).toBe(32)
    expect(dashesOf(0)).toEqual([])
    expect(dashesOf(4)).not.toEqual([])
  })
})

test('a colour that a minifier shortened has six digits for the canvas, which mixes colours', () => {
  expect(['#fff', '#1B1', '#1b1b19', ''].map(sixDigits)).toEqual(['#ffffff', '#11BB11', '#1b1b19', ''])
})
