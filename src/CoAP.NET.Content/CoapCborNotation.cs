using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>Formats and parses CBOR in diagnostic notation (RFC 8949 section 8, RFC 8610 appendix G), for logs and human readers.</summary>
public static class CoapCborNotation
{
    /// <summary>The maximum nesting depth of arrays, maps, tags and strings with items (<c>&lt;&lt;...&gt;&gt;</c>).</summary>
    internal const int MaxDepth = CborDiagnostics.MaxDepth;

    /// <summary>The default limit for the bytes of a parsed notation: 1 MiB.</summary>
    internal const int DefaultMaxSize = 1024 * 1024;

    /// <summary>Formats CBOR in diagnostic notation, such as <c>{1: "a", 2: h'0102'}</c>.</summary>
    /// <remarks>
    /// Untrusted bytes are safe: items may be nested 64 deep, and the text grows with the bytes. Control characters in texts are escaped,
    /// so the notation is safe for logs and terminals.
    /// {TryParse} restores the same bytes if they are in the preferred serialization (RFC 8949 section 4.1), with definite or indefinite
    /// lengths. For other bytes the notation keeps the values only. It loses the encoded size of numbers and lengths, the bits of a
    /// not-a-number, and unneeded tags or leading zeros of big integers.
    /// </remarks>
    /// <param name="cbor">One item, or a sequence of any number of items (RFC 8742).</param>
    /// <param name="notation">
    /// The notation, with each item of a sequence on its own line. For invalid CBOR, the notation of the items before the error.
    /// </param>
    /// <param name="error">The error in the bytes; <c>default</c> for none.</param>
    /// <param name="width">
    /// The maximum line length in characters before arrays and maps are split over several lines. Default: everything on one line.
    /// </param>
    /// <param name="isSequence">Whether several items may follow each other, as in <c>application/cbor-seq</c>. Default false.</param>
    /// <returns>Whether all bytes are well-formed.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="width"/> is not positive.</exception>
    public static bool TryFormat(ReadOnlySpan<byte> cbor, out string notation, out CoapContentSyntaxError error, int width = int.MaxValue,
        bool isSequence = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(width);
        bool isRead = CborDiagnostics.TryFormat(cbor.ToArray(), out notation, out ContentFault fault, width, isSequence);
        error = isRead ? default : new CoapContentSyntaxError(fault.Offset, fault.Message);
        return isRead;
    }

    /// <summary>
    /// Parses diagnostic notation (RFC 8949 section 8, RFC 8610 appendix G), such as <c>{1: "a", 2: h'0102'}</c>. JSON is valid notation
    /// too.
    /// </summary>
    /// <remarks>
    /// Untrusted texts are safe: items may be nested 64 deep, the work grows with the length of the text, and the size
    /// of the result is limited.
    /// <para>
    /// Numbers: integers in decimal digits, or after <c>0x</c>, <c>0o</c> and <c>0b</c>, with 1,024 digits at most. Those beyond 64 bits
    /// become big integers (tags 2 and 3). With a point or an exponent, and after <c>0x</c> with an exponent <c>p</c>, they are
    /// floating-point numbers, in the shortest encoding of the value of a double. <c>Infinity</c>, <c>-Infinity</c> and
    /// <c>NaN</c> are such numbers too.
    /// </para>
    /// <para>
    /// Strings: texts in double quotes with the escapes of JSON; bytes as <c>h'01 02'</c>, <c>b64'AQI'</c> (both alphabets), <c>b32''</c>,
    /// <c>h32''</c>, with padding or without, as text in single quotes, and as the items inside, <c>&lt;&lt;1, 2&gt;&gt;</c>.
    /// Consecutive strings, with or without <c>+</c> in between, form one of the type of the first. <c>(_ "a", "b")</c> is one of
    /// indefinite length; empty ones are <c>""_</c> and <c>''_</c>.
    /// </para>
    /// <para>
    /// Other syntax: arrays, maps (also <c>[_ 1]</c> and <c>{_ 1: 2}</c>), tags as <c>1(0)</c>, <c>true</c>, <c>false</c>, <c>null</c>,
    /// <c>undefined</c>, <c>simple(99)</c>, a comma after the last item, and comments: <c>/ ... /</c>, and <c>//</c> and <c>#</c> to the
    /// end of the line. An encoding indicator (<c>_i</c>, <c>_0</c> to <c>_3</c>) after a number, a string, the number of a tag or the
    /// opening bracket of an array or a map sets the size of the number or length in bytes; floating-point numbers are rounded to it.
    /// Extensions such as <c>dt'...'</c>, and <c>...</c> for omitted parts, are not supported. Duplicate keys are allowed.
    /// </para>
    /// </remarks>
    /// <param name="notation">One item, or a sequence of any number of items, separated by commas (RFC 8742).</param>
    /// <param name="cbor">The CBOR; empty for invalid notation.</param>
    /// <param name="error">The error in the text and its position; <c>default</c> for none.</param>
    /// <param name="isSequence">Whether several items or none are allowed, as in <c>application/cbor-seq</c>. Default false.</param>
    /// <param name="maxSize">The maximum number of bytes of CBOR. Default: 1 MiB.</param>
    /// <returns>Whether the whole text is valid and no limit is exceeded.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxSize"/> is not positive.</exception>
    public static bool TryParse(ReadOnlySpan<char> notation, out byte[] cbor, out CoapContentSyntaxError error, bool isSequence = false,
        int maxSize = DefaultMaxSize)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxSize);
        bool isRead = DiagnosticNotationReader.TryRead(notation, out cbor, out ContentFault fault, isSequence, maxSize);
        error = isRead ? default : new CoapContentSyntaxError(fault.Offset, fault.Message);
        return isRead;
    }

    /// <summary>Parses diagnostic notation, like <see cref="TryParse"/>.</summary>
    /// <param name="notation">One item, or a sequence of any number of items, separated by commas (RFC 8742).</param>
    /// <param name="isSequence">Whether several items or none are allowed, as in <c>application/cbor-seq</c>. Default false.</param>
    /// <param name="maxSize">The maximum number of bytes of CBOR. Default: 1 MiB.</param>
    /// <returns>The CBOR.</returns>
    /// <exception cref="CoapFormatException">The text is not valid notation, or a limit is exceeded.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxSize"/> is not positive.</exception>
    public static byte[] Parse(ReadOnlySpan<char> notation, bool isSequence = false, int maxSize = DefaultMaxSize) =>
        TryParse(notation, out byte[] cbor, out CoapContentSyntaxError error, isSequence, maxSize) ? cbor : throw new CoapFormatException(
            $"The text is not CBOR in diagnostic notation: {error.Message} (offset {error.Offset}).", error.Offset);
}
