namespace CoAP.NET.Content;

/// <summary>
/// Reads a human-readable line from concise problem details (RFC 9290), for the message of an exception. The package CoAP.NET.Content reads
/// them completely.
/// </summary>
internal static class ProblemDetailsText
{
    private const long Title = -1;
    private const long Detail = -2;
    private const long Instance = -3;

    // A text with its language: an array of the language, the text, and optionally the direction (RFC 9290 appendix A).
    private const ulong LanguageTag = 38;

    /// <summary>Returns title and detail of problem details, or otherwise the instance.</summary>
    /// <returns>The text; null if the payload is malformed or has none of them.</returns>
    public static string? Of(ReadOnlySpan<byte> bytes)
    {
        MinimalCborReader scan = new(bytes);
        if (!scan.TryReadHead(out int major, out ulong? pairs) || major != CborHeadWriter.Map)
        {
            return null;
        }

        (string? title, string? detail, string? instance) = (null, null, null);
        for (ulong i = 0; pairs is { } count ? i < count : !scan.TryTakeBreak(); i++)
        {
            MinimalCborReader value = scan;
            if (!value.TryReadInt(out long key) || key is not (Title or Detail or Instance))
            {
                if (!scan.TrySkip() || !scan.TrySkip())
                {
                    return null;
                }

                continue;
            }

            scan = value;
            if (!TryReadText(ref scan, out string text))
            {
                return null;
            }

            title = key == Title ? text : title;
            detail = key == Detail ? text : detail;
            instance = key == Instance ? text : instance;
        }

        return !scan.IsAtEnd ? null : title is not null && detail is not null ? $"{title}: {detail}" : title ?? detail ?? instance;
    }

    private static bool TryReadText(ref MinimalCborReader scan, out string text)
    {
        MinimalCborReader tagged = scan;
        if (!tagged.TryReadHead(out int major, out ulong? tag) || major != CborHeadWriter.Tag || tag != LanguageTag)
        {
            return scan.TryReadText(out text);
        }

        scan = tagged;
        text = string.Empty;
        if (!scan.TryReadHead(out major, out ulong? count) || major != CborHeadWriter.Array || count is not (null or 2 or 3)
            || !scan.TryReadText(out _) || !scan.TryReadText(out text))
        {
            return false;
        }

        return count == 2 || (count == 3 ? scan.TrySkip() : scan.TryTakeBreak() || (scan.TrySkip() && scan.TryTakeBreak()));
    }
}
