import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { BaselineItem } from '../../../contract/fleet-configuration.ts'
import { clusterPath } from '../../lib/paths.ts'
import { useChooseBaseline } from '../../query/use-configuration.ts'
import { useMoment } from '../../query/use-moment.ts'
import { reportUndo } from '../../query/use-api-action.ts'
import { toFailure } from '../../query/fetch-json.ts'
import { Button } from '../../ui/button.tsx'
import { Ago } from '../../ui/time.tsx'
import { sayDone, sayFailed } from '../../ui/toasts.ts'

/** Which cluster is the baseline, and the button that removes the choice. */
export function BaselineNote({ baseline }: { readonly baseline: BaselineItem | null }): ReactNode {
  const choose = useChooseBaseline()
  const moment = useMoment()
  if (baseline === null) {
    return (
      <span className="quiet">No baseline cluster is chosen: clusters are compared with what most of them have.</span>
    )
  }
  const { cluster, by, chosenAt } = baseline
  const remove = (): void => {
    choose.mutateAsync('').then(
      () => {
        sayDone('Baseline removed', () => {
          reportUndo(choose.mutateAsync(cluster), `${cluster} is the baseline again`, `choose ${cluster}`)
        })
      },
      (thrown: unknown) => {
        sayFailed(`Could not remove the baseline: ${toFailure(thrown).message}`)
      },
    )
  }
  return (
    <span className="quiet">
      Baseline: <Link href={clusterPath(cluster)}>{cluster}</Link>, chosen by {by} <Ago at={chosenAt} />.{' '}
      {moment === undefined ? (
        <Button variant="inline" isDisabled={choose.isPending} onClick={remove}>
          Remove
        </Button>
      ) : null}
    </span>
  )
}

/** Makes a cluster the baseline. */
export function BaselineButton({ cluster }: { readonly cluster: string }): ReactNode {
  const choose = useChooseBaseline()
  const onClick = (): void => {
    choose.mutateAsync(cluster).then(
      () => {
        sayDone(`${cluster} is the baseline: others are compared with it`)
      },
      (thrown: unknown) => {
        sayFailed(`Could not choose ${cluster}: ${toFailure(thrown).message}`)
      },
    )
  }
  return (
    <Button size="sm" isDisabled={choose.isPending} onClick={onClick}>
      Use as baseline
    </Button>
  )
}
