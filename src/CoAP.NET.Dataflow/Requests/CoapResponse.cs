using System.Net;
using System.Text;

namespace CoAP.NET;

/// <summary>The response that a client received (RFC 7252 section 5.2).</summary>
/// <remarks>Error responses are responses; <see cref="EnsureSuccess"/> turns them into exceptions.</remarks>
/// <example>
/// <code>
/// CoapResponse response = await client.GetAsync("coap://[::1]/temperature", cancellationToken);
/// string text = response.IsSuccess
///     ? response.GetText()
///     : $"The server answers {response.Code}.";
/// </code>
/// </example>
public sealed class CoapResponse
{
    internal CoapResponse(CoapMessage message, CoapAddress remote)
    {
        Message = message;
        Remote = remote;
    }

    /// <summary>
    /// Creates a response from a message that was stored, that arrived on another path than an endpoint, or that is made for a test.
    /// </summary>
    /// <param name="message">The message: code, options and payload. The response owns it afterwards.</param>
    /// <returns>The response. Its <see cref="RemoteEndPoint"/> is null.</returns>
    public static CoapResponse FromMessage(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return new CoapResponse(message, default);
    }

    /// <summary>
    /// Whether there is no response, because the request declined one (No-Response, RFC 7967) and was sent or acknowledged.
    /// </summary>
    /// <remarks>It says nothing about success. The code is then 0.00, and <see cref="EnsureSuccess"/> does not throw.</remarks>
    public bool IsNone { get; private init; }

    /// <summary>The underlying message.</summary>
    public CoapMessage Message { get; }

    /// <summary>The address and port that the response came from; null for one of <see cref="FromMessage"/>.</summary>
    /// <remarks>Each call creates it.</remarks>
    public IPEndPoint? RemoteEndPoint => Remote == default ? null : Remote.ToIPEndPoint();

    internal CoapAddress Remote { get; }

    /// <summary>The response code.</summary>
    public CoapCode Code => Message.Code;

    /// <summary>Whether the code is in class 2.</summary>
    public bool IsSuccess => Code.IsSuccess;

    /// <summary>The options.</summary>
    public CoapOptionCollection Options => Message.Options;

    /// <summary>The bytes of the payload.</summary>
    public ReadOnlyMemory<byte> Payload => Message.Payload;

    /// <summary>
    /// The Content-Format of the payload; null if the option is absent, as with a diagnostic payload (RFC 7252 section 5.5.2).
    /// </summary>
    public CoapContentFormat? ContentFormat =>
        Options.TryGetUInt(OptionNumber.ContentFormat, out uint value) && value <= ushort.MaxValue
            ? new CoapContentFormat((ushort)value)
            : null;

    /// <summary>How long the response may be cached.</summary>
    /// <remarks>Default 60 s (RFC 7252 section 5.10.5).</remarks>
    public TimeSpan MaxAge => TimeSpan.FromSeconds(Options.TryGetUInt(OptionNumber.MaxAge, out uint seconds) ? seconds : 60);

    /// <summary>
    /// How long the server asks the client to wait before it sends the request again: the Max-Age of a 5.03 (RFC 7252 section 5.9.3.4) or a
    /// 4.29 (RFC 8516 section 3), 60 s without that option. Null for all other responses.
    /// </summary>
    internal TimeSpan? RetryAfter => Code == CoapCode.ServiceUnavailable || Code == CoapCode.TooManyRequests ? MaxAge : null;

    /// <summary>
    /// Whether the payload comes from the cache of the endpoint: stored and fresh, or stored and validated by the server just now.
    /// </summary>
    public bool FromCache => CachedAge >= 0;

    /// <summary>The time since the server sent or validated the response; zero unless it comes from the cache.</summary>
    /// <remarks><see cref="MaxAge"/> is its remaining lifetime.</remarks>
    public TimeSpan Age => TimeSpan.FromTicks(Math.Max(0, CachedAge));

    /// <summary>The age of a response from the cache in units of 100 ns; -1 for a response from the network.</summary>
    internal long CachedAge { get; init; } = -1;

    /// <summary>Returns the payload as text in UTF-8.</summary>
    /// <returns>The text.</returns>
    public string GetText() => Encoding.UTF8.GetString(Payload.Span);

    /// <summary>Returns the same response with another message, such as an assembled one.</summary>
    internal CoapResponse With(CoapMessage message) => new(message, Remote);

    /// <summary>Throws if the response is an error response; an absent response is not an error.</summary>
    /// <returns>This response.</returns>
    /// <exception cref="CoapResponseException">The code is in class 4 or 5.</exception>
    public CoapResponse EnsureSuccess() => IsSuccess || IsNone ? this : throw new CoapResponseException(this);

    internal static CoapResponse None(CoapAddress remote) => new(new CoapMessage(), remote) { IsNone = true };

    /// <summary>Returns code and size, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => IsNone ? "none" : $"{Code} {Payload.Length} B";
}
