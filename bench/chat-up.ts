import { pause } from './process.ts';

/** Waits until a service reports that one of its chats is connected. @throws after half a minute */
export async function chatUp(port: number, chat: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, { ok: boolean }> };
    if (checks[chat]?.ok) return;
    await pause(50);
  }
  throw new Error(`${chat} was not connected in time`);
}
