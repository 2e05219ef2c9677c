using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Text;
using CoAP.NET.Requests;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A request that a server received, for handlers, filters and resources (RFC 7252 section 5.1).</summary>
/// <remarks>
/// It owns its copy of the bytes, so the application may keep it indefinitely. To send it to another server, create a
/// <see cref="CoapRequest"/> from the parts to forward.
/// </remarks>
/// <example>
/// <code>
/// server.MapPut("/rooms/{room}/setpoint", request =&gt;
/// {
///     Console.WriteLine($"{request.Peer.Id} sets {request.Route["room"]} to {request.GetText()}");
///     return CoapResults.Changed();
/// });
/// </code>
/// </example>
public sealed class CoapRequestContext
{
    private CoapRouteValues? _route;

    // The channel; the exchange instead while a handler may acknowledge it. One field for both saves 8 bytes per request.
    private object _origin;

    // Rarely used fields.
    private RareRequestFields? _more;

    internal CoapRequestContext(CoapMessage message, CoapChannel channel)
    {
        Message = message;
        _origin = channel;
    }

    /// <summary>The underlying message.</summary>
    public CoapMessage Message { get; }

    /// <summary>The code of the request.</summary>
    public CoapCode Code => Message.Code;

    /// <summary>The method; a code without a name is cast to it.</summary>
    public CoapMethod Method => (CoapMethod)Message.Code.Value;

    /// <summary>The options.</summary>
    public CoapOptionCollection Options => Message.Options;

    /// <summary>The bytes of the payload.</summary>
    public ReadOnlyMemory<byte> Payload => Message.Payload;

    /// <summary>The body as a pipe.</summary>
    /// <remarks>
    /// On a route with <c>WithStreamedBody</c> its blocks arrive while the handler reads it, once. Reading throws a
    /// <see cref="CoapException"/> (<see cref="CoapError.BodyIncomplete"/>) when the peer gives the transfer up. On other routes it
    /// contains the bytes of <see cref="Payload"/>.
    /// </remarks>
    public PipeReader BodyReader
    {
        get
        {
            Body ??= new ReceivedRequestBodyState();
            return Body.Reader ??= Payload.IsEmpty
                ? PipeReader.Create(Stream.Null)
                : PipeReader.Create(new ReadOnlySequence<byte>(Payload));
        }
    }

    /// <summary>Whether the body arrives while <see cref="BodyReader"/> is read, and is not in the payload.</summary>
    public bool IsBodyStreamed => Body is { IsStreamed: true };

    /// <summary>The state of the body; null for a plain request.</summary>
    internal ReceivedRequestBodyState? Body
    {
        get => _more?.Body;
        set => MoreFor(value is not null)?.Body = value;
    }

    /// <summary>Whether a filter sees the request before its body is complete: <see cref="Payload"/> then has only one block.</summary>
    /// <remarks>Only filters that were registered for it see such requests.</remarks>
    public bool IsBodyPending => Body is { IsIncomplete: true };

    /// <summary>The position of the block in <see cref="Payload"/>, on a route with <c>WithBodyInBlocks</c> (RFC 7959 section 2.2); null
    /// for a complete body.</summary>
    public BlockValue? Block1 => Message.OptionsToRead?.Block1;

    /// <summary>Whether the request was Confirmable.</summary>
    public bool Confirmable { get; internal init; } = true;

    /// <summary>The Content-Format of the payload (RFC 7252 section 5.10.3); null if the option is absent.</summary>
    public CoapContentFormat? ContentFormat => RequestTargetResolver.FormatOf(Options, OptionNumber.ContentFormat);

    /// <summary>The requested Content-Format (RFC 7252 section 5.10.4); null for any.</summary>
    public CoapContentFormat? Accept => RequestTargetResolver.FormatOf(Options, OptionNumber.Accept);

    /// <summary>The values of the route template that matched, such as <c>Route["id"]</c>; empty if it has no parameters.</summary>
    public CoapRouteValues Route
    {
        get => _route ?? CoapRouteValues.Empty;
        internal set => _route = value;
    }

    /// <summary>Whether the request was sent to a group (RFC 7252 section 8).</summary>
    public bool IsMulticast { get; internal init; }

    /// <summary>Whether the server created the request itself, to produce notifications (RFC 7641 section 4.2).</summary>
    /// <remarks>It has the same options as the registrations, and the channel of one of the observers.</remarks>
    public bool IsForObservers { get; internal init; }

    /// <summary>The service provider for the handler and filters.</summary>
    /// <remarks>Default null; a host sets it, with one scope for each request.</remarks>
    public IServiceProvider? Services
    {
        get => _more?.Services;
        set => MoreFor(value is not null)?.Services = value;
    }

    /// <summary>The channel on which the request came.</summary>
    public CoapChannel Channel => _origin as CoapChannel ?? ((CoapExchange)_origin).Channel;

    /// <summary>The sender; a handler may send requests back to it.</summary>
    public CoapPeer Peer => CoapPeer.Of(Channel);

    /// <summary>Cancelled when the response is no longer needed because the endpoint stops.</summary>
    public CancellationToken Aborted { get; internal set; }

    /// <summary>
    /// The host of the request: Uri-Host; without it the server name from Server Name Indication or a Host header (RFC 8323 section 8.5),
    /// and otherwise the destination address.
    /// </summary>
    /// <remarks>IPv6 addresses are in brackets.</remarks>
    /// <exception cref="CoapFormatException">The options do not form a URI.</exception>
    public string Host => GetUri().Host;

    /// <summary>The absolute path, decoded, with a slash before each segment; <c>/</c> if there is none.</summary>
    /// <remarks>Human-readable: it does not distinguish a slash inside a segment from one between segments.</remarks>
    public string Path => RequestTargetResolver.PathOf(Message, null);

    /// <summary>The decoded Uri-Query options in order, one argument each, such as <c>rt=light</c> (RFC 7252 section 5.10.1).</summary>
    /// <remarks>Their order is part of the resource's name.</remarks>
    public IEnumerable<string> Queries => RequestTargetResolver.QueriesOf(Message, null);

    /// <summary>The classes of responses that the client does not want (RFC 7967). Default: none, it wants all.</summary>
    public NoResponseClasses NoResponse => Message.OptionsToRead?.NoResponse ?? NoResponseClasses.None;

    /// <summary>
    /// The maximum age of the request: the age of the Echo value that it returned, created by this endpoint for this peer (RFC 9175 section
    /// 2.3).
    /// </summary>
    /// <remarks>Null if it has none, or one of another origin. A client may return a value several times.</remarks>
    public TimeSpan? EchoAge
    {
        get => _more is { EchoAge: >= 0 and var ticks } ? TimeSpan.FromTicks(ticks) : null;
        internal set => MoreFor(value is not null)?.EchoAge = value?.Ticks ?? -1;
    }

    /// <summary>Measures the request on its way through the server; null if nothing does.</summary>
    internal ServerRequestMeter? Meter
    {
        get => _more?.Meter;
        set => RareFields.Meter = value;
    }

    internal ResultBodyStreamDisposer? Opened { get => _more?.Opened; set => RareFields.Opened = value; }

    private RareRequestFields RareFields => _more ??= new RareRequestFields();

    // Setting a default value allocates nothing.
    private RareRequestFields? MoreFor(bool isSet) => isSet ? RareFields : _more;

    /// <summary>Returns the payload as text in UTF-8.</summary>
    /// <returns>The text.</returns>
    public string GetText() => Encoding.UTF8.GetString(Payload.Span);

    /// <summary>Returns the URI of the request, composed from its options (RFC 7252 section 6.5).</summary>
    /// <remarks>
    /// Without Uri-Host it has the server name from Server Name Indication or a Host header (RFC 8323 section 8.5), and otherwise the
    /// destination address. Proxy-Uri and Proxy-Scheme are ignored.
    /// </remarks>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapFormatException">The options do not form a URI.</exception>
    public CoapUri GetUri()
    {
        CoapChannel channel = Channel;
        string? name = channel is { IsReliable: true, Connection: { IsInitiator: false } accepted } ? accepted.ServerName : null;
        return CoapUri.Compose(channel.Transport.Scheme, Options, channel.Local.ToIPEndPoint(), name);
    }

    /// <summary>
    /// Returns the value of the first query argument with a name: the text after <c>name=</c>, or the empty string for an argument without
    /// value.
    /// </summary>
    /// <param name="name">The name; case-sensitive.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether there is such an argument.</returns>
    public bool TryGetQuery(string name, [NotNullWhen(true)] out string? value)
    {
        ArgumentNullException.ThrowIfNull(name);
        return RequestTargetResolver.TryGetQuery(Queries, name, out value);
    }

    /// <summary>
    /// Whether the client already has this representation: one of the ETag options equals it (RFC 7252 section 5.10.6.2).
    /// </summary>
    /// <remarks><see cref="CoapResults.ValidOr"/> uses it.</remarks>
    /// <param name="etag">The entity-tag of the current representation.</param>
    /// <returns>Whether one matches.</returns>
    public bool IsMatch(CoapETag etag) => RequestPreconditions.HasTag(Options, OptionNumber.ETag, etag);

    /// <summary>Checks If-Match and If-None-Match (RFC 7252 section 5.10.8). Call it before any change.</summary>
    /// <param name="currentETag">The entity-tag of the current representation; null if the resource does not exist.</param>
    /// <returns>Null if the request may continue; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(CoapETag? currentETag) =>
        RequestPreconditions.Check(Options, currentETag is not null, currentETag);

    /// <summary>Checks If-Match and If-None-Match (RFC 7252 section 5.10.8) for a resource without entity-tags.</summary>
    /// <remarks>An If-Match with an entity-tag then never matches.</remarks>
    /// <param name="exists">Whether the resource exists.</param>
    /// <returns>Null if the request may continue; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(bool exists) => RequestPreconditions.Check(Options, exists, null);

    /// <summary>Chooses the format of the response by the Accept option (RFC 7252 section 5.10.4).</summary>
    /// <param name="available">The available formats; the first is the default for clients without Accept.</param>
    /// <returns>The format to use; null if the client wants another one: return <see cref="CoapResults.NotAcceptable"/>.</returns>
    public CoapContentFormat? SelectFormat(params ReadOnlySpan<CoapContentFormat> available) =>
        RequestPreconditions.SelectFormat(Options, available);

    /// <summary>Whether an Echo proves that the request is fresh.</summary>
    /// <remarks>If not, return <see cref="CoapResults.FreshnessRequired"/>, which asks the client for proof.</remarks>
    /// <param name="maxAge">The maximum age.</param>
    /// <returns>Whether the request is known to be at most that old.</returns>
    public bool IsFresh(TimeSpan maxAge) => EchoAge is { } age && age <= maxAge;

    /// <summary>
    /// Acknowledges a Confirmable request at once with an Empty message; its response is then a separate one (RFC 7252 section
    /// 5.2.2).
    /// </summary>
    /// <remarks>
    /// The endpoint does it by itself when the response is not there after <see cref="CoapTransmissionParameters.PiggybackWindow"/>, 0.5 s
    /// by default. A handler that knows that it takes long can do it earlier, so a client with a short timeout sends no further copy. There
    /// is no effect on a Non-confirmable request, on a connection, which has no acknowledgements (RFC 8323 section 3.1), for notifications,
    /// and once the request is acknowledged or has its response. With <c>WithStreamedBody</c> there is none either: the endpoint
    /// acknowledges each block with its 2.31. Thread-safe.
    /// </remarks>
    public void Acknowledge() => (_origin as CoapExchange)?.Acknowledge();

    /// <summary>Copies this request with another message, for a filter that gives the handler something else to serve.</summary>
    /// <remarks>The copy is of the same peer, route and services. It does not acknowledge.</remarks>
    /// <param name="message">The message: code, options and payload.</param>
    /// <returns>The copy.</returns>
    /// <exception cref="ArgumentException">The code is not that of a request.</exception>
    public CoapRequestContext WithMessage(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        if (!message.Code.IsRequest)
        {
            throw new ArgumentException($"{message.Code} is not the code of a request.", nameof(message));
        }

        return new CoapRequestContext(message, Channel)
        {
            _route = _route,
            Confirmable = Confirmable,
            IsMulticast = IsMulticast,
            IsForObservers = IsForObservers,
            Services = Services,
            Aborted = Aborted,
            EchoAge = EchoAge,
            Body = IsBodyStreamed ? Body : null,
            Opened = ResultBodyStreamDisposer.Of(this),
        };
    }

    /// <summary>Sets the exchange that <see cref="Acknowledge"/> needs.</summary>
    internal void SetExchange(CoapExchange exchange) => _origin = exchange;

    /// <summary>Forgets the exchange, because the application may keep the request after its response.</summary>
    internal void ForgetExchange(CoapChannel channel) => _origin = channel;

    /// <summary>Returns method and path, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Code} {Path}";
}
