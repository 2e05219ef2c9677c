using System.Collections.Frozen;
using System.Text;
using CoAP.NET.Uris;

namespace CoAP.NET;

/// <summary>The response of a handler: response code, payload and options.</summary>
/// <remarks>
/// Create one with <c>CoapResults</c>, or return a string or bytes. A result never changes: each <c>With...</c> method returns a new one,
/// which shares the payload. A handler may therefore return the same result for many requests.
/// </remarks>
/// <example>
/// <code>
/// CoapResult closed = CoapResults.Text("closed").WithMaxAge(TimeSpan.FromHours(1));
/// server.MapGet("/door", _ =&gt; closed);
/// </code>
/// </example>
public class CoapResult
{
    internal const int DefaultMaxAge = 60;
    private static readonly CoapOptionCollection s_noOptions = new CoapOptionCollection(code: CoapCode.Content).MakeReadOnly();

    // The options of a result that has only a registered Content-Format, as nearly every one. They never change; a caller that wants to
    // change the options gets a copy.
    private static readonly FrozenDictionary<ushort, CoapOptionCollection> s_formats =
        ContentFormatRegistry.Numbers.ToFrozenDictionary(number => number, number => WithFormat(number).MakeReadOnly());

    private CoapOptionCollection? _options;

    internal CoapResult(CoapCode code, ReadOnlyMemory<byte> payload = default, CoapContentFormat? contentFormat = null)
    {
        if (!code.IsResponse)
        {
            throw new ArgumentException($"{code} is not a response code. Use a code in class 2, 4 or 5.", nameof(code));
        }

        Code = code;
        Payload = payload;
        if (contentFormat is { } format)
        {
            _options = s_formats.TryGetValue(format.Value, out CoapOptionCollection? shared) ? shared : WithFormat(format.Value);
        }
    }

    /// <summary>The response code.</summary>
    public CoapCode Code { get; }

    /// <summary>The payload.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>The options; read-only (<see cref="CoapOptionCollection.IsReadOnly"/>).</summary>
    public CoapOptionCollection Options => _options?.MakeReadOnly() ?? s_noOptions;

    /// <summary>The options, for code that creates the result and has not given it to anybody yet.</summary>
    internal CoapOptionCollection OwnOptions =>
        _options is { IsReadOnly: false } own ? own : _options = _options?.Clone() ?? new CoapOptionCollection(code: Code);

    /// <summary>Whether this is sent as the response to a group request (RFC 7252 section 8.2).</summary>
    /// <remarks>
    /// Default null: errors and empty contents are suppressed, other responses are sent. True: it is always sent. False: the member is
    /// silent, whatever the request asks for. No effect on other requests. Set by <see cref="WithAnswerToGroup"/>.
    /// </remarks>
    internal bool? AnswersGroup { get; set; }

    /// <summary>
    /// Whether the handler returned a text, bytes or a representation instead, so that the method of the request determines the success
    /// code.
    /// </summary>
    internal bool IsImplicit { get; init; }

    /// <summary>
    /// Whether the server created it, because it has no room or stops, and not a handler: it says nothing about the resource.
    /// </summary>
    internal bool IsRefusal { get; init; }

    /// <summary>
    /// Whether the server declines an observation that the request asks for and the route allows: the client gets a plain response and so
    /// learns that it is not an observer (RFC 7641 section 4.1).
    /// </summary>
    /// <remarks>
    /// In the handler's response to a change, it is the last notification, and ends the observations. Default false. Set by
    /// <see cref="WithDeclinedObserver"/>.
    /// </remarks>
    internal bool DeclinesObserver { get; set; }

    internal bool HasOptions => _options is { Count: > 0 };

    /// <summary>The options for reading only; null if there are none. Other results may share them.</summary>
    internal CoapOptionCollection? OptionsToRead => _options;

    /// <summary>
    /// Creates a result from text in UTF-8, with the success code of the method: 2.05 Content for GET and FETCH, 2.02 Deleted for DELETE,
    /// 2.04 Changed for others.
    /// </summary>
    /// <param name="text">The text.</param>
    public static implicit operator CoapResult(string text) =>
        new(CoapCode.Content, Encoding.UTF8.GetBytes(text), CoapContentFormat.TextPlain) { IsImplicit = true };

    /// <summary>
    /// Creates a result from bytes as <c>application/octet-stream</c>, with the success code of the method: 2.05 Content for GET and FETCH,
    /// 2.02 Deleted for DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="bytes">The bytes; not copied.</param>
    public static implicit operator CoapResult(byte[] bytes)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        return new CoapResult(CoapCode.Content, bytes, CoapContentFormat.OctetStream) { IsImplicit = true };
    }

    /// <summary>
    /// Creates a result from a representation, with the success code of the method: 2.05 Content for GET and FETCH, 2.02 Deleted for
    /// DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="content">The representation.</param>
    public static implicit operator CoapResult(CoapContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return new CoapResult(CoapCode.Content, content.Bytes, content.Format) { IsImplicit = true };
    }

    /// <summary>Adds an option.</summary>
    /// <param name="option">The option.</param>
    /// <returns>The new result.</returns>
    public CoapResult With(CoapOption option)
    {
        CoapResult result = Copy();
        result.OwnOptions.Add(option);
        return result;
    }

    /// <summary>
    /// Returns this as the response to a method: a result without a code gets the success code of the method (RFC 7252 sections 5.8 and
    /// 5.9.1).
    /// </summary>
    internal CoapResult AnswerTo(CoapCode method)
    {
        if (!IsImplicit || method.IsSafe)
        {
            return this;
        }

        return new CoapResult(method == CoapCode.Delete ? CoapCode.Deleted : CoapCode.Changed, Payload).As(this).WithAll(OptionsToRead);
    }

    /// <summary>Whether sending adds an Echo challenge, created for the peer and the moment (RFC 9175 section 2.3).</summary>
    internal bool AsksForEcho { get; init; }

    /// <summary>Whether the response carries an Echo value for the next request.</summary>
    internal bool BringsEcho { get; private set; }

    /// <summary>
    /// Adds a new Echo value to the response, which the client returns with its next request to this server (RFC 9175 section 2.3).
    /// </summary>
    /// <remarks>
    /// That request is then known to be younger than this response (<see cref="CoapRequestContext.EchoAge"/>), and its client to receive at
    /// its address. This saves <see cref="CoapResults.FreshnessRequired"/> and its extra round trip. Clients without support for Echo
    /// ignore it. The server omits it in Confirmable (separate) responses, and if the response would exceed the limit for unverified
    /// addresses.
    /// </remarks>
    /// <returns>The new result.</returns>
    public CoapResult WithEcho()
    {
        CoapResult result = Copy();
        result.BringsEcho = true;
        return result;
    }

    /// <summary>Sets the entity-tag of the representation (RFC 7252 section 5.10.6.1).</summary>
    /// <remarks>A response has at most one.</remarks>
    /// <param name="etag">The entity-tag.</param>
    /// <returns>The new result.</returns>
    /// <exception cref="ArgumentException">The entity-tag is <c>default</c>, which is invalid.</exception>
    public CoapResult WithETag(CoapETag etag)
    {
        if (etag.Length == 0)
        {
            throw new ArgumentException("The entity-tag is empty. Create one with 1 to 8 bytes.", nameof(etag));
        }

        CoapResult result = Copy();
        result.OwnOptions.ETag = etag;
        return result;
    }

    /// <summary>Sets how long the response may be cached, in whole seconds, rounded down (RFC 7252 section 5.10.5).</summary>
    /// <remarks>60 s is the default and is not sent; zero forbids caching.</remarks>
    /// <param name="maxAge">0 s to 4,294,967,295 s.</param>
    /// <returns>The new result.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative or above the range.</exception>
    public CoapResult WithMaxAge(TimeSpan maxAge)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxAge, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxAge, TimeSpan.FromSeconds((long)uint.MaxValue));
        uint seconds = (uint)(maxAge.Ticks / TimeSpan.TicksPerSecond);
        CoapResult result = Copy();
        result.OwnOptions.Remove(OptionNumber.MaxAge);
        if (seconds != DefaultMaxAge)
        {
            result.OwnOptions.AddUInt(OptionNumber.MaxAge, seconds);
        }

        return result;
    }

    /// <summary>
    /// Sets the location of a created resource, as a relative reference in URI form, such as <c>/devices/7?x=1</c> (RFC 7252 section
    /// 5.10.7).
    /// </summary>
    /// <remarks>The method removes percent-encoding, because options have none.</remarks>
    /// <param name="reference">The path, with an optional query after a question mark.</param>
    /// <returns>The new result.</returns>
    /// <exception cref="ArgumentException">A segment is <c>.</c> or <c>..</c>, a part has more than 255 bytes, there is a fragment, or the
    /// percent-encoding is invalid.</exception>
    public CoapResult WithLocation(string reference)
    {
        ArgumentNullException.ThrowIfNull(reference);
        if (reference.Contains('#', StringComparison.Ordinal))
        {
            throw new ArgumentException("A location must not have a fragment. Write %23 for a number sign that belongs to the path.",
                nameof(reference));
        }

        int query = reference.IndexOf('?', StringComparison.Ordinal);
        CoapResult result = WithLocationPath(
            Array.ConvertAll(UriEncoding.SplitPath(query < 0 ? reference : reference[..query]), Decode));
        return query < 0 ? result : result.WithLocationQuery(Array.ConvertAll(reference[(query + 1)..].Split('&'), Decode));

        static string Decode(string part) => UriEncoding.Decode(part, nameof(reference));
    }

    /// <summary>Sets the path of a created resource, segment by segment, without percent-encoding (RFC 7252 section 5.10.7).</summary>
    /// <param name="segments">The segments; they may contain slashes.</param>
    /// <returns>The new result.</returns>
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
    /// <returns>The new result.</returns>
    /// <exception cref="ArgumentException">An argument has more than 255 bytes.</exception>
    public CoapResult WithLocationQuery(params ReadOnlySpan<string> arguments) => Replace(OptionNumber.LocationQuery, arguments);

    /// <summary>Sets whether this is sent as the response to a group request.</summary>
    /// <param name="answers">True to always send it, false to never send it.</param>
    /// <returns>The new result.</returns>
    public CoapResult WithAnswerToGroup(bool answers = true)
    {
        CoapResult result = Copy();
        result.AnswersGroup = answers;
        return result;
    }

    /// <summary>Declines an observation that the request asks for.</summary>
    /// <returns>The new result.</returns>
    public CoapResult WithDeclinedObserver()
    {
        CoapResult result = Copy();
        result.DeclinesObserver = true;
        return result;
    }

    internal CoapResult CopyWithoutPayload() => new CoapResult(Code).As(this).WithAll(OptionsToRead);

    /// <summary>Returns the same response with another payload and its Content-Format.</summary>
    internal CoapResult CopyWith(CoapContent content)
    {
        CoapResult copy = new CoapResult(Code, content.Bytes).As(this).WithAll(OptionsToRead);
        if (copy.HasOptions)
        {
            copy.OwnOptions.Remove(OptionNumber.ContentFormat);
        }

        if (content.Format is { } format)
        {
            copy.OwnOptions.AddUInt(OptionNumber.ContentFormat, format.Value);
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

    /// <summary>Adds options; for code that creates the result and has not given it to anybody yet.</summary>
    /// <param name="options">The options; null for none.</param>
    internal CoapResult WithAll(CoapOptionCollection? options)
    {
        if (options is { Count: > 0 })
        {
            OwnOptions.AddAll(options);
        }

        return this;
    }

    /// <summary>Copies the result; it shares the payload, and the options until one of the two changes them.</summary>
    internal CoapResult Copy()
    {
        _options?.MakeReadOnly();
        return (CoapResult)MemberwiseClone();
    }

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

        CoapResult result = Copy();
        result.OwnOptions.Remove(number);
        foreach (byte[] value in bytes)
        {
            result.OwnOptions.Add(number, value);
        }

        return result;
    }

    private static CoapOptionCollection WithFormat(ushort number) =>
        new CoapOptionCollection(code: CoapCode.Content).AddUInt(OptionNumber.ContentFormat, number);
}
