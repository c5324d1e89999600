/**
 * How far apart two colours are for readers with and without colour blindness: the distance in OKLab (Ottosson 2020) after the
 * simulation of Machado, Oliveira and Fernandes ("A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009,
 * severity 1.0), which multiplies linear RGB. For orientation: 0.02 is a difference that is just seen side by side.
 */

type Three = readonly [number, number, number]
type Matrix = readonly [Three, Three, Three]

const IDENTITY: Matrix = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]

export const VISIONS = {
  normal: IDENTITY,
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Readonly<Record<string, Matrix>>

export type Vision = keyof typeof VISIONS

const times = (matrix: Matrix, [x, y, z]: Three): Three => {
  const row = ([a, b, c]: Three): number => a * x + b * y + c * z
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])]
}

/** @param hex `#rrggbb` */
function linearOf(hex: string): Three {
  const part = (at: number): number => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [part(1), part(3), part(5)]
}

/** What a reader sees, as `#rrggbb`. */
export function seenAs(hex: string, vision: Vision): string {
  const parts = times(VISIONS[vision], linearOf(hex)).map((value) => {
    const inside = Math.min(1, Math.max(0, value))
    const encoded = inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055
    return Math.round(255 * encoded)
  })
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

export function labOf(hex: string): Three {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    linearOf(hex),
  )
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(cones[0]), Math.cbrt(cones[1]), Math.cbrt(cones[2])],
  )
}

export function distanceOf(a: string, b: string, vision: Vision): number {
  const [one, other] = [labOf(seenAs(a, vision)), labOf(seenAs(b, vision))]
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])
}

/** In degrees, with the chroma: a grey has a hue by chance. */
export function hueOf(hex: string): { readonly hue: number; readonly chroma: number } {
  const [, a, b] = labOf(hex)
  return { hue: (Math.atan2(b, a) * 180) / Math.PI, chroma: Math.hypot(a, b) }
}

/** Of WCAG 2. */
export function contrastOf(a: string, b: string): number {
  const luminance = (hex: string): number => {
    const [red, green, blue] = linearOf(hex)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** The nearest two of a list. */
export function nearestPair(
  colors: Readonly<Record<string, string>>,
  vision: Vision,
): { readonly pair: string; readonly distance: number } {
  const names = Object.keys(colors)
  const pairs = names.flatMap((a, i) =>
    names.slice(i + 1).map((b) => ({ pair: `${a} – ${b}`, distance: distanceOf(colors[a]!, colors[b]!, vision) })),
  )
  return pairs.reduce((nearest, one) => (one.distance < nearest.distance ? one : nearest))
}
