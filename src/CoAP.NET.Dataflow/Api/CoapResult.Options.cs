using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Resources;

namespace CoAP.NET;

// Methods for the options of responses.
public partial class CoapResult
{
    internal const int DefaultMaxAge = 60;

    /// <summary>Sets the entity-tag of the representation (RFC 7252 section 5.10.6.1).</summary>
    /// <remarks>A response has at most one.</remarks>
    /// <param name="etag">The entity-tag.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">The entity-tag is <c>default</c>, which is invalid.</exception>
    public CoapResult WithETag(CoapETag etag)
    {
        if (etag.Length == 0)
        {
            throw new ArgumentException("The entity-tag is empty. Create one with 1 to 8 bytes.", nameof(etag));
        }

        Span<byte> bytes = stackalloc byte[CoapETag.MaxLength];
        Options.Remove(OptionNumber.ETag);
        Options.Add(OptionNumber.ETag, bytes[..etag.CopyTo(bytes)]);
        return this;
    }

    /// <summary>Sets how long the response may be cached, in whole seconds, rounded down (RFC 7252 section 5.10.5).</summary>
    /// <remarks>60 s is the default and is not sent; zero forbids caching.</remarks>
    /// <param name="maxAge">0 s to 4,294,967,295 s.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative or above the range.</exception>
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
    /// Sets the location of a created resource, as a relative reference in URI form, such as <c>/devices/7?x=1</c> (RFC 7252 section
    /// 5.10.7).
    /// </summary>
    /// <remarks>The method removes percent-encoding, because options have none.</remarks>
    /// <param name="reference">The path, with an optional query after a question mark.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">A segment is <c>.</c> or <c>..</c>, a part has more than 255 bytes, or there is a
    /// fragment.</exception>
    /// <exception cref="FormatException">The percent-encoding is invalid.</exception>
    public CoapResult WithLocation(string reference)
    {
        ArgumentNullException.ThrowIfNull(reference);
        if (reference.Contains('#', StringComparison.Ordinal))
        {
            throw new ArgumentException("A location must not have a fragment. Write %23 for a number sign that belongs to the path.",
                nameof(reference));
        }

        int query = reference.IndexOf('?', StringComparison.Ordinal);
        WithLocationPath(Array.ConvertAll(PathText.Split(query < 0 ? reference : reference[..query]), PathText.Decode));
        return query < 0 ? this : WithLocationQuery(Array.ConvertAll(reference[(query + 1)..].Split('&'), PathText.Decode));
    }

    /// <summary>Sets the path of a created resource, segment by segment, without percent-encoding (RFC 7252 section 5.10.7).</summary>
    /// <param name="segments">The segments; they may contain slashes.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">A segment is <c>.</c> or <c>..</c>, or has more than 255 bytes.</exception>
    public CoapResult WithLocationPath(params ReadOnlySpan<string> segments)
    {
        foreach (string segment in segments)
        {
            if (segment is "." or "..")
            {
                throw new ArgumentException(
                    "A Location-Path segment must not be '.' or '..' (RFC 7252 section 5.10.7). Resolve the path first.", nameof(segments));
            }
        }

        return Replace(OptionNumber.LocationPath, segments);
    }

    /// <summary>Sets the query of a created resource, argument by argument, without percent-encoding (RFC 7252 section 5.10.7).</summary>
    /// <param name="arguments">The arguments; they may contain ampersands.</param>
    /// <returns>This result.</returns>
    /// <exception cref="ArgumentException">An argument has more than 255 bytes.</exception>
    public CoapResult WithLocationQuery(params ReadOnlySpan<string> arguments) => Replace(OptionNumber.LocationQuery, arguments);

    /// <summary>Sets whether this is sent as the response to a group request; see <see cref="AnswersGroup"/>.</summary>
    /// <param name="answers">True to always send it, false to never send it.</param>
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

    /// <summary>Returns the same response with another payload and its Content-Format.</summary>
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

    /// <summary>Copies the properties of another result, except its code, options and payload.</summary>
    internal CoapResult As(CoapResult other)
    {
        AnswersGroup = other.AnswersGroup;
        DeclinesObserver = other.DeclinesObserver;
        BringsEcho = other.BringsEcho;
        return this;
    }

    /// <summary>Copies the result with separate options, for callers that keep one and return it several times.</summary>
    /// <returns>The copy; it shares the memory of the payload.</returns>
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
                throw new ArgumentException($"A part of the location has {bytes[i].Length} bytes; at most 255 are allowed (RFC 7252 "
                    + "section 5.10).",
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
