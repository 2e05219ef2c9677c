using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>The response of a handler: response code, payload and options.</summary>
/// <remarks>
/// Create one with <c>CoapResults</c>, or return a string or bytes. A handler may return the same result for many requests, if it does not
/// change it meanwhile.
/// </remarks>
public partial class CoapResult
{
    private CoapOptionCollection? _options;

    /// <summary>Creates a result.</summary>
    /// <param name="code">The response code, in class 2, 4 or 5.</param>
    /// <param name="payload">The payload; not copied.</param>
    /// <param name="contentFormat">The Content-Format; null to omit the option, as with diagnostic payloads.</param>
    /// <exception cref="ArgumentException">The code is not a response code.</exception>
    public CoapResult(CoapCode code, ReadOnlyMemory<byte> payload = default, CoapContentFormat? contentFormat = null)
    {
        if (!code.IsResponse)
        {
            throw new ArgumentException($"{code} is not a response code. Use a code in class 2, 4 or 5.", nameof(code));
        }

        Code = code;
        Payload = payload;
        if (contentFormat is { } format)
        {
            _options = FormatOptions.Of(format);
        }
    }

    /// <summary>The response code.</summary>
    public CoapCode Code { get; }

    /// <summary>The payload.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>The options.</summary>
    public CoapOptionCollection Options => _options is { IsShared: false } own ? own : MakeOwn();

    /// <summary>Whether this is sent as the response to a group request (RFC 7252 section 8.2).</summary>
    /// <remarks>
    /// Default null: errors and empty contents are suppressed, other responses are sent. True: it is always sent. False: the member is
    /// silent, whatever the request asks for. No effect on other requests.
    /// </remarks>
    public bool? AnswersGroup { get; set; }

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
    /// <remarks>In the handler's response to a change, it is the last notification, and ends the observations. Default false.</remarks>
    public bool DeclinesObserver { get; set; }

    internal bool HasOptions => _options is { Count: > 0 };

    /// <summary>The options for reading only; null if there are none. Other results may share them.</summary>
    internal CoapOptionCollection? OptionsToRead => _options;

    /// <summary>
    /// Creates a result from text in UTF-8, with the success code of the method: 2.05 Content for GET and FETCH, 2.02 Deleted for DELETE,
    /// 2.04 Changed for others.
    /// </summary>
    /// <param name="text">The text.</param>
    public static implicit operator CoapResult(string text) => FromString(text);

    /// <summary>
    /// Creates a result from text in UTF-8, with the success code of the method: 2.05 Content for GET and FETCH, 2.02 Deleted for DELETE,
    /// 2.04 Changed for others.
    /// </summary>
    /// <param name="text">The text.</param>
    /// <returns>The result.</returns>
    public static CoapResult FromString(string text) =>
        new(CoapCode.Content, Encoding.UTF8.GetBytes(text), CoapContentFormat.TextPlain) { IsImplicit = true };

    /// <summary>
    /// Creates a result from bytes as <c>application/octet-stream</c>, with the success code of the method: 2.05 Content for GET and FETCH,
    /// 2.02 Deleted for DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="bytes">The bytes; not copied.</param>
    public static implicit operator CoapResult(byte[] bytes) => FromByteArray(bytes);

    /// <summary>
    /// Creates a result from bytes as <c>application/octet-stream</c>, with the success code of the method: 2.05 Content for GET and FETCH,
    /// 2.02 Deleted for DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="bytes">The bytes; not copied.</param>
    /// <returns>The result.</returns>
    public static CoapResult FromByteArray(byte[] bytes)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        return new CoapResult(CoapCode.Content, bytes, CoapContentFormat.OctetStream) { IsImplicit = true };
    }

    /// <summary>
    /// Creates a result from a representation, with the success code of the method: 2.05 Content for GET and FETCH, 2.02 Deleted for
    /// DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="content">The representation.</param>
    public static implicit operator CoapResult(CoapContent content) => FromCoapContent(content);

    /// <summary>
    /// Creates a result from a representation, with the success code of the method: 2.05 Content for GET and FETCH, 2.02 Deleted for
    /// DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="content">The representation.</param>
    /// <returns>The result.</returns>
    public static CoapResult FromCoapContent(CoapContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return new CoapResult(CoapCode.Content, content.Bytes, content.Format) { IsImplicit = true };
    }

    /// <summary>Creates a result from the unchanged response of another server: code, payload and all options.</summary>
    /// <remarks>For gateways, which remove hop-by-hop options themselves.</remarks>
    /// <param name="response">The response; its payload is not copied.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The message is not a response.</exception>
    public static CoapResult FromMessage(CoapMessage response)
    {
        ArgumentNullException.ThrowIfNull(response);
        CoapResult result = new(response.Code, response.Payload);
        if (response.OptionsToRead is { Count: > 0 } options)
        {
            result.Options.AddAll(options);
        }

        return result;
    }

    /// <summary>Adds an option.</summary>
    /// <param name="option">The option.</param>
    /// <returns>This result.</returns>
    public CoapResult With(CoapOption option)
    {
        Options.Add(option);
        return this;
    }

    /// <summary>
    /// Returns this as the response to a method: a result without a code gets the success code of the method (RFC 7252 sections 5.8 and
    /// 5.9.1).
    /// </summary>
    /// <param name="method">The code of the request.</param>
    internal CoapResult AnswerTo(CoapCode method)
    {
        if (!IsImplicit || method.IsSafe)
        {
            return this;
        }

        CoapResult answer = new CoapResult(method == CoapCode.Delete ? CoapCode.Deleted : CoapCode.Changed, Payload).As(this);
        if (OptionsToRead is { Count: > 0 } options)
        {
            answer.Options.AddAll(options);
        }

        return answer;
    }

    // Many threads may read a shared result concurrently; all of them get the same collection.
    private CoapOptionCollection MakeOwn()
    {
        CoapOptionCollection? seen = _options;
        if (seen is { IsShared: false })
        {
            return seen;
        }

        CoapOptionCollection own = new(code: Code);
        if (seen is not null)
        {
            own.AddAll(seen);
        }

        CoapOptionCollection? other = Interlocked.CompareExchange(ref _options, own, seen);
        return ReferenceEquals(other, seen) ? own : other!;
    }
}
