using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>CBOR in diagnostic notation (RFC 8949 section 8, RFC 8610 appendix G), for logs and for people.</summary>
public static class CoapCborNotation
{
    /// <summary>How deep arrays, maps, tags and strings that hold items (<c>&lt;&lt;...&gt;&gt;</c>) may lie in each other.</summary>
    public const int MaxDepth = CborDiagnostics.MaxDepth;

    /// <summary>How many bytes may come of a notation, if nothing else is said: 1 MiB.</summary>
    public const int DefaultMaxSize = 1024 * 1024;

    /// <summary>
    /// Writes CBOR in diagnostic notation, such as <c>{1: "a", 2: h'0102'}</c>. Bytes of strangers are welcome: items may lie 64 deep in
    /// each other, and the text grows with the bytes. Control characters in texts are escaped, so the notation is fit for logs and
    /// terminals.
    /// </summary>
    /// <remarks>
    /// <see cref="TryParse"/> makes the same bytes of it, if they are in the preferred serialization (RFC 8949 section 4.1), lengths of
    /// arrays, maps and strings definite or not. The notation has the values of others, but not how many bytes a number or a length took,
    /// the bits of a not-a-number, or a big integer that would not have needed its tag or has zeros in front.
    /// </remarks>
    /// <param name="cbor">One item, or a sequence of any number (RFC 8742).</param>
    /// <param name="notation">The notation, items of a sequence on lines of their own; when the bytes are no CBOR, that of the items before
    /// the error.</param>
    /// <param name="error">What is wrong with the bytes; <c>default</c> when nothing is.</param>
    /// <param name="width">The characters that a line may have before arrays and maps are laid out over several lines. Default: all in one
    /// line.</param>
    /// <param name="isSequence">Whether several items may follow each other, as in <c>application/cbor-seq</c>. Default false.</param>
    /// <returns>Whether all of it is well-formed.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The width is not positive.</exception>
    public static bool TryFormat(ReadOnlySpan<byte> cbor, out string notation, out CoapCborError error, int width = int.MaxValue,
        bool isSequence = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(width);
        bool isRead = CborDiagnostics.TryFormat(cbor, out notation, out ContentFault fault, width, isSequence);
        error = isRead ? default : new CoapCborError(fault.Offset, fault.Message);
        return isRead;
    }

    /// <summary>
    /// Reads diagnostic notation (RFC 8949 section 8, RFC 8610 appendix G), such as <c>{1: "a", 2: h'0102'}</c>; JSON is such a notation as
    /// well. Texts of strangers are welcome: items may lie <see cref="MaxDepth"/> deep in each other, the work grows with the length of the
    /// text, and what comes of it has a bound.
    /// </summary>
    /// <remarks>
    /// <para>
    /// Numbers: integers in decimal digits, or behind <c>0x</c>, <c>0o</c> and <c>0b</c>, of 1,024 digits at most; those beyond 64 bits
    /// become big integers (tags 2 and 3). With a point or an exponent, and behind <c>0x</c> with an exponent <c>p</c>, they are
    /// floating-point numbers, in the shortest encoding that has the value of a double; so are <c>Infinity</c>, <c>-Infinity</c> and
    /// <c>NaN</c>.
    /// </para>
    /// <para>
    /// Strings: texts in double quotes with the escapes of JSON; bytes as <c>h'01 02'</c>, <c>b64'AQI'</c> (both alphabets), <c>b32''</c>,
    /// <c>h32''</c>, with padding or without, as text in single quotes, and as the items that they hold, <c>&lt;&lt;1, 2&gt;&gt;</c>.
    /// Strings that follow each other, also with <c>+</c> in between, are one, of the type of the first. <c>(_ "a", "b")</c> is one of
    /// indefinite length; empty ones are <c>""_</c> and <c>''_</c>.
    /// </para>
    /// <para>
    /// Besides: arrays, maps (also <c>[_ 1]</c> and <c>{_ 1: 2}</c>), tags as <c>1(0)</c>, <c>true</c>, <c>false</c>, <c>null</c>,
    /// <c>undefined</c>, <c>simple(99)</c>, a comma behind the last item, and comments: <c>/ ... /</c>, and <c>//</c> and <c>#</c> to the
    /// end of the line. An encoding indicator (<c>_i</c>, <c>_0</c> to <c>_3</c>) behind a number, a string, the number of a tag or the
    /// bracket that begins an array or a map says how many bytes the number or the length takes; floating-point numbers are rounded to it.
    /// Not read are extensions such as <c>dt'...'</c>, and <c>...</c> for what was left out. Keys may come twice.
    /// </para>
    /// </remarks>
    /// <param name="notation">One item, or a sequence of any number with commas in between (RFC 8742).</param>
    /// <param name="cbor">The CBOR; empty when the text is no notation.</param>
    /// <param name="error">What is wrong with the text, at which character; <c>default</c> when nothing is.</param>
    /// <param name="isSequence">Whether there may be several items or none, as in <c>application/cbor-seq</c>. Default false.</param>
    /// <param name="maxSize">How many bytes of CBOR may come of it. Default: <see cref="DefaultMaxSize"/>.</param>
    /// <returns>Whether all of it is notation and no bound is exceeded.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The size is not positive.</exception>
    public static bool TryParse(ReadOnlySpan<char> notation, out byte[] cbor, out CoapCborError error, bool isSequence = false,
        int maxSize = DefaultMaxSize)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxSize);
        bool isRead = NotationReader.TryRead(notation, out cbor, out ContentFault fault, isSequence, maxSize);
        error = isRead ? default : new CoapCborError(fault.Offset, fault.Message);
        return isRead;
    }

    /// <summary>Reads diagnostic notation, as <see cref="TryParse"/> does.</summary>
    /// <param name="notation">One item, or a sequence of any number with commas in between (RFC 8742).</param>
    /// <param name="isSequence">Whether there may be several items or none, as in <c>application/cbor-seq</c>. Default false.</param>
    /// <param name="maxSize">How many bytes of CBOR may come of it. Default: <see cref="DefaultMaxSize"/>.</param>
    /// <returns>The CBOR.</returns>
    /// <exception cref="CoapCborException">The text is no notation, or a bound is exceeded.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The size is not positive.</exception>
    public static byte[] Parse(ReadOnlySpan<char> notation, bool isSequence = false, int maxSize = DefaultMaxSize) =>
        TryParse(notation, out byte[] cbor, out CoapCborError error, isSequence, maxSize) ? cbor : throw new CoapCborException(error);
}
