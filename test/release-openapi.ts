import { release } from './support/openapi/released.ts';

/** At a release: makes the current /openapi.json the one that later ones must stay compatible with. */
release();
