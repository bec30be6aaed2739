import type { ErrorKey } from '@postrider/client';
import { faultSentences } from './tables/fault-sentences.js';
import { problemSentences } from './tables/problem-sentences.js';

export const chineseSentences: Readonly<Record<ErrorKey, string>> = { ...faultSentences, ...problemSentences };
