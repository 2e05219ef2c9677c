using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Net;
using System.Text;
using CoAP.NET.Blockwise;
using CoAP.NET.Options;
using CoAP.NET.Requests;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A request that a client sends, or that a server received (RFC 7252 section 5.1).</summary>
/// <remarks>
/// A received one owns its copy of the bytes, so the application may keep it indefinitely. Both kinds have <see cref="Code"/>,
/// <see cref="Method"/>, <see cref="Options"/>, <see cref="Payload"/>, <see cref="Path"/>, <see cref="Queries"/>, <see cref="Host"/>,
/// <see cref="GetUri"/>, <see cref="Accept"/>, <see cref="ContentFormat"/> and <see cref="Confirmable"/>: on a request to send they
/// describe the message that will be sent. <see cref="Timeout"/>, <see cref="Patience"/>, <see cref="Progress"/>,
/// <see cref="Destination"/>, <see cref="Download"/>, <see cref="BlockSize"/>, <see cref="CacheMode"/>, <see cref="IsForwarded"/>,
/// <see cref="OnBehalfOf"/> and <see cref="LocalAddress"/> control how a request is sent and have no effect on a received one.
/// <see cref="Peer"/>, <see cref="BodyReader"/> and <see cref="IsFresh"/> are for received requests and throw on a request to send; its
/// <see cref="Route"/> is empty, and its <see cref="Aborted"/> is never cancelled.
/// </remarks>
public sealed class CoapRequest
{
    private CoapRouteValues? _route;

    // The text of the URI of a request to send, or the channel of a received one; its exchange instead while a handler may acknowledge it.
    // One field for all saves 8 bytes per object: servers create very many.
    private object? _origin;

    // Rarely used fields.
    private RequestMore? _more;

    /// <summary>Creates a request to send.</summary>
    /// <param name="method">The method.</param>
    /// <param name="uri">The absolute URI or IRI, such as <c>coap://[::1]/temperature</c>; see <see cref="CoapUri.Parse"/>.</param>
    public CoapRequest(CoapMethod method, string uri)
        : this(new CoapMessage((CoapCode)method))
    {
        ArgumentNullException.ThrowIfNull(uri);
        _origin = uri;
    }

    /// <summary>Creates a request to send.</summary>
    /// <param name="method">The method.</param>
    /// <param name="uri">The absolute URI or IRI. The request uses its original text, not the form that <see cref="System.Uri"/> made of
    /// it.</param>
    public CoapRequest(CoapMethod method, Uri uri)
        : this(method, (uri ?? throw new ArgumentNullException(nameof(uri))).OriginalString)
    {
    }

    /// <summary>Creates a request to send from a message, with its code, options and payload.</summary>
    /// <param name="message">The message; sending sets type, Message ID and token.</param>
    public CoapRequest(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        Message = message;
    }

    /// <summary>The underlying message.</summary>
    public CoapMessage Message { get; }

    /// <summary>The code of the request.</summary>
    public CoapCode Code => Message.Code;

    /// <summary>The method; a code without a name is cast to it.</summary>
    public CoapMethod Method => (CoapMethod)Message.Code.Value;

    /// <summary>The options. Sending adds the Uri options of a request with a URI.</summary>
    public CoapOptionCollection Options => Message.Options;

    /// <summary>The bytes of the payload.</summary>
    public ReadOnlyMemory<byte> Payload => Message.Payload;

    /// <summary>The body of a received request as a pipe; the body of a request to send is its <see cref="Content"/>.</summary>
    /// <remarks>
    /// On a route with <c>StreamBody</c> its blocks arrive while the handler reads it, once. Reading throws a
    /// <see cref="CoapIncompleteBodyException"/> when the peer gives the transfer up. On other routes it contains the bytes of
    /// <see cref="Payload"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The request is a request to send.</exception>
    public PipeReader BodyReader
    {
        get
        {
            ThrowIfToSend("no body to read: what it sends is its Content");
            Body ??= new ExchangeBody();
            return Body.Reader ??= Payload.IsEmpty
                ? PipeReader.Create(Stream.Null)
                : PipeReader.Create(new ReadOnlySequence<byte>(Payload));
        }
    }

    /// <summary>Whether the body of a received request arrives while <see cref="BodyReader"/> is read, and is not in the payload.</summary>
    public bool IsBodyStreamed => Body is { IsStreamed: true };

    /// <summary>The body state of a received request; null for a plain one.</summary>
    internal ExchangeBody? Body
    {
        get => _more?.Body;
        set => MoreFor(value is not null)?.Body = value;
    }

    /// <summary>Whether a filter sees the request before its body is complete: <see cref="Payload"/> then has only one block.</summary>
    /// <remarks>Only filters that were registered for it see such requests.</remarks>
    public bool IsBodyPending => Body is { IsIncomplete: true };

    /// <summary>The position of the block in <see cref="Payload"/>, on a route with <c>HandleBlocks</c> (RFC 7959 section 2.2); null for a
    /// complete body.</summary>
    public BlockValue? Block1 => Message.OptionsToRead?.Block1;

    /// <summary>The URI that was passed to the constructor; null for received requests.</summary>
    public string? UriText => _origin as string;

    /// <summary>Whether to send a Confirmable message, or whether a received request was Confirmable. Default true.</summary>
    /// <remarks>If false, only the first message of a download is Non-confirmable, and none of an upload in blocks (RFC 7959).</remarks>
    public bool Confirmable { get; set; } = true;

    /// <summary>The local address to send the request from, on hosts with several.</summary>
    /// <remarks>Over UDP the endpoint must be bound to it or to any address (the default of a client). Each local address then makes a
    /// separate peer, with its own Message IDs, NSTART and observations. Over TCP and TLS there is one connection per address. Default
    /// null: the operating system chooses by its routes. Ignored for requests to a <see cref="CoapPeer"/> and to groups, and on received
    /// requests.</remarks>
    public IPAddress? LocalAddress
    {
        get => _more?.LocalAddress;
        set => MoreFor(value is not null)?.LocalAddress = value;
    }

    /// <summary>How the request uses the cache of the endpoint, if there is one.</summary>
    public CoapCacheMode CacheMode { get; set; }

    /// <summary>The timeout of the whole request, including its time in the queue.</summary>
    /// <remarks>Null for the times of the transmission parameters (it then waits in the queue for some minutes at most while the peer is
    /// silent), <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit except that of retransmission.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is neither above zero nor infinite.</exception>
    public TimeSpan? Timeout
    {
        get => _more?.Transfer?.Timeout;
        set
        {
            if (value is { } timeout && timeout != System.Threading.Timeout.InfiniteTimeSpan)
            {
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(timeout, TimeSpan.Zero, nameof(value));
            }

            (value is null ? Transfer : Settings)?.Timeout = value;
        }
    }

    /// <summary>
    /// What happens when the server defers the request (4.29, RFC 8516); null for <see cref="CoapEndpointOptions.Patience"/>.
    /// </summary>
    public CoapPatience? Patience
    {
        get => _more?.Transfer?.Patience;
        set => Settings.Patience = value;
    }

    /// <summary>The content to send; setting it sets payload and Content-Format.</summary>
    public CoapContent? Content
    {
        get => _more?.Content;
        set
        {
            MoreFor(value is not null)?.Content = value;
            Message.Payload = value?.Bytes ?? default;
            if (Message.HasOptions)
            {
                Options.Remove(OptionNumber.ContentFormat);
            }

            if (value?.Format is { } format)
            {
                Options.AddUInt(OptionNumber.ContentFormat, format.Value);
            }
        }
    }

    /// <summary>The Content-Format of the payload (RFC 7252 section 5.10.3); null if the option is absent.</summary>
    public CoapContentFormat? ContentFormat => GetFormat(OptionNumber.ContentFormat);

    /// <summary>The requested Content-Format (RFC 7252 section 5.10.4); null for any.</summary>
    public CoapContentFormat? Accept
    {
        get => GetFormat(OptionNumber.Accept);
        set
        {
            Options.Remove(OptionNumber.Accept);
            if (value is { } format)
            {
                Options.AddUInt(OptionNumber.Accept, format.Value);
            }
        }
    }

    /// <summary>The values of the route template that matched, such as <c>Route["id"]</c>; empty for requests to send.</summary>
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

    /// <summary>The service provider for the handler and filters of a received request.</summary>
    /// <remarks>Default null; a host sets it, with one scope for each request.</remarks>
    public IServiceProvider? Services
    {
        get => _more?.Services;
        set => MoreFor(value is not null)?.Services = value;
    }

    /// <summary>The channel of a received request; null for requests to send.</summary>
    public CoapChannel? Channel
    {
        get => _origin switch
        {
            CoapChannel channel => channel,
            CoapExchange exchange => exchange.Channel,
            _ => null,
        };
        internal init => _origin = value;
    }

    /// <summary>The sender of a received request; a handler may send requests back to it.</summary>
    /// <exception cref="InvalidOperationException">The request is a request to send.</exception>
    public CoapPeer Peer =>
        CoapPeer.Of(Channel ?? throw new InvalidOperationException("A request to send has no peer: only received requests have one."));

    /// <summary>Cancelled when the response is no longer needed because the endpoint stops.</summary>
    public CancellationToken Aborted { get; internal set; }

    /// <summary>
    /// The host of the request: Uri-Host; without it the server name from Server Name Indication or a Host header (RFC 8323 section 8.5),
    /// and otherwise the destination address.
    /// </summary>
    /// <remarks>For a request to send, the host of its URI. IPv6 addresses are in brackets.</remarks>
    /// <exception cref="CoapUriException">The options do not form a URI.</exception>
    public string Host => GetUri().Host;

    /// <summary>The absolute path, decoded, with a slash before each segment; <c>/</c> if there is none.</summary>
    /// <remarks>
    /// A received request takes it from its Uri-Path options, a request to send from its options and then its URI, as they will be sent.
    /// Human-readable: it does not distinguish a slash inside a segment from one between segments.
    /// </remarks>
    /// <exception cref="CoapUriException">The request is a request to send, and its URI is invalid.</exception>
    public string Path => RequestTarget.PathOf(Message, TargetToSend);

    /// <summary>The decoded Uri-Query options in order, one argument each, such as <c>rt=light</c> (RFC 7252 section 5.10.1).</summary>
    /// <remarks>
    /// Their order is part of the resource's name. A request to send has those of its options and then those of its URI, as they will be
    /// sent.
    /// </remarks>
    /// <exception cref="CoapUriException">While enumerating: the request is a request to send, and its URI is invalid.</exception>
    public IEnumerable<string> Queries => RequestTarget.QueriesOf(this);

    /// <summary>The classes of responses that the client does not want (RFC 7967).</summary>
    /// <remarks>
    /// Default: none, it wants all. With <see cref="NoResponseClasses.All"/> sending ends when the request was acknowledged, or sent if it
    /// is Non-confirmable, with a response whose <see cref="CoapResponse.IsNone"/> is true. With some classes it waits for the others until
    /// <see cref="Timeout"/>; <see cref="CoapNoResponseRequests"/> returns null for silence.
    /// </remarks>
    public NoResponseClasses NoResponse
    {
        get => Options.NoResponse ?? NoResponseClasses.None;
        set => Options.NoResponse = value == NoResponseClasses.None ? null : value;
    }

    /// <summary>The block size in bytes to propose for both bodies: 16, 32, 64, 128, 256, 512 or 1,024.</summary>
    /// <remarks>
    /// Default null: <see cref="CoapTransmissionParameters.PreferredBlockSize"/> of the peer; over a connection whatever fits a message. A
    /// server may use a smaller one (RFC 7959 sections 2.3 and 2.4).
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The number is not one of these sizes.</exception>
    public int? BlockSize
    {
        get => Transfer?.BlockSize;
        set
        {
            if (value is not (null or 16 or 32 or 64 or 128 or 256 or 512 or 1024))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value,
                    "A block size must be 16, 32, 64, 128, 256, 512 or 1024 bytes (RFC 7959 section 2.2).");
            }

            Settings.BlockSize = value;
        }
    }

    /// <summary>Receives a report for each transferred block. Default null.</summary>
    public IProgress<CoapProgress>? Progress
    {
        get => Transfer?.Progress;
        set => Settings.Progress = value;
    }

    /// <summary>
    /// The stream for the body of a successful response, block by block; the response itself then has no payload, and
    /// <see cref="CoapLimits.MaxResponseBodySize"/> does not apply.
    /// </summary>
    /// <remarks>
    /// Default null: the body is the payload of the response. If the representation changes during the transfer, the endpoint truncates a
    /// seekable stream to its start position and writes it again; with other streams the request fails. After a failure the written bytes
    /// remain, so the download can be continued (<see cref="Download"/>).
    /// </remarks>
    /// <exception cref="ArgumentException">The stream is not writable.</exception>
    public Stream? Destination
    {
        get => Transfer?.Destination;
        set
        {
            if (value is { CanWrite: false })
            {
                throw new ArgumentException("The stream is not writable.", nameof(value));
            }

            Settings.Destination = value;
        }
    }

    /// <summary>The requested part of the response body. Default null: all of it.</summary>
    public CoapDownloadOptions? Download
    {
        get => Transfer?.Download;
        set => Settings.Download = value;
    }

    /// <summary>Whether a proxy forwards the request for a client.</summary>
    /// <remarks>
    /// A response may then have unrecognized critical options, if they are safe to forward (RFC 7252 section 5.7.1). The endpoint passes an
    /// Echo challenge to the caller instead of answering it, because only the client can confirm that its request is fresh (RFC 9175
    /// section 2.3). On a connection the request waits for the server's CSM, as one with <see cref="OnBehalfOf"/> does. Default false.
    /// </remarks>
    public bool IsForwarded
    {
        get => Transfer is { IsForwarded: true };
        set => Settings.IsForwarded = value;
    }

    /// <summary>The client for which a proxy forwards the request.</summary>
    /// <remarks>
    /// Its share of the cache applies (<see cref="CoapEndpointOptions.Cache"/>). Where requests wait for one server (NSTART, RFC 7252
    /// section 4.7), the clients take turns: many waiting requests of one client do not delay those of another. On a connection the request
    /// waits for the server's CSM, so that no bytes of a client reach a server of another protocol. Null: the caller.
    /// </remarks>
    public CoapSource? OnBehalfOf { get => Transfer?.OnBehalfOf; set => Settings.OnBehalfOf = value; }

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
    internal ServerWatch? Watch
    {
        get => _more?.Watch;
        set => More.Watch = value;
    }

    internal OpenedStreams? Opened { get => _more?.Opened; set => More.Opened = value; }

    internal TransferSettings? Transfer => _more?.Transfer;

    internal TransferSettings Settings => More.Transfer ??= new TransferSettings();

    /// <summary>
    /// The URI whose path and query are added when the request is sent; null for a received request, and if the options are complete.
    /// </summary>
    internal CoapUri? TargetToSend => RequestTarget.ToSend(Message, UriText);

    private RequestMore More => _more ??= new RequestMore();

    // Setting a default value allocates nothing.
    private RequestMore? MoreFor(bool isSet) => isSet ? More : _more;

    /// <summary>Returns the payload as text in UTF-8.</summary>
    /// <returns>The text.</returns>
    public string GetText() => Encoding.UTF8.GetString(Payload.Span);

    /// <summary>Returns the URI of the request.</summary>
    /// <remarks>
    /// For a received request it is composed from its options (RFC 7252 section 6.5). Without Uri-Host it has the server name from Server
    /// Name Indication or a Host header (RFC 8323 section 8.5), and otherwise the destination address. Proxy-Uri and Proxy-Scheme are
    /// ignored.
    /// </remarks>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The options do not form a URI, or its text is invalid.</exception>
    /// <exception cref="InvalidOperationException">The request is a request to send that was created without a URI.</exception>
    public CoapUri GetUri()
    {
        if (Channel is { } channel)
        {
            return CoapUri.Compose(channel.Transport.Scheme, Options, channel.Local.ToIPEndPoint(), channel.DefaultHost);
        }

        return CoapUri.Parse(UriText
            ?? throw new InvalidOperationException("The request was created from a message without a URI. Set one with WithUri."));
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
        return RequestTarget.TryGetQuery(Queries, name, out value);
    }

    /// <summary>
    /// Whether the client already has this representation: one of the ETag options equals it (RFC 7252 section 5.10.6.2).
    /// </summary>
    /// <remarks><see cref="CoapResults.ValidOr"/> uses it.</remarks>
    /// <param name="etag">The entity-tag of the current representation.</param>
    /// <returns>Whether one matches.</returns>
    public bool IsMatch(CoapETag etag) => RequestConditions.HasTag(Options, OptionNumber.ETag, etag);

    /// <summary>Checks If-Match and If-None-Match (RFC 7252 section 5.10.8). Call it before any change.</summary>
    /// <param name="currentETag">The entity-tag of the current representation; null if the resource does not exist.</param>
    /// <returns>Null if the request may continue; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(CoapETag? currentETag) => RequestConditions.Check(Options, currentETag is not null, currentETag);

    /// <summary>Checks If-Match and If-None-Match (RFC 7252 section 5.10.8) for a resource without entity-tags.</summary>
    /// <remarks>An If-Match with an entity-tag then never matches.</remarks>
    /// <param name="exists">Whether the resource exists.</param>
    /// <returns>Null if the request may continue; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(bool exists) => RequestConditions.Check(Options, exists, null);

    /// <summary>Chooses the format of the response by the Accept option (RFC 7252 section 5.10.4).</summary>
    /// <param name="available">The available formats; the first is the default for clients without Accept.</param>
    /// <returns>The format to use; null if the client wants another one: return <see cref="CoapResults.NotAcceptable"/>.</returns>
    public CoapContentFormat? SelectFormat(params ReadOnlySpan<CoapContentFormat> available) =>
        RequestConditions.SelectFormat(Options, available);

    /// <summary>Whether an Echo proves that the request is fresh.</summary>
    /// <remarks>If not, return <see cref="CoapResults.FreshnessRequired"/>, which asks the client for proof.</remarks>
    /// <param name="maxAge">The maximum age.</param>
    /// <returns>Whether the request is known to be at most that old.</returns>
    /// <exception cref="InvalidOperationException">The request is a request to send.</exception>
    public bool IsFresh(TimeSpan maxAge)
    {
        ThrowIfToSend("no age: only received requests have one");
        return EchoAge is { } age && age <= maxAge;
    }

    /// <summary>
    /// Acknowledges a received Confirmable request at once with an Empty message; its response is then a separate one (RFC 7252 section
    /// 5.2.2).
    /// </summary>
    /// <remarks>
    /// The endpoint does it by itself when the response is not there after <see cref="CoapTransmissionParameters.PiggybackWindow"/>, 0.5 s
    /// by default. A handler that knows that it takes long can do it earlier, so a client with a short timeout sends no further copy. There
    /// is no effect on a Non-confirmable request, on a connection, which has no acknowledgements (RFC 8323 section 3.1), for notifications,
    /// and once the request is acknowledged or has its response. With <c>StreamBody</c> there is none either: the endpoint acknowledges
    /// each block with its 2.31. Thread-safe.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The request is a request to send.</exception>
    public void Acknowledge()
    {
        ThrowIfToSend("nothing to acknowledge: only received requests have");
        (_origin as CoapExchange)?.Acknowledge();
    }

    /// <summary>Sets the exchange that <see cref="Acknowledge"/> needs.</summary>
    /// <param name="exchange">The exchange of this request.</param>
    internal void SetExchange(CoapExchange exchange) => _origin = exchange;

    /// <summary>Forgets the exchange, because the application may keep the request after its response.</summary>
    /// <param name="channel">The channel of the exchange.</param>
    internal void ForgetExchange(CoapChannel channel) => _origin = channel;

    /// <summary>Copies this request to send, with another URI.</summary>
    /// <remarks>Changes of one do not affect the other; they share streams, such as <see cref="Destination"/>.</remarks>
    /// <param name="uri">The absolute URI.</param>
    /// <returns>The copy.</returns>
    /// <exception cref="InvalidOperationException">The request was received.</exception>
    public CoapRequest WithUri(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        if (Channel is not null)
        {
            throw new InvalidOperationException("A received request cannot be sent. Create a new CoapRequest from the parts to forward.");
        }

        CoapMessage message = new(Message.Code) { Payload = Message.Payload };
        if (Message.HasOptions)
        {
            message.Options.AddAll(Message.Options);
        }

        CoapRequest copy = new(message) { _origin = uri, Confirmable = Confirmable, CacheMode = CacheMode };
        if (_more is { } more)
        {
            // Do not use the Content property: it would set payload and Content-Format again, which may have changed since.
            copy._more = new RequestMore { Content = more.Content, LocalAddress = more.LocalAddress, Transfer = more.Transfer?.Clone() };
        }

        return copy;
    }

    /// <summary>Returns method and path, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Code} {UriText ?? Path}";

    private CoapContentFormat? GetFormat(int number) =>
        Options.TryGetUInt(number, out uint value) && value <= ushort.MaxValue ? new CoapContentFormat((ushort)value) : null;

    private void ThrowIfToSend(string what)
    {
        if (UriText is not null)
        {
            throw new InvalidOperationException($"A request to send has {what}.");
        }
    }
}
