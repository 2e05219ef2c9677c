using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// What a handler answers: response code, payload and options. Make one with <c>CoapResults</c>, or return a string or bytes.
/// It may be made once and returned for many requests, as long as it is not changed meanwhile.
/// </summary>
public partial class CoapResult
{
    private CoapOptionCollection? _options;

    /// <summary>Makes a result.</summary>
    /// <param name="code">The response code, of class 2, 4 or 5.</param>
    /// <param name="payload">The payload; not copied.</param>
    /// <param name="contentFormat">The Content-Format; null to leave the option out, as with diagnostic payloads.</param>
    /// <exception cref="ArgumentException">The code is no response code.</exception>
    public CoapResult(CoapCode code, ReadOnlyMemory<byte> payload = default, CoapContentFormat? contentFormat = null)
    {
        if (!code.IsResponse)
        {
            throw new ArgumentException($"{code} is no response code; a handler answers with class 2, 4 or 5.", nameof(code));
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

    /// <summary>
    /// Whether this is sent as answer to a request that was sent to a group (RFC 7252 section 8.2). Default null: errors and contents of
    /// nothing are kept back, other answers are sent. True: it is sent in any case. False: the member is silent, whatever the request asks
    /// for. Without effect on other requests.
    /// </summary>
    public bool? AnswersGroup { get; set; }

    /// <summary>
    /// Whether a text, bytes or a representation was returned in its place, so that the method of the request says which success it is.
    /// </summary>
    internal bool IsImplicit { get; init; }

    /// <summary>Whether no handler gave it, but the server itself, which has no room or stops: it says nothing of the resource.</summary>
    internal bool IsRefusal { get; init; }

    /// <summary>
    /// Whether this is only an answer, although the request asks to observe the resource and the route lets it: its client becomes no
    /// observer and learns so (RFC 7641 section 4.1). Of the handler's answer to a change it is the last that observers are sent: they
    /// are none from then on. Default false.
    /// </summary>
    public bool DeclinesObserver { get; set; }

    internal bool HasOptions => _options is { Count: > 0 };

    /// <summary>The options for who only reads them; null when there are none. They may be shared with other results.</summary>
    internal CoapOptionCollection? OptionsToRead => _options;

    /// <summary>
    /// A text in UTF-8 with the success that the method has: 2.05 Content for GET and FETCH, 2.02 Deleted for DELETE, 2.04 Changed for
    /// others.
    /// </summary>
    /// <param name="text">The text.</param>
    public static implicit operator CoapResult(string text) => FromString(text);

    /// <summary>
    /// A text in UTF-8 with the success that the method has: 2.05 Content for GET and FETCH, 2.02 Deleted for DELETE, 2.04 Changed for
    /// others.
    /// </summary>
    /// <param name="text">The text.</param>
    /// <returns>The result.</returns>
    public static CoapResult FromString(string text) =>
        new(CoapCode.Content, Encoding.UTF8.GetBytes(text), CoapContentFormat.TextPlain) { IsImplicit = true };

    /// <summary>
    /// Bytes as <c>application/octet-stream</c> with the success that the method has: 2.05 Content for GET and FETCH, 2.02 Deleted for
    /// DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="bytes">The bytes; not copied.</param>
    public static implicit operator CoapResult(byte[] bytes) => FromByteArray(bytes);

    /// <summary>
    /// Bytes as <c>application/octet-stream</c> with the success that the method has: 2.05 Content for GET and FETCH, 2.02 Deleted for
    /// DELETE, 2.04 Changed for others.
    /// </summary>
    /// <param name="bytes">The bytes; not copied.</param>
    /// <returns>The result.</returns>
    public static CoapResult FromByteArray(byte[] bytes)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        return new CoapResult(CoapCode.Content, bytes, CoapContentFormat.OctetStream) { IsImplicit = true };
    }

    /// <summary>
    /// A representation with the success that the method has: 2.05 Content for GET and FETCH, 2.02 Deleted for DELETE, 2.04 Changed for
    /// others.
    /// </summary>
    /// <param name="content">The representation.</param>
    public static implicit operator CoapResult(CoapContent content) => FromCoapContent(content);

    /// <summary>
    /// A representation with the success that the method has: 2.05 Content for GET and FETCH, 2.02 Deleted for DELETE, 2.04 Changed for
    /// others.
    /// </summary>
    /// <param name="content">The representation.</param>
    /// <returns>The result.</returns>
    public static CoapResult FromCoapContent(CoapContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        return new CoapResult(CoapCode.Content, content.Bytes, content.Format) { IsImplicit = true };
    }

    /// <summary>
    /// The response of another server as an answer, as it came: code, payload and all options. For gateways, which take out what is of one
    /// hop.
    /// </summary>
    /// <param name="response">The response; its payload is not copied.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The message is no response.</exception>
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
    /// This as the answer to a method: what was returned without a code gets the one of success that the method has (RFC 7252 sections 5.8
    /// and 5.9.1).
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

    // A kept result is read by many threads at once; all of them get the same collection.
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
