/** What a chat platform is. */

export type {
  CardPreview,
  ConfiguredPlatform,
  HttpDelivery,
  Platform,
  PlatformHost,
  RunningPlatform,
} from './platform.ts';
