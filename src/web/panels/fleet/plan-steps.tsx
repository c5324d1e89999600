import type { ReactNode } from 'react'
import type { ClusterPlanItem, PlanBlockerItem, PlanStepItem } from '../../../contract/fleet-plans.ts'
import { countOf } from '../../lib/format-number.ts'
import { stepWindowText, totalText } from '../../lib/plan-text.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { FactList } from '../../ui/fact-list.tsx'
import { Mark } from '../../ui/marks.tsx'
import { Panel } from '../../ui/panel.tsx'
import styles from './plan-steps.module.css'

/** The steps of one cluster, in order, with commands, checks and durations. */
export function PlanSteps({ plan }: { readonly plan: ClusterPlanItem }): ReactNode {
  const { cluster, summary, blockers, steps, nodes, vms } = plan
  const size = [...(nodes === null ? [] : [countOf(nodes, 'node')]), ...(vms === null ? [] : [countOf(vms, 'VM')])]
  return (
    <Panel title={`Steps of ${cluster}`} aside={steps.length === 0 ? undefined : totalText(plan)}>
      <p>
        {summary} <span className="quiet">{size.join(', ')}</span>
      </p>
      {blockers.length === 0 ? null : (
        <ul className={`list ${styles.blockers}`} aria-label={`Hazards of ${cluster}`}>
          {blockers.map((blocker) => (
            <li key={`${blocker.name} ${blocker.text}`}>
              <Blocker blocker={blocker} />
            </li>
          ))}
        </ul>
      )}
      <ol className={styles.steps} aria-label={`Steps of ${cluster}`}>
        {steps.map((step, i) => (
          <li key={i} className={step.state === 'done' ? 'quiet' : undefined}>
            <Step step={step} number={i + 1} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const BLOCKER_LOOKS = {
  blocking: { shape: 'triangle', tone: 'tone-critical' },
  warning: { shape: 'diamond', tone: 'tone-warning' },
  unknown: { shape: 'dash', tone: 'quiet' },
} as const

function Blocker({ blocker: { severity, text, fix } }: { readonly blocker: PlanBlockerItem }): ReactNode {
  return (
    <>
      <Mark {...BLOCKER_LOOKS[severity]}>{severity}</Mark> {text} <span className="quiet">{fix}</span>
    </>
  )
}

const STATE_WORDS = { done: 'done', todo: '', unknown: 'not known whether done' } as const

function Step({ step, number }: { readonly step: PlanStepItem; readonly number: number }): ReactNode {
  const { title, state, precondition, commands, check, onFailure, window } = step
  if (state === 'done') {
    return (
      <Mark shape="check" tone="tone-good">
        {number}. {title}: done
      </Mark>
    )
  }
  return (
    <details>
      <summary className={styles.summary}>
        <strong>
          {number}. {title}
        </strong>{' '}
        <span className="quiet nums" title={window.basis}>
          {[STATE_WORDS[state], stepWindowText(step)].filter((text) => text !== '').join('; ')}
        </span>
      </summary>
      <FactList
        isStacked
        facts={[
          { name: 'Before', value: precondition },
          commands.length === 0
            ? undefined
            : {
                name: 'Commands',
                value: (
                  <CodeBlock what="commands" text={commands.join('\n')}>
                    {commands.join('\n')}
                  </CodeBlock>
                ),
              },
          {
            name: 'Done when',
            value: (
              <>
                <CodeBlock what="check" text={check.command}>
                  {check.command}
                </CodeBlock>
                prints {check.expected}
              </>
            ),
          },
          { name: 'If it fails', value: onFailure },
          { name: 'Duration from', value: window.basis },
        ]}
      />
    </details>
  )
}
