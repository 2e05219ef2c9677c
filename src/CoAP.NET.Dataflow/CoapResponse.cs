using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// What a client got for a request (RFC 7252 section 5.2). Error responses are responses; <see cref="EnsureSuccess"/> turns them into
/// exceptions.
/// </summary>
public sealed class CoapResponse
{
    internal CoapResponse(CoapMessage message, CoapAddress remote)
    {
        Message = message;
        Remote = remote;
    }

    /// <summary>
    /// Makes a response of a message that was kept, came by another way than an endpoint, or is made for a test.
    /// </summary>
    /// <param name="message">The message: code, options and payload. It becomes the response's.</param>
    /// <returns>The response. <see cref="Remote"/> is nobody.</returns>
    public static CoapResponse FromMessage(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return new CoapResponse(message, default);
    }

    /// <summary>
    /// Whether there is no response, because the request said that none is wanted (No-Response, RFC 7967) and was sent or acknowledged: it
    /// says nothing about success. Code is 0.00 then.
    /// </summary>
    public bool IsNone { get; private init; }

    /// <summary>The message underneath.</summary>
    public CoapMessage Message { get; }

    /// <summary>Who answered.</summary>
    public CoapAddress Remote { get; }

    /// <summary>The response code.</summary>
    public CoapCode Code => Message.Code;

    /// <summary>Whether the code is of class 2.</summary>
    public bool IsSuccess => Code.IsSuccess;

    /// <summary>The options.</summary>
    public CoapOptionCollection Options => Message.Options;

    /// <summary>The bytes of the payload.</summary>
    public ReadOnlyMemory<byte> Payload => Message.Payload;

    /// <summary>
    /// The Content-Format of the payload; null when the option is absent, as with a diagnostic payload (RFC 7252 section 5.5.2).
    /// </summary>
    public CoapContentFormat? ContentFormat =>
        Options.TryGetUInt(OptionNumber.ContentFormat, out uint value) && value <= ushort.MaxValue
            ? new CoapContentFormat((ushort)value)
            : null;

    /// <summary>How long the response may be cached. Default 60 s (RFC 7252 section 5.10.5).</summary>
    public TimeSpan MaxAge => TimeSpan.FromSeconds(Options.TryGetUInt(OptionNumber.MaxAge, out uint seconds) ? seconds : 60);

    /// <summary>
    /// Whether the payload comes from the cache of the endpoint: stored and fresh, or stored and validated by the server just now.
    /// </summary>
    public bool FromCache => CachedAge >= 0;

    /// <summary>
    /// How long ago the server sent or validated the response; zero unless it comes from the cache. <see cref="MaxAge"/> is what is left of
    /// its time.
    /// </summary>
    public TimeSpan Age => TimeSpan.FromTicks(Math.Max(0, CachedAge));

    /// <summary>The age of a response from the cache in units of 100 ns; -1 for one that came by message.</summary>
    internal long CachedAge { get; init; } = -1;

    /// <summary>The payload as text in UTF-8.</summary>
    /// <returns>The text.</returns>
    public string GetText() => Encoding.UTF8.GetString(Payload.Span);

    /// <summary>The same response with another message, such as one that was put together.</summary>
    internal CoapResponse With(CoapMessage message) => new(message, Remote);

    /// <summary>Throws when the response is an error response; not when there is none.</summary>
    /// <returns>This response.</returns>
    /// <exception cref="CoapResponseException">The code is of class 4 or 5.</exception>
    public CoapResponse EnsureSuccess() => IsSuccess || IsNone ? this : throw new CoapResponseException(this);

    internal static CoapResponse None(CoapAddress remote) => new(new CoapMessage(), remote) { IsNone = true };

    /// <summary>Code and size for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => IsNone ? "none" : $"{Code} {Payload.Length} B";
}
