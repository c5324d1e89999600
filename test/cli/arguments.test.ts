import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../src/cli/arguments.ts'

const valued = new Set(['listen', 'retention.raw', 'alertmanager'])
const flags = new Set(['faro'])
const parse = (...args: string[]) => parseArguments(args, valued, flags)

describe('parseArguments', () => {
  test.each([
    [['--listen', '1:2'], { listen: '1:2' }],
    [['--listen=1:2'], { listen: '1:2' }],
    [['--faro'], { faro: 'true' }],
    [['--no-faro'], { faro: 'false' }],
    [['--faro=false'], { faro: 'false' }],
    [['--alertmanager', 'http://a', '--alertmanager', 'http://b'], { alertmanager: 'http://a,http://b' }],
    [['--retention.raw', '--listen'], { 'retention.raw': '--listen' }],
  ])('%j', (args, want) => {
    expect(Object.fromEntries(parse(...args).options)).toEqual(want)
  })

  test('words keep their order, also after --', () => {
    expect(parse('create', '--faro', 'x', '--', '--listen').words).toEqual(['create', 'x', '--listen'])
  })

  test.each([
    [['--lsten', 'x'], 'unknown option --lsten on the command line', 'did you mean --listen?'],
    [['--retention.row=1d'], 'unknown option --retention.row on the command line', 'did you mean --retention.raw?'],
    [['--qqqq'], 'unknown option --qqqq on the command line', '`--help` lists the options'],
    [['--listen'], 'option --listen: got nothing, want a value', undefined],
    [['--no-listen'], 'unknown option --no-listen on the command line', 'did you mean --listen?'],
  ])('%j is refused', (args, message, hint) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ code: 'config_invalid', message, hint }) as Error)
  })
})
