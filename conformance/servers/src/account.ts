import { readFileSync } from 'node:fs'

/** The account that a server runs under. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** Nothing when this process may run the server itself: Postgres refuses to run as root only. */
export function accountForServers(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  )
  const account = accounts.get('postgres') ?? accounts.get('nobody')
  if (account === undefined)
    throw new Error('Postgres does not run as root, and there is neither an account `postgres` nor `nobody` for it.')
  return account
}
