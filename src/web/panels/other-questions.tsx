import type { ReactNode } from 'react'
import { Link } from 'wouter'
import {
  edgesPath,
  FLEET_ROUTES,
  modificationsPath,
  upgradesPath,
  adoptionPath,
  lintPath,
  resolvedPath,
} from '../lib/paths.ts'
import styles from './other-questions.module.css'

/** What people ask next, one step away: the landing page answers what is wrong now, and these are about the rest. */
export function OtherQuestions(): ReactNode {
  return (
    <nav className={`row quiet text-small spaced ${styles.root}`} aria-label="Other questions">
      <Link href={modificationsPath()}>Who patches or edits by hand?</Link>
      <Link href={FLEET_ROUTES.gates}>Which feature gates are used?</Link>
      <Link href={edgesPath({ show: 'stranded' })}>Who is stranded?</Link>
      <Link href={upgradesPath()}>How did upgrades go?</Link>
      <Link href={adoptionPath()}>How fast does the newest version spread?</Link>
      <Link href={resolvedPath()}>What fired and is over?</Link>
      <Link href={lintPath()}>Are rules and runbooks sound?</Link>
    </nav>
  )
}
