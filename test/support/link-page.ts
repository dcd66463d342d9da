import { PLATFORMS } from '#app/config';
import { createLinkPage, type LinkPageOptions } from '#http/pages/link/link-page';
import { LINK_PATH } from '#http/pages/link/request';
import { openApi, TestLog } from './api.ts';
import { joinScripts } from './joined-scripts.ts';
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
  const addPage = createLinkPage({
    service,
    platforms: PLATFORMS,
    publicUrl: 'http://127.0.0.1',
    log,
    ...limits,
    ...options,
  });
  const api = await openApi({
    port: options.port ?? 0,
    register(app) {
      joinScripts(app, `${LINK_PATH}/app.js`);
      addPage(app);
    },
  });
  service.domain = `127.0.0.1:${api.port}`;
  return { url: api.url, port: api.port, service, log, close: () => api.close() };
}
