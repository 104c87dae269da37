import type { TestProject } from 'vitest/node'
import { shareServers } from './shared-servers.js'

/** Run by vitest before the first test file. What it returns is run after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await shareServers()
  project.provide('postgresServers', servers.address)
  return servers.close
}
