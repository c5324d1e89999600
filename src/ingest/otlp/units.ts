/**
 * Converts units (UCUM, as in OTLP) to the suffixes of Prometheus names: the table of Prometheus' own translator,
 * including its spelling of `TiBy`. Other units stay as sent.
 */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['d', 'days'],
  ['h', 'hours'],
  ['min', 'minutes'],
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['us', 'microseconds'],
  ['ns', 'nanoseconds'],
  ['By', 'bytes'],
  ['KiBy', 'kibibytes'],
  ['MiBy', 'mebibytes'],
  ['GiBy', 'gibibytes'],
  ['TiBy', 'tibibytes'],
  ['KBy', 'kilobytes'],
  ['MBy', 'megabytes'],
  ['GBy', 'gigabytes'],
  ['TBy', 'terabytes'],
  ['m', 'meters'],
  ['V', 'volts'],
  ['A', 'amperes'],
  ['J', 'joules'],
  ['W', 'watts'],
  ['g', 'grams'],
  ['Cel', 'celsius'],
  ['Hz', 'hertz'],
  ['%', 'percent'],
  ['1', ''],
])

const PER_WORDS: ReadonlyMap<string, string> = new Map([
  ['s', 'second'],
  ['m', 'minute'],
  ['h', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['mo', 'month'],
  ['y', 'year'],
])

interface UnitWords {
  /** `meters` of `m/s`; empty without a unit. */
  readonly main: string
  /** `per_second` of `m/s`, or empty. */
  readonly per: string
}

/** The whole unit in one word, as in metadata: `meters_per_second`. */
export function unitText(unit: string): string {
  const { main, per } = unitWords(unit)
  return [main, per].filter((word) => word !== '').join('_')
}

/** Annotations such as `{items}` are ignored. */
export function unitWords(unit: string): UnitWords {
  const slash = unit.indexOf('/')
  const main = side(slash === -1 ? unit : unit.slice(0, slash))
  const per = slash === -1 ? '' : side(unit.slice(slash + 1))
  return { main: WORDS.get(main) ?? main, per: per === '' ? '' : `per_${PER_WORDS.get(per) ?? per}` }
}

function side(text: string): string {
  return /[{}]/.test(text) ? '' : text.trim()
}
