import type { Command } from '@holdfast/core'
import type { Compiler } from '../compile.js'
import { planAppend } from './append.js'
import { planActivateBranch, planCreateBranch, planPatchBranch } from './branches.js'
import { planCreateSession } from './create-session.js'
import { planWriteJournal } from './journal.js'
import { planChangeLabels } from './labels.js'
import { planPatchSession } from './patch-session.js'
import type { Plan } from './plan.js'
import { holdSession } from './session.js'
import { planAddUsage, planDeleteSession, planSetStatus, planTouchSession } from './sessions.js'
import { planSettleMessage } from './settle.js'

/** Adds to a plan the steps that carry out a command. */
export type PlanCommand = (plan: Plan, command: Command) => void

export function planCommands(compiler: Compiler): PlanCommand {
  const hold = holdSession(compiler)
  const createSession = planCreateSession(compiler)
  const patchSession = planPatchSession(compiler, hold)
  const touch = planTouchSession(compiler)
  const setStatus = planSetStatus(compiler, hold)
  const addUsage = planAddUsage(compiler)
  const deleteSession = planDeleteSession(compiler)
  const createBranch = planCreateBranch(compiler, hold)
  const patchBranch = planPatchBranch(compiler)
  const activateBranch = planActivateBranch(compiler, hold)
  const append = planAppend(compiler)
  const settle = planSettleMessage(compiler)
  const changeLabels = planChangeLabels(compiler, hold)
  const writeJournal = planWriteJournal(compiler, hold)

  return (plan, command) => {
    switch (command.type) {
      case 'append':
        return append(plan, command)
      case 'write-journal':
        return writeJournal(plan, command)
      case 'create-session':
        return createSession(plan, command)
      case 'patch-session':
        return patchSession(plan, command)
      case 'touch-session':
        return touch(plan, command)
      case 'set-status':
        return setStatus(plan, command)
      case 'add-usage':
        return addUsage(plan, command)
      case 'delete-session':
        return deleteSession(plan, command)
      case 'create-branch':
        return createBranch(plan, command)
      case 'patch-branch':
        return patchBranch(plan, command)
      case 'activate-branch':
        return activateBranch(plan, command)
      case 'settle-message':
        return settle(plan, command)
      case 'change-labels':
        return changeLabels(plan, command)
    }
  }
}
