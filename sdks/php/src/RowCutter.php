<?php

declare(strict_types=1);

namespace Postrider;

/**
 * Cuts a file that comes in pieces of any size where its rows end.
 *
 * Within quotes, a line break is a part of the cell; quotes inside of them are doubled, so counting all of them tells which
 * it is. No byte of another character is a quote or a line break.
 *
 * @internal
 */
final class RowCutter
{
    /** The beginning of a row whose end has not come. */
    public string $rest = '';
    private bool $isQuoted = false;

    public function __construct(private readonly bool $hasQuotes)
    {
    }

    /**
     * Takes a piece in, and returns the rows that are complete with it: their text, how many, and the last of them.
     *
     * @return array{string, int, string}
     */
    public function push(string $piece): array
    {
        // The rest was looked through when it came.
        $position = strlen($this->rest);
        $text = $this->rest . $piece;
        [$rows, $lastStart, $end] = [0, 0, 0];
        while (true) {
            $lineEnd = strpos($text, "\n", $position);
            $stretchEnd = $lineEnd === false ? strlen($text) : $lineEnd;
            if ($this->hasQuotes && substr_count($text, '"', $position, $stretchEnd - $position) % 2 === 1) {
                $this->isQuoted = !$this->isQuoted;
            }
            if ($lineEnd === false) {
                break;
            }
            $position = $lineEnd + 1;
            if (!$this->isQuoted) {
                $rows++;
                [$lastStart, $end] = [$end, $position];
            }
        }
        $this->rest = substr($text, $end);
        return [substr($text, 0, $end), $rows, substr($text, $lastStart, $end - $lastStart)];
    }
}
