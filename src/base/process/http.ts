/**
 * Node's own `node:http`. An import of it reads all that it exports, among that WebSocket and its events, for which Node
 * loads a second copy of undici: a tenth of a second for each process and each thread, and nothing here uses them.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
