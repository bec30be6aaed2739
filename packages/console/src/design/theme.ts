import {
  type ComboboxProps,
  type CSSVariablesResolver,
  createTheme,
  type DrawerProps,
  type MantineColorsTuple,
  type ModalProps,
  type TooltipProps,
} from '@mantine/core';
import { OUTCOME_LOOKS, OUTCOMES } from '@postrider/client';

/** From pale to deep; the eighth is the accent of the light pages. */
const violet: MantineColorsTuple = [
  '#eeedff',
  '#dcdafb',
  '#b8b4f3',
  '#938dea',
  '#746de2',
  '#5f57dd',
  '#524ad9',
  '#4338ca',
  '#3a31b3',
  '#2f279c',
];

/** The library's red, deeper where a button is filled with it: white is to be read on it in the light and in the dark. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#d42f2f',
  '#ce2b2b',
  '#c12626',
  '#ad1f1f',
];

/** The library's greys of the dark, made to be those of our dark surfaces. */
const dark: MantineColorsTuple = [
  '#c9d1db',
  '#b0b9c6',
  '#8b95a5',
  '#5d6778',
  '#3a4452',
  '#2b333f',
  '#1a2029',
  '#161b23',
  '#10141b',
  '#0b0e13',
];

/** Violet as the hand that acts; the outcomes keep every other colour to themselves. */
export const theme = createTheme({
  colors: { violet, red, dark },
  primaryColor: 'violet',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  fontFamily:
    'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  // By name: the components themselves would be a part of the first load.
  components: {
    // The options of a closed field are not rendered or positioned.
    Combobox: { defaultProps: { keepMounted: false } satisfies Partial<ComboboxProps> },
    Modal: { defaultProps: { centered: true, transitionProps: { duration: 120 } } satisfies Partial<ModalProps> },
    Drawer: { defaultProps: { transitionProps: { duration: 120 } } satisfies Partial<DrawerProps> },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200 } satisfies Partial<TooltipProps> },
  },
});

/** Each outcome has a fill for areas and an ink that is readable as text. */
function colorsIn(scheme: 'light' | 'dark'): Record<string, string> {
  return Object.fromEntries(
    OUTCOMES.flatMap((outcome) => {
      const { fill, ink } = OUTCOME_LOOKS[outcome][scheme];
      return [
        [`--${outcome}-fill`, fill],
        [`--${outcome}-ink`, ink],
      ];
    }),
  );
}

/** The library's own surfaces and greys, made to be ours: its dimmed text is too pale to read on some of them. */
export const resolveVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--surface)',
    '--mantine-color-text': 'var(--ink)',
    // The library's red is too pale to be read as small text, on either ground.
    '--mantine-color-error': 'var(--undelivered-ink)',
    '--mantine-color-dimmed': 'var(--ink-soft)',
    '--mantine-color-placeholder': 'var(--ink-faint)',
    '--combobox-chevron-color': 'var(--ink-soft)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-default': 'var(--surface)',
    '--mantine-color-default-hover': 'var(--hover)',
  };
  return { variables: {}, light: { ...shared, ...colorsIn('light') }, dark: { ...shared, ...colorsIn('dark') } };
};
