import { laterPart } from '../ui/later-part.tsx'

/** What the shell shows over any page, and most readers never see. */

export const ViewDialog = laterPart(async () => (await import('./view-dialog.tsx')).ViewDialog)

/** Only a demo has one. */
export const Tour = laterPart(async () => (await import('./tour.tsx')).Tour)

/** It reads all there is to go to, which the first screen can do without. */
export const CommandMenu = laterPart(async () => (await import('./command-menu.tsx')).CommandMenu)
