// Words that people choose for passwords before all others. Written down for this project from what every study of leaked
// passwords reports (the word itself, names of the keyboard, affection, sports, animals, months, first names, things of the
// product); no published list was copied. The rules beside it add the endings.

export const COMMON_WORDS: readonly string[] = `
password passwort passwd pass secret geheim hello welcome willkommen login signin letmein changeme default temp temporary
admin administrator root user guest test tester testing demo sample master manager operator system server computer internet
postrider console message messages sms company office business money finance bank account
qwerty qwertz azerty asdf asdfgh zxcvbn qazwsx
love iloveyou loveyou lover baby angel princess prince sunshine flower butterfly chocolate cookie sweet honey summer winter
spring autumn january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
football soccer baseball basketball hockey tennis golf liverpool arsenal chelsea barcelona realmadrid
dragon monkey tiger lion eagle shadow killer hunter ranger batman superman spiderman pokemon naruto starwars matrix ninja
samsung apple google microsoft windows android iphone facebook linkedin twitter
michael jennifer jessica ashley daniel thomas robert andrew charlie jordan george anthony joshua matthew nicole michelle
taylor hannah maggie ginger buster pepper harley cooper
china beijing shanghai america london paris berlin freedom trustno access
woaini wangzhan mima zhongguo nihao
`
  .trim()
  .split(/\s+/);

export const KEYBOARD_ROWS: readonly string[] = [
  '1234567890-=',
  'qwertyuiop[]',
  'asdfghjkl;',
  'zxcvbnm,./',
  'qwertzuiop',
  'azertyuiop',
];
