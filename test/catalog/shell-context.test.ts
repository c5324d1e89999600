import { expect, test } from 'vitest'
import { placeholdersOf } from '../../src/catalog/placeholder.ts'
import { promqlContexts } from '../../src/catalog/promql-context.ts'
import { shellContexts } from '../../src/catalog/shell-context.ts'

test.each([
  ['kubectl get ns {{x}}', 'word'],
  ['kubectl get ns/{{x}} -o yaml', 'word'],
  ["grep '{{x}}'", 'single'],
  ["grep 'a' {{x}} '{{x}}'", 'word single'],
  ['echo "{{x}}"', 'double'],
  ['echo "a \\" {{x}}" {{x}}', 'double word'],
  [`echo \\' {{x}}`, 'word'],
  ['echo "$(kubectl get {{x}})" "{{x}}"', 'word double'],
  ['echo "$(grep "{{x}}" f)" {{x}}', 'double word'],
  ['a=$(echo {{x}}) {{x}}', 'word word'],
  ["ls # {{x}} it's\nls {{x}}", 'comment word'],
  ['ls a#b {{x}}', 'word'],
  ['(ls) {{x}}', 'word'],
  ['echo `ls {{x}}` {{x}}', 'unknown unknown'],
  ['echo "`ls {{x}}`"', 'unknown'],
  ['echo ${a:-{{x}}}', 'unknown'],
  ['echo "${a:-{{x}}}"', 'unknown'],
  ["echo $'{{x}}'", 'unknown'],
  ['cat <<EOF\n{{x}}\nEOF\n', 'unknown'],
  ['echo \\{{x}} {{x}}', 'unknown unknown'],
  ['echo "\\{{x}}"', 'unknown'],
  ['echo "\\\\{{x}}"', 'double'],
  ['echo $(({{x}} + 1))', 'unknown'],
  ['echo "$(({{x}}))"', 'unknown'],
  ['((a = {{x}}))', 'unknown'],
  ['echo $[{{x}}]', 'unknown'],
  ['echo "$( (ls) | grep {{x}})" "{{x}}"', 'word double'],
  ['echo "$(case a in a) ls {{x}};; esac)"', 'unknown'],
  ['case a in a) ls "{{x}}";; esac', 'double'],
  ['echo "$(ls lower-case {{x}})"', 'word'],
  ["jq '.a | {b}' {{x}}", 'word'],
  [`jsonpath='{range .items[*]}{"\\n"}' {{x}}`, 'word'],
  ["echo 'never closed {{x}}", 'single'],
  ['', ''],
])('in %j the shell has %s', (text, contexts) => {
  expect(shellContexts(text, placeholdersOf(text)).join(' ')).toBe(contexts)
})

test.each([
  ['up{a="{{x}}"}', 'string'],
  ['up{a!="{{x}}-b"}', 'string'],
  ['up{a=~"{{x}}.*"}', 'regex'],
  ['up{a!~ "{{x}}"}', 'regex'],
  ["up{a='{{x}}'}", 'outside'],
  ['up{a=`{{x}}`}', 'outside'],
  ['{{x}}', 'outside'],
  ['up{a="b", {{x}}="c"}', 'outside'],
  ['up # "{{x}}"', 'outside'],
  ['up{a="\\"{{x}}"}', 'string'],
  ['up{a="#"} + up{b="{{x}}"}', 'string'],
  ['label_replace(up, "a", "{{x}}", "b", "")', 'string'],
  ['up{a="never closed {{x}}', 'outside'],
])('in %j PromQL has %s', (text, contexts) => {
  expect(promqlContexts(text, placeholdersOf(text)).join(' ')).toBe(contexts)
})

test.each([
  ['{{a}} {{ b_2 }} {{\tc\t}}', 'a b_2 c'],
  ['{{.a}} {{ $value }} {{index .a "b"}} {{a b}} {a} {{}} {{1}}', ''],
  ['{{{a}}}', 'a'],
])('the placeholders of %j are %s', (text, names) => {
  expect(
    placeholdersOf(text)
      .map(({ name }) => name)
      .join(' '),
  ).toBe(names)
})
