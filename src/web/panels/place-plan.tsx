import type { ReactNode } from 'react'
import { Link } from 'wouter'

export interface PlannedAnswer {
  readonly question: string
  readonly answer: string
}

interface PlacePlanProps {
  readonly title: string
  readonly lead: string
  readonly answers: readonly PlannedAnswer[]
  /** What already answers a part of it. */
  readonly today: readonly { readonly text: string; readonly path: string }[]
}

/** A place that is not built: which questions it will answer, and where their first answers are today. */
export function PlacePlan({ title, lead, answers, today }: PlacePlanProps): ReactNode {
  return (
    <div className="page plan">
      <title>{`${title} · Daytwo`}</title>
      <h1>{title}</h1>
      <p className="lead">{lead}</p>
      <section className="plan-today" aria-labelledby="today">
        <h2 id="today">Answered today</h2>
        <ul>
          {today.map(({ text, path }) => (
            <li key={path}>
              <Link href={path}>{text}</Link>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="planned">
        <h2 id="planned">Not built yet: what this place will answer</h2>
        <dl className="plan-answers">
          {answers.map(({ question, answer }) => (
            <div key={question}>
              <dt>{question}</dt>
              <dd>{answer}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}
