import { invalid } from '../errors.js'

/** How many sessions that are not archived carry a tag. */
export interface TagCount {
  readonly tag: string
  readonly sessions: number
}

/** Trimmed and in lower case, so that one tag is one tag. */
export function normalTag(tag: string): string {
  const normal = tag.trim().toLowerCase()
  if (normal === '') throw invalid('A tag must hold more than white space.', 'tag')
  return normal
}

/** Segments joined by `/`: no empty ones, no `.` or `..`, no slash at the end. */
export function normalFolder(folder: string): string {
  const normal = folder.endsWith('/') && folder.length > 1 ? folder.slice(0, -1) : folder
  const segments = (normal.startsWith('/') ? normal.slice(1) : normal).split('/')
  for (const segment of segments)
    if (segment === '' || segment === '.' || segment === '..')
      throw invalid('A folder must be a path without empty, "." or ".." segments.', 'folder')
  return normal
}
