using System.Globalization;

namespace CoAP.NET.Content.Cbor;

/// <summary>A cursor over diagnostic notation, character by character. After a fault nothing more can be read.</summary>
internal ref struct NotationCursor
{
    private const int MaxWordShown = 20;

    private readonly ReadOnlySpan<char> _text;

    public NotationCursor(ReadOnlySpan<char> text) => _text = text;

    /// <summary>The position of the next character.</summary>
    public int Position { get; private set; }

    public readonly bool IsAtEnd => Position == _text.Length;

    /// <summary>The next character; NUL at the end, which is never valid in notation.</summary>
    public readonly char Next => IsAtEnd ? '\0' : _text[Position];

    /// <summary>The unread rest.</summary>
    public readonly ReadOnlySpan<char> Rest => _text[Position..];

    /// <summary>The fault; valid only after a method returned false.</summary>
    public ContentFault Fault { get; private set; }

    /// <summary>Returns the characters since a position.</summary>
    public readonly ReadOnlySpan<char> Since(int start) => _text[start..Position];

    public readonly bool IsAt(string expected) => Rest.StartsWith(expected, StringComparison.Ordinal);

    /// <summary>Takes characters that the caller has already checked.</summary>
    public void Take(int count = 1) => Position += count;

    /// <summary>Takes the given characters, if they are next.</summary>
    public bool TryTake(string expected)
    {
        bool isThere = IsAt(expected);
        Position += isThere ? expected.Length : 0;
        return isThere;
    }

    /// <summary>Takes the given characters; others are a fault.</summary>
    public bool TryExpect(string expected) => TryTake(expected) || Expected(expected);

    /// <summary>Takes letters and digits, possibly none.</summary>
    public ReadOnlySpan<char> TakeWord()
    {
        int start = Position;
        while (char.IsAsciiLetterOrDigit(Next))
        {
            Position++;
        }

        return Since(start);
    }

    /// <summary>Skips white space and comments.</summary>
    /// <param name="isSlashSpace">Whether a slash begins a comment, as everywhere except among digits of base64.</param>
    /// <returns>Whether the last comment has an end.</returns>
    public bool TrySkipSpace(bool isSlashSpace = true)
    {
        while (true)
        {
            switch (Next)
            {
                case ' ' or '\t' or '\r' or '\n':
                    Position++;
                    break;
                case '#':
                    SkipLine();
                    break;
                case '/' when isSlashSpace && IsAt("//"):
                    SkipLine();
                    break;
                case '/' when isSlashSpace:
                    int length = Rest[1..].IndexOf('/');
                    if (length < 0)
                    {
                        return Fail(Position, "the / at the end of the comment that begins here was expected, but the text ends");
                    }

                    Position += length + 2;
                    break;
                default:
                    return true;
            }
        }
    }

    /// <summary>Reads an encoding indicator (RFC 8949 section 8.1).</summary>
    /// <param name="indicator">The indicated indicator; the shortest without an indicator.</param>
    public bool TryReadIndicator(out CborEncodingIndicator indicator)
    {
        indicator = CborEncodingIndicator.Shortest;
        if (!TryTake("_"))
        {
            return true;
        }

        int start = Position;
        ReadOnlySpan<char> word = TakeWord();
        indicator = word switch
        {
            "" => CborEncodingIndicator.Indefinite,
            "i" => CborEncodingIndicator.Immediate,
            "0" => CborEncodingIndicator.One,
            "1" => CborEncodingIndicator.Two,
            "2" => CborEncodingIndicator.Four,
            "3" => CborEncodingIndicator.Eight,
            _ => CborEncodingIndicator.Shortest,
        };
        return indicator != CborEncodingIndicator.Shortest || ExpectedWord(start, "0, 1, 2, 3 or i as encoding indicator");
    }

    /// <summary>Reports an unexpected character.</summary>
    public bool Expected(string what) => Fail(Position, $"{what} was expected, but {Standing}");

    /// <summary>Reports an unexpected word.</summary>
    /// <param name="start">The start of the already taken word.</param>
    /// <param name="what">The expected text.</param>
    public bool ExpectedWord(int start, string what)
    {
        ReadOnlySpan<char> word = Since(start);
        return Fail(start, word.Length <= MaxWordShown
            ? $"{what} was expected, but {word} was found"
            : $"{what} was expected, but {word[..MaxWordShown]}... was found");
    }

    /// <summary>Records a fault, after which nothing more can be read.</summary>
    public bool Fail(int offset, string message)
    {
        Fault = new ContentFault(offset, message);
        Position = _text.Length;
        return false;
    }

    // The sentence is safe for logs and terminals, whatever the text contains.
    private readonly string Standing => IsAtEnd ? "the text ends" : Next switch
    {
        ' ' => "a space was found",
        '\r' or '\n' => "the line ends",
        '\'' => "a single quote was found",
        '"' => "a double quote was found",
        > ' ' and < '\u007f' => $"'{Next}' was found",
        _ => string.Create(CultureInfo.InvariantCulture, $"U+{(int)Next:X4} was found"),
    };

    private void SkipLine()
    {
        int length = Rest.IndexOfAny('\r', '\n');
        Position = length < 0 ? _text.Length : Position + length;
    }
}
