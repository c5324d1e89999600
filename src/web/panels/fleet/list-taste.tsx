import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { CLUSTER_COLUMNS, readColumns, readViews, withoutView, withView } from '../../lib/list-preferences.ts'
import { toggled } from '../../lib/cluster-view.ts'
import { clustersPath } from '../../lib/paths.ts'
import { withSearch } from '../../lib/address.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { submitTo, valueTo } from '../../ui/form-events.ts'
import { keptAs } from '../../ui/kept.ts'
import styles from './list-taste.module.css'

/** Columns and saved views of the list of clusters, stored in the browser. A view is a link that can be shared. */

const columns = keptAs('daytwo.clusters.columns', readColumns)
const views = keptAs('daytwo.clusters.views', readViews)

export const useClusterColumns = columns.use

export function ListTaste({ search }: { readonly search: string }): ReactNode {
  return (
    <span className="row screen-only at-end">
      <DialogButton size="sm" renderDialog={(close) => <ViewsDialog search={search} onClose={close} />}>
        Views…
      </DialogButton>
      <DialogButton size="sm" renderDialog={(close) => <ColumnsDialog onClose={close} />}>
        Columns…
      </DialogButton>
    </span>
  )
}

function ColumnsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const shown = columns.use()
  return (
    <Dialog title="Columns" onClose={onClose}>
      <fieldset className={styles.columns}>
        <legend className="quiet">Shown in addition to the name. Stored in this browser.</legend>
        {CLUSTER_COLUMNS.map(({ name, title }) => (
          <label key={name} className="row touch">
            <input
              type="checkbox"
              checked={shown.includes(name)}
              onChange={() => {
                columns.set(readColumns(toggled(shown, name)))
              }}
            />
            {title}
          </label>
        ))}
      </fieldset>
    </Dialog>
  )
}

function ViewsDialog({ search, onClose }: { readonly search: string; readonly onClose: () => void }): ReactNode {
  const saved = views.use()
  const [name, setName] = useState('')
  return (
    <Dialog title="Views" onClose={onClose}>
      {saved.length === 0 ? (
        <p className="quiet">No saved views. A view stores the filters and the order of the list under a name.</p>
      ) : (
        <ul className="plain-list">
          {saved.map((view) => (
            <li key={view.name} className="row">
              <Link className="fills" href={withSearch(clustersPath(), view.search)} onClick={onClose}>
                {view.name}
              </Link>
              <CopyButton
                text={`${location.origin}${withSearch(clustersPath(), view.search)}`}
                label={`Copy the link of the view ${view.name}`}
              />
              <Button
                variant="link"
                size="sm"
                aria-label={`Delete the view ${view.name}`}
                onClick={() => {
                  views.set(withoutView(saved, view.name))
                }}
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        className={classNames('form', styles.form)}
        onSubmit={submitTo(() => {
          views.set(withView(saved, { name, search }))
          setName('')
        })}
      >
        <label className="field">
          Save the current list as
          <input type="text" data-first value={name} placeholder="Name of the view" onChange={valueTo(setName)} />
        </label>
        <div className="row form-actions">
          <Button type="submit" variant="primary" size="sm" isDisabled={name.trim() === ''}>
            Save view
          </Button>
          {name.trim() === '' ? <span className="quiet">Enter a name.</span> : null}
        </div>
      </form>
    </Dialog>
  )
}
