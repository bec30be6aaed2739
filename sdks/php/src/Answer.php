<?php

declare(strict_types=1);

namespace Postrider;

use Psr\Http\Message\ResponseInterface;

/**
 * What a call was answered with, when that was a success.
 *
 * @internal
 */
final class Answer
{
    public function __construct(public readonly mixed $value, private readonly ResponseInterface $response)
    {
    }

    public function header(string $name): string
    {
        return $this->response->getHeaderLine($name);
    }
}
