using System.Buffers;
using System.Text;
using System.Text.Unicode;
using CoAP.NET.LinkFormat;

namespace CoAP.NET;

/// <summary>Reads, writes and filters documents in the CoRE link format, Content-Format 40 (RFC 6690).</summary>
public static class CoapLinkFormat
{
    /// <summary>The default maximum number of links.</summary>
    internal const int DefaultMaxLinks = 10_000;

    /// <summary>Reads a document.</summary>
    /// <param name="text">The document; empty for no link.</param>
    /// <param name="maxLinks">The maximum number of links; more are an error.</param>
    /// <returns>The links in order.</returns>
    /// <exception cref="CoapFormatException">The text is not in link format.</exception>
    public static IReadOnlyList<CoapLink> Parse(string text, int maxLinks = DefaultMaxLinks) =>
        TryParse(text, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error, maxLinks)
            ? links
            : throw NotLinkFormat(error);

    /// <summary>Reads a document.</summary>
    /// <param name="utf8">The document in UTF-8; empty for no link.</param>
    /// <param name="maxLinks">The maximum number of links; more are an error.</param>
    /// <returns>The links in order.</returns>
    /// <exception cref="CoapFormatException">The bytes are not in link format.</exception>
    public static IReadOnlyList<CoapLink> Parse(ReadOnlySpan<byte> utf8, int maxLinks = DefaultMaxLinks) =>
        TryParse(utf8, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error, maxLinks)
            ? links
            : throw NotLinkFormat(error);

    /// <summary>Reads a document.</summary>
    /// <remarks>It accepts white space after a comma and at the end, although the grammar does not allow it.</remarks>
    /// <param name="text">The document; empty for no link.</param>
    /// <param name="links">The links in order; empty after an error.</param>
    /// <param name="error">The error, with its offset in characters.</param>
    /// <param name="maxLinks">The maximum number of links; more are an error.</param>
    /// <returns>Whether the text is valid.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxLinks"/> is negative.</exception>
    public static bool TryParse(string text, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error,
        int maxLinks = DefaultMaxLinks)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentOutOfRangeException.ThrowIfNegative(maxLinks);
        LinkFormatReader reader = new(text, maxLinks);
        bool read = reader.TryRead();
        links = read ? reader.Links : [];
        error = read ? default : reader.Error;
        return read;
    }

    /// <summary>Reads a document.</summary>
    /// <param name="utf8">The document in UTF-8; empty for no link.</param>
    /// <param name="links">The links in order; empty after an error.</param>
    /// <param name="error">The error, with its offset in bytes.</param>
    /// <param name="maxLinks">The maximum number of links; more are an error.</param>
    /// <returns>Whether the bytes are valid.</returns>
    public static bool TryParse(ReadOnlySpan<byte> utf8, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error,
        int maxLinks = DefaultMaxLinks)
    {
        char[] characters = new char[utf8.Length];
        if (Utf8.ToUtf16(utf8, characters, out int read, out int written, replaceInvalidSequences: false) != OperationStatus.Done)
        {
            links = [];
            error = new CoapContentSyntaxError(read, "the bytes are not UTF-8");
            return false;
        }

        string text = new(characters, 0, written);
        if (TryParse(text, out links, out error, maxLinks))
        {
            return true;
        }

        error = new CoapContentSyntaxError(Encoding.UTF8.GetByteCount(text.AsSpan(0, error.Offset)), error.Message);
        return false;
    }

    /// <summary>Writes a document: no space between links, quoted values except the numbers of <c>ct</c> and <c>sz</c>.</summary>
    /// <param name="links">The links.</param>
    /// <returns>The document; empty for no link.</returns>
    public static string Format(IEnumerable<CoapLink> links)
    {
        ArgumentNullException.ThrowIfNull(links);
        return LinkFormatWriter.Write(links);
    }

    /// <summary>Writes a document to send, with Content-Format 40.</summary>
    /// <param name="links">The links.</param>
    /// <returns>The content; empty for no link.</returns>
    public static CoapContent ToContent(IEnumerable<CoapLink> links) =>
        new(Encoding.UTF8.GetBytes(Format(links)), CoapContentFormat.LinkFormat);

    /// <summary>Returns the links that match a query (RFC 6690 section 4.1).</summary>
    /// <remarks>With several arguments a link must match each.</remarks>
    /// <param name="links">The links.</param>
    /// <param name="queries">The arguments, such as <c>rt=light*</c>, percent-decoded. Arguments without an equals sign are
    /// ignored.</param>
    /// <returns>The matching links, in order.</returns>
    public static IEnumerable<CoapLink> Filter(IEnumerable<CoapLink> links, params IEnumerable<string> queries)
    {
        ArgumentNullException.ThrowIfNull(links);
        ArgumentNullException.ThrowIfNull(queries);
        string[] all = [.. queries];
        return links.Where(link => Array.TrueForAll(all, query => Matches(link, query)));
    }

    /// <summary>
    /// Returns whether a link matches an argument of a query (RFC 6690 section 4.1): <c>name=value</c>, or <c>name=prefix*</c>.
    /// </summary>
    /// <remarks>
    /// The comparison is case-sensitive, and compares the members of <c>rel</c>, <c>rt</c>, <c>if</c> and <c>ct</c> one by one. <c>href</c>
    /// is the target, unchanged or percent-decoded.
    /// </remarks>
    /// <param name="link">The link.</param>
    /// <param name="query">The argument, percent-decoded.</param>
    /// <returns>Whether it matches; true for an argument without an equals sign, which is not a filter.</returns>
    public static bool Matches(CoapLink link, string query)
    {
        ArgumentNullException.ThrowIfNull(link);
        ArgumentNullException.ThrowIfNull(query);
        return LinkFilter.Matches(link, query);
    }

    private static CoapFormatException NotLinkFormat(CoapContentSyntaxError error) =>
        new($"The text is not in link format: {error.Message} (offset {error.Offset}).", error.Offset);
}
