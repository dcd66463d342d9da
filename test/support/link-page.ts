import { PLATFORMS } from '#app/config';
import { createLinkPage, type LinkPageOptions } from '#http/pages/link/link-page';
import { openApi, TestLog } from './api.ts';
import { TestLinkService } from './link-service.ts';

/** A service with the link page. */
export interface TestLinkPage {
  readonly url: string;
  readonly port: number;
  readonly service: TestLinkService;
  readonly log: TestLog;
  close(): Promise<void>;
}

/** Starts the page on a real server, over a stand-in for the service behind it. */
export async function openLinkPage(
  options: Partial<LinkPageOptions> & { readonly port?: number } = {},
  limits: Pick<LinkPageOptions, 'requestsAMinute'> = { requestsAMinute: 10_000 },
): Promise<TestLinkPage> {
  const service = new TestLinkService();
  const log = new TestLog();
  const api = await openApi({
    port: options.port ?? 0,
    register: createLinkPage({
      service,
      platforms: PLATFORMS,
      publicUrl: 'http://127.0.0.1',
      log,
      ...limits,
      ...options,
    }),
  });
  service.domain = `127.0.0.1:${api.port}`;
  return { url: api.url, port: api.port, service, log, close: () => api.close() };
}
