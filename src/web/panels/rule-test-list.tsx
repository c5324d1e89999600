import type { ReactNode } from 'react'
import { countOf, formatCount } from '../lib/format-number.ts'
import { useRuleTests } from '../query/use-rules.ts'
import { Card, CardList } from '../ui/card-list.tsx'
import { FailureText } from '../ui/failure-text.tsx'
import { Mark } from '../ui/marks.tsx'
import { Answer } from './answer.tsx'

/** The unit tests of an alert, with their expectations. */
export function RuleTestList({ name }: { readonly name: string }): ReactNode {
  const query = useRuleTests(name, true)
  return (
    <Answer query={query} what="the tests" skeletonLines={3}>
      {({ tests }) => {
        if (tests.length === 0) return <p className="quiet empty">No unit tests for this rule.</p>
        const failed = tests.filter(({ passed }) => !passed).length
        return (
          <>
            <p role="status">
              <strong>
                {failed === 0 ? 'All pass' : `${formatCount(failed)} of ${countOf(tests.length, 'test')} fail`}
              </strong>
            </p>
            <CardList>
              {tests.map((test, i) => (
                <Card key={`${test.file} ${test.name} ${i}`}>
                  <p>
                    <Mark
                      shape={test.passed ? 'check' : 'cross'}
                      tone={`text-strong ${test.passed ? 'tone-good' : 'tone-critical'}`}
                    >
                      {test.passed ? 'passes' : 'fails'}
                    </Mark>{' '}
                    <strong>{test.name === '' ? `test ${i + 1}` : test.name}</strong>{' '}
                    <span className="quiet">{test.file}</span>
                  </p>
                  <p className="quiet nums">
                    {test.cases
                      .map(
                        ({ evalTime, alerts }) =>
                          `at ${evalTime} ${alerts === 0 ? 'no alert' : countOf(alerts, 'alert')}`,
                      )
                      .join(', ')}
                  </p>
                  {test.failures.map((failure) => (
                    <FailureText key={failure} label="Failure" text={failure} />
                  ))}
                </Card>
              ))}
            </CardList>
          </>
        )
      }}
    </Answer>
  )
}
