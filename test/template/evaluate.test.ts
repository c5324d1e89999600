import { describe, expect, test } from 'vitest'
import { NOTIFY_FUNCTIONS } from '../../src/notify/template-functions.ts'
import { PROMETHEUS_FUNCTIONS } from '../../src/rules/template-functions.ts'
import { evaluateTemplate } from '../../src/template/evaluate.ts'
import { GO_FUNCTIONS } from '../../src/template/go-functions.ts'
import { parseTemplate } from '../../src/template/parse.ts'
import { TemplateError } from '../../src/template/value.ts'

const FUNCTIONS = { ...PROMETHEUS_FUNCTIONS, ...NOTIFY_FUNCTIONS, ...GO_FUNCTIONS }

function expand(text: string): string {
  return evaluateTemplate({
    tree: parseTemplate(text, new Set(Object.keys(FUNCTIONS)), []),
    functions: FUNCTIONS,
    context: { nowMs: 0, externalUrl: '', query: () => ({ kind: 'list', items: [] }) },
    root: { kind: 'root', fields: {} },
    variables: {},
  })
}

const times = (count: number, action: string): string => `{{range ${count}}}{{${action}}}{{end}}`

describe('a value that a template makes larger and larger is refused, and takes no memory', () => {
  test.each([
    ['a text that doubles', `{{$v := "a"}}${times(1000, '$v = print $v $v')}`, 'more than 2000000 characters'],
    ['a text that stays as long', `{{$v := printf "%9999s" ""}}${times(1000, '$w := print $v $v')}`, 'steps'],
    ['a text that doubles and is shown', `{{$v := "aaaaaaaaaa"}}${times(17, '$v = print $v $v')}{{$v}}`, 'longer than'],
    [
      'a list that holds itself twice',
      `{{$v := list 1}}${times(60, '$v = list $v $v')}{{$v}}`,
      'more than 200000 items',
    ],
    ['the same as JSON', `{{$v := list 1}}${times(60, '$v = list $v $v')}{{toJson $v}}`, 'more than 200000 items'],
    ['lists in lists', `{{$v := list 1}}${times(5000, '$v = list $v')}{{$v}}`, 'more than 100 lists in lists'],
    [
      'a format of wide fields',
      `{{printf (reReplaceAll "x" "%[1]9999d" "${'x'.repeat(900)}") 1}}`,
      'more than 2000000 characters',
    ],
    [
      'a replacement at every place',
      `{{reReplaceAll "" (printf "%9000s" "a") "${'x'.repeat(2000)}"}}`,
      'more than 2000000 characters',
    ],
    [
      'a long separator',
      `{{$v := stringSlice ""}}${times(300, '$v = append $v ""')}{{join (printf "%9000s" "a") $v}}`,
      'more than 2000000 characters',
    ],
    ['a list that is copied to grow', `{{$v := list 1}}${times(90_000, '$v = append $v 1')}`, 'steps'],
  ])('%s', (_name, text, message) => {
    expect(() => expand(text)).toThrow(TemplateError)
    expect(() => expand(text)).toThrow(message)
  })
})

test('what fits is printed as before', () => {
  expect(expand('{{list 1 "a" (list 2 nil) (dict "b" 1.5 "a" true)}}')).toBe('[1 a [2 <nil>] map[a:true b:1.5]]')
  expect(expand('{{println 1 "a"}}{{printf "%d %s|%5d" 1 "a" 2 3}}')).toBe('1 a\n1 a|    2%!(EXTRA int=3)')
  expect(expand('{{join ", " (stringSlice "a" "b")}} {{reReplaceAll "b*" "-" "abc"}}')).toBe('a, b -a-c-')
  expect(expand('{{toJson (list 1 "a")}}')).toBe('[1,"a"]')
})
