import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownFolder } from './folder.js'

const require = createRequire(import.meta.url)

/**
 * Installs this package and its driver a second time, as package managers do when versions disagree, and returns its
 * entry. The driver's native library is a file of its own, so the process loads a second engine.
 */
export function installSecondCopy(): string {
  const modules = join(ownFolder(), 'node_modules')
  const adapter = join(modules, '@holdfast', 'sqlite')
  for (const file of ['package.json', 'dist']) {
    cpSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), join(adapter, file), { recursive: true })
  }
  const driver = rootOf('better-sqlite3', require)
  for (const file of ['package.json', 'lib', 'build/Release/better_sqlite3.node']) {
    cpSync(join(driver, file), join(modules, 'better-sqlite3', file), { recursive: true })
  }
  link('@holdfast/core', require)
  link('@holdfast/sql', require)
  const ofDriver = createRequire(join(driver, 'package.json'))
  link('bindings', ofDriver)
  return join(adapter, 'dist', 'index.js')

  function link(name: string, from: NodeJS.Require): void {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(rootOf(name, from), join(modules, name))
  }
}

function rootOf(name: string, from: NodeJS.Require): string {
  return dirname(from.resolve(`${name}/package.json`))
}
