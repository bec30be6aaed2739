// The words of the frame in each language. Pages of the calls exist in English only.

import { HOMES, type Language } from '#src/http/docs/language.js';
import type { Section } from './sections.js';

interface FrameWords {
  /** For `lang` and `hreflang`. */
  readonly tag: string;
  /** The language in its own words, for the switch. */
  readonly name: string;
  readonly documentation: string;
  readonly skip: string;
  readonly menu: string;
  readonly search: string;
  readonly searchLabel: string;
  readonly searchResults: string;
  readonly console: string;
  readonly contents: string;
  readonly neighbours: string;
  readonly previous: string;
  readonly next: string;
  readonly table: string;
  readonly anchor: string;
  readonly transitions: string;
  readonly leadsTo: string;
  readonly code: string;
  readonly example: string;
  readonly notFound: string;
  readonly notFoundHint: string;
  readonly notFoundLink: string;
  readonly sections: Readonly<Record<Section, string>>;
}

export const FRAME_WORDS: Readonly<Record<Language, FrameWords>> = {
  en: {
    tag: 'en',
    name: 'English',
    documentation: 'Postrider documentation',
    skip: 'Skip to content',
    menu: 'Menu',
    search: 'Search',
    searchLabel: 'Search the documentation',
    searchResults: 'Search results',
    console: 'Console',
    contents: 'On this page',
    neighbours: 'Previous and next page',
    previous: 'Previous',
    next: 'Next',
    table: 'Table',
    anchor: 'Link to this section',
    transitions: 'Transitions',
    leadsTo: 'leads to',
    code: 'Code',
    example: 'Example',
    notFound: 'There is no such page',
    notFoundHint: 'It may have moved. Use the search above, or start from the overview.',
    notFoundLink: 'Go to the overview',
    sections: {
      Start: 'Start',
      Guides: 'Guides',
      'Customer API': 'Customer API',
      'Operator API': 'Operator API',
      Reference: 'Reference',
      Project: 'Project',
    },
  },
  zh: {
    tag: 'zh-Hans',
    name: '中文',
    documentation: 'Postrider 文档',
    skip: '跳到正文',
    menu: '菜单',
    search: '搜索',
    searchLabel: '搜索文档',
    searchResults: '搜索结果',
    console: '控制台',
    contents: '本页内容',
    neighbours: '上一页和下一页',
    previous: '上一页',
    next: '下一页',
    table: '表格',
    anchor: '本节链接',
    transitions: '状态变化',
    leadsTo: '变为',
    code: '代码',
    example: '示例',
    notFound: '页面不存在',
    notFoundHint: '页面可能已移动，请使用上方搜索，或从文档首页开始浏览。',
    notFoundLink: '前往文档首页',
    sections: {
      Start: '开始使用',
      Guides: '使用指南',
      'Customer API': '客户 API',
      'Operator API': '平台管理',
      Reference: '参考',
      Project: '项目',
    },
  },
};

const CHINESE_FOLDER = 'docs/zh/';

export function languageOf(file: string): Language {
  return file.startsWith(CHINESE_FOLDER) ? 'zh' : 'en';
}

/** Where the translation of an English page lies. A page outside `docs` has its name there: `docs/zh/client.md`. */
export function translationOf(file: string): string {
  if (file === 'packages/client/README.md') return `${CHINESE_FOLDER}client.md`;
  return file.replace(/^docs\//, CHINESE_FOLDER);
}

/** An address of the English documentation in another language. */
export function localizePath(path: string, language: Language): string {
  return language === 'en' ? path : path.replace(/^\/docs(?=[/#]|$)/, HOMES[language]);
}
