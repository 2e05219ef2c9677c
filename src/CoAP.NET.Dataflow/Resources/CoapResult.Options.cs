using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Resources;

namespace CoAP.NET;

// The options that answers carry, by their meaning.
public partial class CoapResult
{
    private const int DefaultMaxAge = 60;

    /// <summary>Sets the entity-tag of the representation (RFC 7252 section 5.10.6.1). An answer has at most one.</summary>
    /// <param name="etag">The entity-tag.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">It is <c>default</c>, which is no entity-tag.</exception>
    public CoapResult WithETag(CoapETag etag)
    {
        if (etag.Length == 0)
        {
            throw new ArgumentException("This is no entity-tag: it has no bytes.", nameof(etag));
        }

        Span<byte> bytes = stackalloc byte[CoapETag.MaxLength];
        Options.Remove(OptionNumber.ETag);
        Options.Add(OptionNumber.ETag, bytes[..etag.CopyTo(bytes)]);
        return this;
    }

    /// <summary>
    /// Sets how long the answer may be cached, in whole seconds, rounded down (RFC 7252 section 5.10.5). 60 s is the default and is not
    /// sent; zero forbids caching.
    /// </summary>
    /// <param name="maxAge">0 s to 4,294,967,295 s.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Below zero or above the range.</exception>
    public CoapResult WithMaxAge(TimeSpan maxAge)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxAge, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxAge, TimeSpan.FromSeconds((long)uint.MaxValue));
        uint seconds = (uint)(maxAge.Ticks / TimeSpan.TicksPerSecond);
        Options.Remove(OptionNumber.MaxAge);
        if (seconds != DefaultMaxAge)
        {
            Options.AddUInt(OptionNumber.MaxAge, seconds);
        }

        return this;
    }

    /// <summary>
    /// Sets where a created resource is, as a relative reference in URI form, such as <c>/devices/7?x=1</c> (RFC 7252 section 5.10.7).
    /// Percent-encoding is taken away: options carry none.
    /// </summary>
    /// <param name="reference">The path, and after a question mark the query.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">A segment is <c>.</c> or <c>..</c>, a part has more than 255 bytes, or there is a
    /// fragment.</exception>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public CoapResult WithLocation(string reference)
    {
        ArgumentNullException.ThrowIfNull(reference);
        if (reference.Contains('#', StringComparison.Ordinal))
        {
            throw new ArgumentException("A location has no fragment. Write %23 for a number sign that belongs to the path.",
                nameof(reference));
        }

        int query = reference.IndexOf('?', StringComparison.Ordinal);
        WithLocationPath(Array.ConvertAll(PathText.Split(query < 0 ? reference : reference[..query]), PathText.Decode));
        return query < 0 ? this : WithLocationQuery(Array.ConvertAll(reference[(query + 1)..].Split('&'), PathText.Decode));
    }

    /// <summary>Sets the path of a created resource, segment by segment, not percent-encoded (RFC 7252 section 5.10.7).</summary>
    /// <param name="segments">The segments; a slash in one belongs to it.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">A segment is <c>.</c> or <c>..</c>, or has more than 255 bytes.</exception>
    public CoapResult WithLocationPath(params ReadOnlySpan<string> segments)
    {
        foreach (string segment in segments)
        {
            if (segment is "." or "..")
            {
                throw new ArgumentException(
                    "A Location-Path segment is never '.' or '..' (RFC 7252 section 5.10.7). Resolve the path first.", nameof(segments));
            }
        }

        return Replace(OptionNumber.LocationPath, segments);
    }

    /// <summary>Sets the query of a created resource, argument by argument, not percent-encoded (RFC 7252 section 5.10.7).</summary>
    /// <param name="arguments">The arguments; an ampersand in one belongs to it.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">An argument has more than 255 bytes.</exception>
    public CoapResult WithLocationQuery(params ReadOnlySpan<string> arguments) => Replace(OptionNumber.LocationQuery, arguments);

    /// <summary>Sets whether this is sent as answer to a request that was sent to a group; see <see cref="AnswersGroup"/>.</summary>
    /// <param name="answers">True to send it in any case, false never to.</param>
    /// <returns>This result.</returns>
    public CoapResult WithAnswerToGroup(bool answers = true)
    {
        AnswersGroup = answers;
        return this;
    }

    internal CoapResult CopyWithoutPayload()
    {
        CoapResult copy = new CoapResult(Code).As(this);
        if (OptionsToRead is { Count: > 0 } options)
        {
            copy.Options.AddAll(options);
        }

        return copy;
    }

    /// <summary>The same answer with another payload and its Content-Format.</summary>
    internal CoapResult CopyWith(CoapContent content)
    {
        CoapResult copy = new CoapResult(Code, content.Bytes).As(this);
        if (OptionsToRead is { Count: > 0 } options)
        {
            copy.Options.AddAll(options);
            copy.Options.Remove(OptionNumber.ContentFormat);
        }

        if (content.Format is { } format)
        {
            copy.Options.AddUInt(OptionNumber.ContentFormat, format.Value);
        }

        return copy;
    }

    /// <summary>Takes over what is said of another result beside its code, options and payload.</summary>
    internal CoapResult As(CoapResult other)
    {
        AnswersGroup = other.AnswersGroup;
        DeclinesObserver = other.DeclinesObserver;
        BringsEcho = other.BringsEcho;
        return this;
    }

    /// <summary>The same answer once more, with options of its own, for who keeps one and gives it to several.</summary>
    /// <returns>The copy; its payload is the same memory.</returns>
    public CoapResult Copy()
    {
        CoapResult copy = CopyWithoutOptions();
        if (OptionsToRead is { Count: > 0 } options)
        {
            copy.Options.AddAll(options);
        }

        return copy;
    }

    private protected virtual CoapResult CopyWithoutOptions() => new(Code, Payload)
    {
        AnswersGroup = AnswersGroup, IsRefusal = IsRefusal, AsksForEcho = AsksForEcho, DeclinesObserver = DeclinesObserver,
        BringsEcho = BringsEcho,
    };

    private CoapResult Replace(int number, ReadOnlySpan<string> values)
    {
        byte[][] bytes = new byte[values.Length][];
        for (int i = 0; i < values.Length; i++)
        {
            bytes[i] = Encoding.UTF8.GetBytes(values[i]);
            if (bytes[i].Length > 255)
            {
                throw new ArgumentException($"A part of a location has at most 255 bytes (RFC 7252 section 5.10), not {bytes[i].Length}.",
                    nameof(values));
            }
        }

        Options.Remove(number);
        foreach (byte[] value in bytes)
        {
            Options.Add(number, value);
        }

        return this;
    }
}
