import { startPostgres } from '@holdfast/servers'

// Run as a process of its own. It starts a server and never stops it: either it waits to be killed, or it ends.

const [, , what = ''] = process.argv
const server = await startPostgres({ version: 18 })
if (what === 'halt') await server.kill('SIGSTOP')
process.stdout.write(`${server.pid}\n`)
if (what !== 'end') setInterval(() => {}, 60_000)
