import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderDiagnostic } from '../../src/model/diagnostic.ts'
import { metricNamesOf, selectorsOf, type Expr } from '../../src/promql/ast.ts'
import { formatExpr, prettyExpr } from '../../src/promql/format.ts'
import { DEFAULT_PARSE_LIMITS, type ParseLimits } from '../../src/promql/parse-options.ts'
import { diagnose, parseExpr, parseSelector } from '../../src/promql/parse.ts'
import { PromqlError } from '../../src/promql/promql-error.ts'

/** The shape of a tree, with a bracket around each operation. */
function shape(expr: Expr): string {
  switch (expr.kind) {
    case 'binary':
      return `(${shape(expr.left)} ${expr.op} ${shape(expr.right)})`
    case 'unary':
      return `(${expr.op}${shape(expr.expr)})`
    case 'subquery':
      return `(${shape(expr.expr)})[]`
    case 'matrix':
      return `${shape(expr.selector)}[]`
    case 'vector':
      return `${expr.metric ?? '{}'}${expr.offsetMs === 0 ? '' : '~'}${expr.at === undefined ? '' : '@'}`
    case 'paren':
      return shape(expr.expr)
    case 'call':
      return `${expr.func}(${expr.args.map(shape).join(', ')})`
    case 'number':
    case 'string':
    case 'aggregate':
      return formatExpr(expr)
  }
}

describe('operators group as in Prometheus', () => {
  test.each([
    ['a + b * c', '(a + (b * c))'],
    ['a * b + c', '((a * b) + c)'],
    ['a - b - c', '((a - b) - c)'],
    ['a ^ b ^ c', '(a ^ (b ^ c))'],
    ['a atan2 b * c % d', '(((a atan2 b) * c) % d)'],
    ['-a ^ 2', '(-(a ^ 2))'],
    ['-2 ^ 2', '(-(2 ^ 2))'],
    ['2 ^ -1 ^ 2', '(2 ^ (-(1 ^ 2)))'],
    ['-a * b', '((-a) * b)'],
    ['1 - -1', '(1 - -1)'],
    ['- - 1', '1'],
    ['a or b and c unless d', '(a or ((b and c) unless d))'],
    ['a > b + c', '(a > (b + c))'],
    ['a </ b + c', '(a </ (b + c))'],
    ['a >/ b </ c', '((a >/ b) </ c)'],
    ['a >= 85 < 95', '((a >= 85) < 95)'],
    ['a == bool 1 and b', '((a == 1) and b)'],
    ['a + b offset 5m', '(a + b~)'],
    ['a + b offset 5m * c', '(a + (b~ * c))'],
    ['-a offset 5m', '(-a~)'],
    ['a ^ b @ 10 ^ c', '(a ^ (b@ ^ c))'],
    ['1 + sum_over_time(a[5m] offset 1m)', '(1 + sum_over_time(a~[]))'],
    ['a * sum_over_time(b[5m:1m])', '(a * sum_over_time((b)[]))'],
    ['A AND b OR c', '((A and b) or c)'],
  ])('%s', (text, wanted) => {
    expect(shape(parseExpr(text))).toBe(wanted)
  })
})

describe('printing', () => {
  test.each([
    // What was written, and how it is printed: the same when there is no second.
    ['foo'],
    ['foo{a="b"}'],
    ['foo{b!="c",a=~"x.*"}', 'foo{a=~"x.*",b!="c"}'],
    ['{"foo", a="b"}', '{__name__="foo",a="b"}'],
    ['{__name__="foo"}', '{__name__="foo"}'],
    ['{"utf8.metric", "label.with.dots"="x"}', '{"label.with.dots"="x",__name__="utf8.metric"}'],
    ["foo{a='it''s'}".replace("''", "\\'"), 'foo{a="it\'s"}'],
    ['foo{a=`c:\\d+`}', 'foo{a="c:\\\\d+"}'],
    ['"\\u00e9\\x41\\n"', '"éA\\n"'],
    ['"\\xe2\\x82\\xac\\101"', '"€A"'],
    ['sum  by(a , b,)  ( foo )', 'sum by (a, b) (foo)'],
    ['SUM(foo) WITHOUT (a)', 'sum without (a) (foo)'],
    ['sum by ("a.b") (foo)', 'sum by ("a.b") (foo)'],
    ['sum by () (foo)', 'sum(foo)'],
    ['topk(5, foo)'],
    ['count_values("v", foo)'],
    ['rate(foo[5m],)', 'rate(foo[5m])'],
    ['foo[300]', 'foo[5m]'],
    ['foo[1h30m] @ 1609746000 offset -1w', 'foo[1h30m] @ 1609746000.000 offset -1w'],
    ['foo offset 5m @ end()', 'foo @ end() offset 5m'],
    ['foo @ -1.5', 'foo @ -1.500'],
    ['foo[5m:]'],
    ['foo[5m:30s] offset 1m'],
    ['a + on (x) group_left (y) b'],
    ['a + on(x) group_left b', 'a + on (x) group_left () b'],
    ['a / ignoring(x, y) b', 'a / ignoring (x, y) b'],
    ['a and on() b', 'a and on () b'],
    ['a > bool 1'],
    ['a </ on (b) c'],
    ['5m', '5m'],
    ['0x1F + 0755 + 1_000 + 2. + .5', '31 + 493 + 1000 + 2 + 0.5'],
    ['1e-7 + 1e21', '0.0000001 + 1000000000000000000000'],
    ['-inf + NaN', '-Inf + NaN'],
    ['# what it is\nfoo # why\n', 'foo'],
    ['((foo))', '((foo))'],
    ['-foo', '-foo'],
    ['vector(1)'],
    ['time()'],
    ['sum(sum_over_time(foo[5m])) by (on, by, offset, bool)', 'sum by (on, by, offset, bool) (sum_over_time(foo[5m]))'],
    ['sum + avg{by="x"} + start + step', 'sum + avg{by="x"} + start + step'],
  ])('%s', (text, wanted = text) => {
    const printed = formatExpr(parseExpr(text))
    expect(printed).toBe(wanted)
    expect(formatExpr(parseExpr(printed))).toBe(printed)
  })
})

describe('refusals', () => {
  test.each([
    ['', '1:1: parse error: no expression found in input'],
    ['# nothing', '1:1: parse error: no expression found in input'],
    ['sum(', '1:5: parse error: unclosed left parenthesis'],
    ['sum(foo', '1:8: parse error: unclosed left parenthesis'],
    ['foo)', "1:4: parse error: unexpected right parenthesis ')'"],
    ['foo]', "1:4: parse error: unexpected right bracket ']'"],
    ['foo[5m', '1:7: parse error: unexpected end of input in duration expression'],
    ['foo{a="b"', '1:10: parse error: unexpected end of input inside braces'],
    ['foo{a', '1:6: parse error: unexpected end of input inside braces'],
    ['foo{a}', '1:6: parse error: unexpected "}" in label matching, expected label matching operator'],
    ['foo{a="b" c="d"}', '1:11: parse error: unexpected identifier "c" in label matching, expected "," or "}"'],
    ['foo{a=b}', '1:7: parse error: unexpected identifier "b" in label matching, expected string'],
    ['foo{,}', '1:5: parse error: unexpected "," in label matching, expected identifier or "}"'],
    ['foo{1}', "1:5: parse error: unexpected character inside braces: '1'"],
    ['foo{a!"b"}', "1:6: parse error: unexpected character after '!' inside braces: '\"'"],
    ['foo bar', '1:5: parse error: unexpected identifier "bar"'],
    ['foo\n  bar', '2:3: parse error: unexpected identifier "bar"'],
    ['1 +', '1:4: parse error: unexpected end of input'],
    ['* 1', '1:1: parse error: unexpected <op:*>'],
    ['a b c (', '1:3: parse error: unexpected identifier "b"'],
    ['a on (x) b', '1:3: parse error: unexpected <on>'],
    ['a = b', '1:3: parse error: unexpected "="'],
    ['a =~ b', "1:3: parse error: unexpected character after '=': '~'"],
    ['a ! b', "1:3: parse error: unexpected character after '!': ' '"],
    ['$x', "1:1: parse error: unexpected character: '$'"],
    ['"abc', '1:1: parse error: unterminated quoted string'],
    ['"a\nb"', '1:1: parse error: unterminated quoted string'],
    ['`abc', '1:1: parse error: unterminated raw string'],
    ['1 + "\\q"', "1:5: parse error: unknown escape sequence U+0071 'q'"],
    ["'\\\"'", "1:1: parse error: unknown escape sequence U+0022 '\"'"],
    ['"\\ud800"', '1:1: parse error: escape is invalid Unicode code point U+D800'],
    ['"\\400"', "1:1: parse error: escape is invalid Unicode code point U+0100 'Ā'"],
    ['"\\x4g"', "1:1: parse error: illegal character U+0067 'g' in escape sequence"],
    ['"\\u12', '1:1: parse error: escape sequence not terminated'],
    ['1__0', '1:1: parse error: bad number or duration syntax: "1_"'],
    ['1_', '1:1: parse error: bad number or duration syntax: "1_"'],
    ['1d1y', '1:1: parse error: bad number or duration syntax: "1d1"'],
    ['1.5h', '1:1: parse error: not a valid duration string: "1.5h"'],
    ['1000y', '1:1: parse error: duration out of range'],
    ['foo[:5m]', '1:6: parse error: unexpected colon before duration in duration expression'],
    ['foo[5m:1m:1m]', '1:11: parse error: unexpected repeated colon in duration expression'],
    ['foo @ start', '1:12: parse error: unexpected end of input in @, expected timestamp'],
    ['sum by ("") (foo)', '1:9: parse error: invalid label name for grouping: ""'],
    ['count_values("a\\xc5z", foo)', '1:14: parse error: invalid label name "a\\xc5z"'],
    ['count_values((""), foo)', '1:15: parse error: invalid label name ""'],
    ['0deadbeef', '1:1: parse error: bad number or duration syntax: "0de"'],
    ['5x', '1:1: parse error: bad number or duration syntax: "5x"'],
    ['5ms5m', '1:1: parse error: not a valid duration string: "5ms5m"'],
    ['100..4', "1:4: parse error: unexpected character: '.'"],
    ['sum by x (foo)', '1:8: parse error: unexpected identifier "x" in grouping opts, expected "("'],
    ['sum by (foo', '1:12: parse error: unclosed left parenthesis'],
    ['sum by (==) (foo)', '1:9: parse error: unexpected <op:==> in grouping opts, expected label'],
    ['sum by (a b) (foo)', '1:11: parse error: unexpected identifier "b" in grouping opts, expected "," or ")"'],
    [
      'foo offset',
      '1:11: parse error: unexpected end of input in offset, expected number, duration, step(), or range()',
    ],
    ['foo @', '1:6: parse error: unexpected end of input in @, expected timestamp'],
    [
      'foo["5m"]',
      '1:5: parse error: unexpected string "\\"5m\\"" in subquery or range selector, expected number, duration, step(), or range()',
    ],
    ['foo[abc]', "1:5: parse error: unexpected character in duration expression: 'a'"],
    ['foo[0]', '1:5: parse error: duration must be greater than 0'],
    ['foo[5m:0]', '1:8: parse error: duration must be greater than 0'],
    ['foo[999999999999y]', '1:5: parse error: not a valid duration string: "999999999999y"'],
    ['foo offset 1e30', '1:12: parse error: duration out of range'],
    ['foo @ Inf', '1:1: parse error: timestamp out of bounds for @ modifier: +Inf'],
    ['nope(foo)', '1:1: parse error: unknown function with name "nope"'],
    ['toString(foo)', '1:1: parse error: unknown function with name "toString"'],
    ['RATE(foo[5m])', '1:1: parse error: unknown function with name "RATE"'],
    ['sum()', '1:1: parse error: no arguments for aggregate expression provided'],
    ['topk(foo)', '1:1: parse error: wrong number of arguments for aggregate expression provided, expected 2, got 1'],
    ['sum(a, b)', '1:1: parse error: wrong number of arguments for aggregate expression provided, expected 1, got 2'],
    ['abs()', '1:1: parse error: expected 1 argument(s) in call to "abs", got 0'],
    ['time(1)', '1:1: parse error: expected 0 argument(s) in call to "time", got 1'],
    ['round(a, 1, 2)', '1:1: parse error: expected at most 2 argument(s) in call to "round", got 3'],
    ['label_join(a, "b")', '1:1: parse error: expected at least 3 argument(s) in call to "label_join", got 2'],
    ['abs(foo[5m])', '1:5: parse error: expected type instant vector in call to function "abs", got range vector'],
    ['rate(foo)', '1:6: parse error: expected type range vector in call to function "rate", got instant vector'],
    ['vector(foo)', '1:8: parse error: expected type scalar in call to function "vector", got instant vector'],
    [
      'label_join(a, "b", ",", c)',
      '1:25: parse error: expected type string in call to function "label_join", got instant vector',
    ],
    ['sum(1)', '1:5: parse error: expected type instant vector in aggregation expression, got scalar'],
    ['topk("a", b)', '1:6: parse error: expected type scalar in aggregation parameter, got string'],
    ['count_values(1, b)', '1:14: parse error: expected type string in aggregation parameter, got scalar'],
    [
      '-"a"',
      '1:1: parse error: unary expression only allowed on expressions of type scalar or instant vector, got "string"',
    ],
    ['foo[5m] + 1', '1:1: parse error: binary expression must contain only scalar and instant vector types'],
    ['1 == 1', '1:3: parse error: comparisons between scalars must use BOOL modifier'],
    ['a + bool b', '1:3: parse error: bool modifier can only be used on comparison operators'],
    ['1 and a', '1:1: parse error: set operator "and" not allowed in binary scalar expression'],
    ['a + on (x) 1', '1:1: parse error: vector matching only allowed between instant vectors'],
    ['a + on (x) group_left (x) b', '1:3: parse error: label "x" must not occur in ON and GROUP clause at once'],
    ['a and on (x) group_left () b', '1:1: parse error: no grouping allowed for "and" operation'],
    ['{}', '1:1: parse error: vector selector must contain at least one non-empty matcher'],
    ['{a=~".*"}', '1:1: parse error: vector selector must contain at least one non-empty matcher'],
    ['a{__name__="b"}', '1:1: parse error: metric name must not be set twice: "a" or "b"'],
    ['a{b=~"("}', '1:3: parse error: error parsing regexp: missing closing ): `(`'],
    ['(a + b)[5m]', '1:8: parse error: ranges only allowed for vector selectors'],
    ['a offset 1m [5m]', '1:13: parse error: no offset modifiers allowed before range'],
    ['a @ 1 [5m]', '1:7: parse error: no @ modifiers allowed before range'],
    ['a offset 1m offset 2m', '1:1: parse error: offset may not be set multiple times'],
    ['a @ 1 @ 2', '1:1: parse error: @ <timestamp> may not be set multiple times'],
    [
      '1 offset 5m',
      '1:1: parse error: offset modifier must be preceded by an instant vector selector or range vector selector or a subquery',
    ],
    [
      'sum(a) @ 1',
      '1:1: parse error: @ modifier must be preceded by an instant vector selector or range vector selector or a subquery',
    ],
    ['1[5m:1m]', '1:1: parse error: subquery is only allowed on instant vector, got scalar instead'],
    // Parts of the language that this engine does not have are named, with the reason.
    [
      'start_timestamp(a)',
      '1:1: parse error: function "start_timestamp" is not supported: start timestamps are not stored',
    ],
    // Trimming is for histograms.
    ['1 </ 2', '1:1: parse error: operator "</" not allowed for Scalar operations'],
    ['a </ bool 1', '1:3: parse error: bool modifier can only be used on comparison operators'],
    // Experiments are off.
    ['max_of(1, 2)', '1:1: parse error: function "max_of" is not enabled: enable it with --promql.experimental'],
    ['1 + step()', '1:5: parse error: function "step" is not enabled: enable it with --promql.experimental'],
    ['1 + limitk(1, a)', '1:5: parse error: limitk() is experimental and must be enabled with --promql.experimental'],
    [
      '1 + (a + fill (0) b)',
      '1:6: parse error: binop fill modifiers are experimental and not enabled: enable it with --promql.experimental',
    ],
    [
      'rate(a[5m] smoothed)',
      '1:6: parse error: smoothed modifier is experimental and not enabled: enable it with --promql.experimental',
    ],
    ...['a[1h / 2]', 'a[step()]', 'a offset min_of(1, 2)'].map((text) => [
      `rate(${text})`,
      `1:${text.includes('offset') ? 15 : 8}: parse error: experimental duration expression is not enabled: enable it with --promql.experimental`,
    ]),
    [
      'rate(a[5m + (1h)])',
      '1:14: parse error: experimental duration expression is not enabled: enable it with --promql.experimental',
    ],
    ['rate(a[-5m])', '1:8: parse error: duration must be greater than 0'],
  ])('%j', (text, message) => {
    expect(() => parseExpr(text)).toThrow(PromqlError)
    expect(() => parseExpr(text)).toThrow(new RegExp(`^${message.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')}$`))
  })

  test('a diagnostic is drawn with carets', () => {
    const text = 'sum(rate(foo))'
    expect(renderDiagnostic(text, diagnose(text)[0]!)).toBe(
      [
        '1:10: error: expected type range vector in call to function "rate", got instant vector',
        '   1 | sum(rate(foo))',
        '     |          ^^^',
      ].join('\n'),
    )
  })

  test('all that is wrong is found, and nothing in what is right', () => {
    expect(diagnose('abs(1) + rate(foo)').map(({ from, to }) => [from, to])).toEqual([
      [4, 5],
      [14, 17],
    ])
    expect(diagnose('sum(rate(foo_total[5m]))')).toEqual([])
  })

  test('an expression may be long but not endless', () => {
    const nested = (depth: number, open = '('): string => `${open.repeat(depth)}a${')'.repeat(depth)}`
    const { nestingMax, depthMax } = DEFAULT_PARSE_LIMITS
    expect(parseExpr(nested(nestingMax)).kind).toBe('paren')
    expect(parseExpr(nested(nestingMax, 'abs(')).kind).toBe('call')
    expect(() => parseExpr(nested(nestingMax + 1))).toThrow('nested deeper than 250 parentheses (promql.nesting-max)')
    for (const operator of ['+', '^', ' or ', '== bool ', '-^-']) {
      const chain = Array.from({ length: depthMax + 2 }, () => 'a').join(operator)
      expect(() => parseExpr(chain)).toThrow('deeper than 2000 operators (promql.depth-max)')
    }
    expect(() => parseExpr('a' + '[5m:1m]'.repeat(depthMax + 1))).toThrow('(promql.depth-max)')
    expect(() => parseExpr('-'.repeat(depthMax + 1) + 'a')).toThrow('(promql.depth-max)')
    expect(() => parseExpr('1'.repeat(10_000))).toThrow(
      /^1:1: parse error: error parsing number: .*value out of range$/,
    )
  })

  // Long enough for the parser's limit on operators to the left of another, which it has for texts of 2000 characters.
  test.each([
    ['the same', 238, (i: number) => `kubevirt_vmi_phase_count{phase="p${i}"}`, ' + '],
    ['sets', 400, (i: number) => `rate(some_metric_total{cluster="c${i}"}[5m])`, ' or '],
    ['powers', 1990, () => 'm', ' ^ '],
    ['levels', 1900, (i: number) => `m${i}`, ' * on (a) group_left (b) '],
  ])('many operators: %s', (_, operators, operand, operator) => {
    const text = Array.from({ length: operators + 1 }, (__, i) => operand(i)).join(operator)
    for (const whole of [text, `sum by (x) (${text}) > 0`, `(${text}) unless -(${text})`]) {
      const expr = parseExpr(whole)
      const formatted = formatExpr(expr)
      expect(formatExpr(parseExpr(formatted))).toBe(formatted)
      expect(formatted.split(operator.trim()).length).toBeGreaterThan(operators)
      expect(selectorsOf(expr).length).toBeGreaterThanOrEqual(operators)
      expect(prettyExpr(expr)).toContain('\n')
    }
  })
})

describe('the limits of an expression', () => {
  const limits = (limit: Partial<ParseLimits>) => ({
    experimental: false,
    limits: { ...DEFAULT_PARSE_LIMITS, ...limit },
  })

  test.each<[Partial<ParseLimits>, accepted: string, refused: string, message: string]>([
    [{ lengthMax: 5 }, 'a + b', 'a + bc', '1:6: parse error: expression has 6 characters, promql.length-max is 5'],
    [
      { tokensMax: 5 },
      'a{b="c"}'.slice(0, 1),
      'a{b="c"}',
      'more than 5 names, values, operators and brackets (promql.tokens-max)',
    ],
    [{ nestingMax: 1 }, 'a + (b) + (c)', '((a))', '1:2: parse error: expression is nested deeper than 1 parentheses'],
    [
      { depthMax: 2 },
      'a + a{b="c", d!="e"} + a',
      'a + a + a ^ a',
      '1:11: parse error: expression is deeper than 2 operators',
    ],
    [{ depthMax: 1 }, 'a[5m:1m]', '(a[5m:1m])[5m:1m]', 'deeper than 1 operators (promql.depth-max)'],
    [
      { regex: { lengthMax: 4, instructionsMax: 99 } },
      'a{b=~"a.*"} + c{b=~"a.*"}',
      'a{b=~"a.*"} + a{b=~"b.*"}',
      'promql.regex-length-max',
    ],
    [
      { regex: { lengthMax: 9, instructionsMax: 6 } },
      'a{b=~"ab|cd|ef|gh|ij"}',
      'a{b=~"a{2}b{3}"}',
      'promql.regex-instructions-max is 6',
    ],
  ])('%j', (limit, accepted, refused, message) => {
    expect(parseExpr(accepted, limits(limit))).toBeDefined()
    expect(() => parseExpr(refused, limits(limit))).toThrow(message)
    expect(diagnose(refused, limits(limit))).toHaveLength(1)
  })

  // Texts of megabytes took seconds; each is refused at the first token beyond a limit.
  test.each([
    [
      'matchers',
      () => `{${Array.from({ length: 120_000 }, (_, i) => `l${i}="v${i}"`).join(',')}}`,
      'promql.tokens-max',
    ],
    ['short matchers', () => `{${'a="b",'.repeat(160_000)}}`, 'promql.tokens-max'],
    ['arguments', () => `label_join(a${',"b"'.repeat(240_000)})`, 'promql.tokens-max'],
    ['labels', () => `sum by (${'a,'.repeat(400_000)}) (b)`, 'promql.tokens-max'],
    ['parentheses', () => '('.repeat(900_000), 'promql.nesting-max'],
    ['powers', () => 'a^'.repeat(450_000), 'promql.depth-max'],
    ['signs', () => '-'.repeat(900_000), 'promql.depth-max'],
    ['signs in parentheses', () => `${'-'.repeat(7)}(`.repeat(249) + 'a' + ')'.repeat(249), ''],
    ['signs and calls', () => `${'-abs('.repeat(249)}${'-'.repeat(1752)}a${')'.repeat(249)}`, 'promql.depth-max'],
    ['brackets', () => 'a[5m:]'.repeat(100_000), ''],
    [
      'many patterns',
      () => `{${Array.from({ length: 90 }, (_, i) => `l${i}=~"${'x?'.repeat(4500)}${i}"`).join(',')}}`,
      'promql.regex-length-max',
    ],
  ])('%s hold the thread for a moment', (_, text, option) => {
    const hostile = text()
    const startedMs = performance.now()
    const found = diagnose(hostile)
    expect(performance.now() - startedMs).toBeLessThan(1000)
    if (option !== '') expect(found[0]?.message).toContain(option)
  })
})

test('any text is an expression or refused with a position inside it', () => {
  const piece = fc.constantFrom(
    ...['a', 'sum', 'rate', 'by', 'on', 'offset', 'bool', '5m', '1', '0x', '1e', '"s"', "'", '`', '{', '}', '(', ')'],
    ...['[', ']', ',', ':', '=', '=~', '!=', '!~', '<', '==', '+', '-', '^', '@', '#', '\n', ' ', 'é', '\\', 'step()'],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join(' ')
      for (const { from, to } of diagnose(text)) {
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeGreaterThanOrEqual(from)
        expect(to).toBeLessThanOrEqual(text.length)
      }
    }),
    { numRuns: 1000 },
  )
})

test('every node of a tree is frozen', () => {
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen))
  const text = '-sum by (a) (rate(b{c="d"}[5m] @ 5)) * on (e) group_left (f) g offset 5m or (topk(1, h[5m:1m])) + 5m'
  expect(diagnose(text)).not.toEqual([])
  expect(frozen(parseExpr(text.replace('h[5m:1m]', 'sum_over_time(h[5m:1m] @ start())')))).toBe(true)
})

test.each([
  ['up', [{ name: '__name__', op: '=', value: 'up' }]],
  [
    '{job=~"a|b", __name__="x"}',
    [
      { name: 'job', op: '=~', value: 'a|b' },
      { name: '__name__', op: '=', value: 'x' },
    ],
  ],
])('the selector %s has its matchers', (text, matchers) => {
  expect(parseSelector(text)).toEqual(matchers)
})

test.each(['up offset 5m', 'up[5m]', 'sum(up)', '1', '{}', ''])('%j is no selector', (text) => {
  expect(() => parseSelector(text)).toThrow(PromqlError)
})

test('an expression names its metrics', () => {
  const expr = parseExpr('sum(a) / on () b{x="y"} + rate({__name__="c"}[5m]) + {__name__=~"d.*"} - a')
  expect(metricNamesOf(expr)).toEqual(['a', 'b', 'c'])
})
