/** Written beside every migration that this library applies. */
export const libraryVersion = '0.0.0'
