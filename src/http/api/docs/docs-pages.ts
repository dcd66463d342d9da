import type { Compressor } from '#http/api/compressor';
import type { Exchange } from '#http/api/exchange';
import type { OpenApiDocument } from '#http/api/openapi';
import { type PageSender, staticPage } from '#http/api/static-page';
import { readChangelog } from './changelog.ts';
import type { Examples, LiveExamples } from './examples.ts';
import { chooseLanguage, type DocsLanguage } from './language.ts';
import { type DocsOptions, renderDocs } from './page.ts';

interface PagesOptions extends Pick<DocsOptions, 'isDemo' | 'limits'> {
  readonly document: () => OpenApiDocument;
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: () => string;
  readonly examples: LiveExamples;
  readonly compressor: Compressor;
}

/** The page in each language, rendered again when its examples have changed. */
export class DocsPages {
  readonly #options: PagesOptions;
  readonly #changelog = readChangelog();
  readonly #rendered = new Map<DocsLanguage, { examples: Examples; send: PageSender }>();

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  async send(exchange: Exchange): Promise<void> {
    const language = chooseLanguage(exchange.url, exchange.req.headers['accept-language']);
    const examples = await this.#options.examples.current();
    let page = this.#rendered.get(language);
    if (page?.examples !== examples) {
      page = { examples, send: this.#render(examples, language) };
      this.#rendered.set(language, page);
    }
    page.send(exchange);
  }

  #render(examples: Examples, language: DocsLanguage): PageSender {
    const { document, baseUrl, isDemo, limits, compressor } = this.#options;
    const options = { document: document(), baseUrl: baseUrl(), isDemo, limits, examples };
    const page = renderDocs({ ...options, changelog: this.#changelog }, language);
    return staticPage(page, compressor);
  }
}
