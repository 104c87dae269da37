/** Where every time in a store comes from: whole milliseconds since 1970. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
