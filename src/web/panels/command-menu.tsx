import { Fragment, useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { shownGroups } from '../lib/command-groups.ts'
import { formatCount } from '../lib/format-number.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useMenu, type Command, type MenuGroup, type Search } from './command-groups.ts'
import { classNames } from '../ui/class-names.ts'
import styles from './command-menu.module.css'

/** Entries of one group while text is typed. */
const SHOWN_MAX = 6

interface MenuPart {
  readonly title: string
  /** `6 of 42`, or how many there are. */
  readonly says: string
  readonly commands: readonly Command[]
}

/** Finds all pages, objects and actions of the UI by typing. */
export function CommandMenu({ onClose }: { readonly onClose: () => void }): ReactNode {
  const listId = useId()
  const [typed, setTyped] = useState('')
  /** By key, because commands that are found later come in between. */
  const [chosenKey, setChosenKey] = useState<string | null>(null)
  const { groups, search } = useMenu(typed)
  const parts = useMenuParts(groups, typed)
  const found = parts.flatMap(({ commands }) => commands)
  const at = Math.max(
    found.findIndex((command) => keyOf(command) === chosenKey),
    0,
  )
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      const next = (at + step + found.length) % found.length
      setChosenKey(keyOf(found[next]))
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(found[at])
    }
  }
  let place = 0
  return (
    <Dialog title="Command menu" isTitleHidden onClose={onClose}>
      <input
        className={styles.input}
        type="text"
        role="combobox"
        aria-label="Find a page, cluster, upgrade, alert, metric or action"
        aria-expanded="true"
        aria-controls={listId}
        {...(found.length > 0 ? { 'aria-activedescendant': `${listId}-${at}` } : {})}
        placeholder="Page, cluster, upgrade, alert, metric…"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setChosenKey(null)
        }}
        onKeyDown={onKeyDown}
      />
      <ul className={`scrolls ${styles.list}`} role="listbox" id={listId} aria-label="Commands">
        {parts.map(({ title, says, commands }) => (
          <Fragment key={title}>
            <li className={`row row-nowrap row-text quiet text-tiny ${styles.group}`} role="presentation">
              {title} <span className="nums">{says}</span>
            </li>
            {commands.map((command) => {
              const i = place++
              return (
                <li
                  key={keyOf(command)}
                  id={`${listId}-${i}`}
                  role="option"
                  className="row row-nowrap row-text"
                  aria-selected={i === at}
                  onClick={() => {
                    run(command)
                  }}
                >
                  <span>{command.label}</span>{' '}
                  <span className={`quiet text-small one-line ${styles.note}`}>{command.note}</span>
                </li>
              )
            })}
          </Fragment>
        ))}
      </ul>
      <p className={classNames(styles.none, 'quiet')} role="status">
        {SEARCH_TEXTS[search] ?? (found.length === 0 ? `No match for “${typed}”.` : null)}
      </p>
    </Dialog>
  )
}

function keyOf(command: Command | undefined): string | null {
  return command === undefined ? null : `${command.note} ${command.label}`
}

const SEARCH_TEXTS: Readonly<Partial<Record<Search, string>>> = {
  looking: 'Searching clusters…',
  failed: 'Could not load clusters: the list contains none.',
}

function useMenuParts(groups: readonly MenuGroup[], typed: string): readonly MenuPart[] {
  const [, navigate] = useLocation()
  const isTyped = typed.trim() !== ''
  return shownGroups(groups, typed, SHOWN_MAX).map(({ title, shown, count }) => {
    const { morePath, isMoreWhole = false, isPart = false } = groups.find((group) => group.title === title) ?? {}
    const isCut = count > shown.length
    const more: Command = {
      label: isMoreWhole ? `All ${title.toLowerCase()}` : `All ${formatCount(count)} in ${title.toLowerCase()}`,
      note: 'full list',
      run: () => {
        if (morePath !== undefined) navigate(morePath)
      },
    }
    return {
      title,
      says: `${isCut ? `${formatCount(shown.length)} of ` : ''}${formatCount(count)}${isPart && isTyped ? ' or more' : ''}`,
      commands: isCut && isTyped && morePath !== undefined ? [...shown, more] : shown,
    }
  })
}
