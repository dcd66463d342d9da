import { messageOf, UserError } from '#core/errors';

/** Starts a server, and names the variables to change when it can't listen where they say. */
export async function listening<T>(
  host: string,
  port: string,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
    throw cannotListen(host, port, error);
  }
}

function cannotListen(host: string, port: string, cause: unknown): UserError {
  return new UserError(
    'wrong-configuration',
    `Can't listen where ${host} and ${port} say: ${messageOf(cause)}. Another program may be there; end it or change ${port}.`,
    [],
    { cause },
  );
}
