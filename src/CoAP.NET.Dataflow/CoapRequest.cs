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

/// <summary>
/// A request: one that a client sends, or one that a server received (RFC 7252 section 5.1). A received one keeps its own copy of the bytes
/// and may be kept for as long as one likes.
/// </summary>
/// <remarks>
/// Both have <see cref="Code"/>, <see cref="Method"/>, <see cref="Options"/>, <see cref="Payload"/>, <see cref="Path"/>,
/// <see cref="Queries"/>, <see cref="Host"/>, <see cref="GetUri"/>, <see cref="Accept"/>, <see cref="ContentFormat"/> and
/// <see cref="Confirmable"/>: of a request to send they tell what will be sent. <see cref="Timeout"/>, <see cref="Patience"/>,
/// <see cref="Progress"/>, <see cref="Destination"/>, <see cref="Download"/>, <see cref="BlockSize"/>, <see cref="CacheMode"/>,
/// <see cref="IsForwarded"/>, <see cref="OnBehalfOf"/> and <see cref="LocalAddress"/> say how a request is sent and do nothing on a
/// received one. <see cref="Peer"/>, <see cref="BodyReader"/> and <see cref="IsFresh"/> are for received requests and throw on one to
/// send; its <see cref="Route"/> is empty, and nothing cancels its <see cref="Aborted"/>.
/// </remarks>
public sealed class CoapRequest
{
    private CoapRouteValues? _route;

    // The text of the URI of a request to send, or the channel of a received one. One slot for both: servers make very many of these
    // objects, and a second one would be 8 bytes of each.
    private object? _origin;

    // What most received requests have nothing of.
    private RequestMore? _more;

    /// <summary>Makes a request to send.</summary>
    /// <param name="method">The method.</param>
    /// <param name="uri">The absolute URI or IRI, such as <c>coap://[::1]/temperature</c>; see <see cref="CoapUri.Parse"/>.</param>
    public CoapRequest(CoapMethod method, string uri)
        : this(new CoapMessage((CoapCode)method))
    {
        ArgumentNullException.ThrowIfNull(uri);
        _origin = uri;
    }

    /// <summary>Makes a request to send.</summary>
    /// <param name="method">The method.</param>
    /// <param name="uri">The absolute URI or IRI. Its original text counts, not what <see cref="System.Uri"/> made of it.</param>
    public CoapRequest(CoapMethod method, Uri uri)
        : this(method, (uri ?? throw new ArgumentNullException(nameof(uri))).OriginalString)
    {
    }

    /// <summary>Makes a request to send of a message: code, options and payload are taken as they are.</summary>
    /// <param name="message">The message; type, Message ID and token are filled in when it is sent.</param>
    public CoapRequest(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        Message = message;
    }

    /// <summary>The message underneath.</summary>
    public CoapMessage Message { get; }

    /// <summary>The code of the request.</summary>
    public CoapCode Code => Message.Code;

    /// <summary>The method; a code without a name is cast.</summary>
    public CoapMethod Method => (CoapMethod)Message.Code.Value;

    /// <summary>The options. Uri options of a request with a URI are added when it is sent.</summary>
    public CoapOptionCollection Options => Message.Options;

    /// <summary>The bytes of the payload.</summary>
    public ReadOnlyMemory<byte> Payload => Message.Payload;

    /// <summary>
    /// The body of a received request as a pipe; that of a request to send is its <see cref="Content"/>. On a route with <c>StreamBody</c>
    /// its blocks arrive while it is read, and reading throws a <see cref="CoapIncompleteBodyException"/> when the peer gives the transfer
    /// up; it can be read once. Elsewhere the bytes of <see cref="Payload"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">The request is one to send.</exception>
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

    /// <summary>Whether the body of a received request comes while <see cref="BodyReader"/> is read, and is no payload.</summary>
    public bool IsBodyStreamed => Body is { Owner: StreamedBody, Reader: not null };

    /// <summary>What belongs to the body of a received request; null for a plain one.</summary>
    internal ExchangeBody? Body
    {
        get => _more?.Body;
        set => MoreFor(value is not null)?.Body = value;
    }

    /// <summary>
    /// Whether a filter is asked about a request of whose body only a block is there, which <see cref="Payload"/> has, before the body is
    /// put together. Only filters that were added for it see such requests.
    /// </summary>
    public bool IsBodyPending => Body is { IsIncomplete: true };

    /// <summary>
    /// The block that <see cref="Payload"/> is, on a route with <c>HandleBlocks</c> (RFC 7959 section 2.2); null for a body that came as a
    /// whole.
    /// </summary>
    public BlockValue? Block1 => Message.OptionsToRead?.Block1;

    /// <summary>The URI as it was given to the constructor; null for received requests.</summary>
    public string? UriText => _origin as string;

    /// <summary>Whether to send a Confirmable message. Default true. For a received request: whether it was one.</summary>
    public bool Confirmable { get; set; } = true;

    /// <summary>
    /// The address of this host that the request leaves from, for hosts that have several. Over UDP the endpoint must be bound to it or to
    /// any address, as a client is that was told nothing else, and the peer is a peer of its own for each address: with Message IDs, NSTART
    /// and observations of its own. Over TCP and TLS there is a connection for each address. Default null: the operating system chooses by
    /// its routes. Without meaning for requests to a <see cref="CoapPeer"/> and to groups, and on received requests.
    /// </summary>
    public IPAddress? LocalAddress
    {
        get => _more?.LocalAddress;
        set => MoreFor(value is not null)?.LocalAddress = value;
    }

    /// <summary>What the cache of the endpoint may do for the request, if it has one.</summary>
    public CoapCacheMode CacheMode { get; set; }

    /// <summary>
    /// How long the whole request may take, with waiting for its turn; null for the times of the transmission parameters (it then waits for
    /// its turn for some minutes at most while the peer is silent), <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit
    /// but that of retransmission.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero and not infinite.</exception>
    public TimeSpan? Timeout
    {
        get => _more?.Transfer?.Timeout;
        set
        {
            if (value is { } timeout && timeout != System.Threading.Timeout.InfiniteTimeSpan)
            {
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(timeout, TimeSpan.Zero, nameof(value));
            }

            (value is null ? Transfer : Wishes)?.Timeout = value;
        }
    }

    /// <summary>
    /// What happens when the server does not want the request yet (4.29, RFC 8516); null for <see cref="CoapEndpointOptions.Patience"/>.
    /// </summary>
    public CoapPatience? Patience
    {
        get => _more?.Transfer?.Patience;
        set => Wishes.Patience = value;
    }

    /// <summary>What to send; sets payload and Content-Format.</summary>
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

    /// <summary>The Content-Format of the payload (RFC 7252 section 5.10.3); null when the option is absent.</summary>
    public CoapContentFormat? ContentFormat => GetFormat(OptionNumber.ContentFormat);

    /// <summary>The Content-Format that is wanted (RFC 7252 section 5.10.4); null for any.</summary>
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

    /// <summary>
    /// Whether no peer sent the request, but the server asks itself, to make what observers are sent (RFC 7641 section 4.2): it is what
    /// they asked, by the channel of one of them.
    /// </summary>
    public bool IsForObservers { get; internal init; }

    /// <summary>
    /// Where the handler and filters of a received request find services. Default null; a host sets it, with one scope for each request.
    /// </summary>
    public IServiceProvider? Services
    {
        get => _more?.Services;
        set => MoreFor(value is not null)?.Services = value;
    }

    /// <summary>The channel that a received request came by; null for requests to send.</summary>
    public CoapChannel? Channel
    {
        get => _origin as CoapChannel;
        internal init => _origin = value;
    }

    /// <summary>Who sent a received request; requests may be sent back over it.</summary>
    /// <exception cref="InvalidOperationException">The request was not received but made to be sent.</exception>
    public CoapPeer Peer =>
        CoapPeer.Of(Channel ?? throw new InvalidOperationException("A request to send has no peer: only received requests have one."));

    /// <summary>Cancelled when nobody waits for the answer any more: the endpoint stops.</summary>
    public CancellationToken Aborted { get; internal set; }

    /// <summary>
    /// The host that the request is for: Uri-Host; without it what the client called this server by Server Name Indication or a Host header
    /// (RFC 8323 section 8.5), and otherwise the address that it was sent to. For a request to send the host of its URI. IPv6 addresses
    /// stand in brackets.
    /// </summary>
    /// <exception cref="CoapUriException">The options name no URI.</exception>
    public string Host => GetUri().Host;

    /// <summary>
    /// The absolute path, decoded, with a slash before each segment; <c>/</c> when there is none. Of a received request it is that of its
    /// Uri-Path options, of one to send that of its options and then of its URI, as
    /// they will be sent. For people: a slash inside a segment is not told from one between segments.
    /// </summary>
    /// <exception cref="CoapUriException">It is a request to send, and the text of its URI is none.</exception>
    public string Path => RequestTarget.PathOf(Message, TargetToSend);

    /// <summary>
    /// The decoded Uri-Query options in order, one argument each, such as <c>rt=light</c> (RFC 7252 section 5.10.1). Their order is part of
    /// the resource's name. Of a request to send, those of its options and then those of its URI, as they will be sent.
    /// </summary>
    /// <exception cref="CoapUriException">While enumerating: it is a request to send, and the text of its URI is none.</exception>
    public IEnumerable<string> Queries => RequestTarget.QueriesOf(this);

    /// <summary>
    /// The classes of responses that the server need not send (RFC 7967). Default: none, all are wanted. With
    /// <see cref="NoResponseClasses.All"/> sending ends when the request was acknowledged, or sent if it is Non-confirmable, with a
    /// response whose <see cref="CoapResponse.IsNone"/> is true. With some classes it waits for the rest until <see cref="Timeout"/>;
    /// <see cref="CoapNoResponseRequests"/> makes null of silence.
    /// </summary>
    public NoResponseClasses NoResponse
    {
        get => Options.NoResponse ?? NoResponseClasses.None;
        set => Options.NoResponse = value == NoResponseClasses.None ? null : value;
    }

    /// <summary>
    /// The block size in bytes to propose for both bodies: 16, 32, 64, 128, 256, 512 or 1,024. Default null:
    /// <see cref="CoapTransmissionParameters.PreferredBlockSize"/> of the peer; over a connection whatever fits a message. A server may use
    /// a smaller one (RFC 7959 sections 2.3 and 2.4).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Another number.</exception>
    public int? BlockSize
    {
        get => Transfer?.BlockSize;
        set
        {
            if (value is not (null or 16 or 32 or 64 or 128 or 256 or 512 or 1024))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value,
                    "A block has 16, 32, 64, 128, 256, 512 or 1024 bytes (RFC 7959 section 2.2).");
            }

            Wishes.BlockSize = value;
        }
    }

    /// <summary>Is told of each block that was transferred. Default null.</summary>
    public IProgress<CoapProgress>? Progress
    {
        get => Transfer?.Progress;
        set => Wishes.Progress = value;
    }

    /// <summary>
    /// Where the body of a successful response goes, block by block; the response itself then has no payload, and
    /// <see cref="CoapLimits.MaxResponseBodySize"/> does not apply. Default null: the body is the payload of the response. When the
    /// representation changes on the way, a stream that can seek is cut back to where it stood and written again; with others the request
    /// fails. What was written stays when the request fails, so that the download can be continued (<see cref="Download"/>).
    /// </summary>
    /// <exception cref="ArgumentException">The stream cannot be written.</exception>
    public Stream? Destination
    {
        get => Transfer?.Destination;
        set
        {
            if (value is { CanWrite: false })
            {
                throw new ArgumentException("The stream cannot be written.", nameof(value));
            }

            Wishes.Destination = value;
        }
    }

    /// <summary>Which part of the response's body is wanted. Default null: all of it.</summary>
    public CoapDownloadOptions? Download
    {
        get => Transfer?.Download;
        set => Wishes.Download = value;
    }

    /// <summary>
    /// Whether a proxy sends the request on for somebody else. Then a response may have critical options that are not recognized here, if
    /// they are safe to forward (RFC 7252 section 5.7.1), and a challenge by Echo is not answered but given to the caller, as only the
    /// client can say that its request is fresh (RFC 9175 section 2.3). Default false.
    /// </summary>
    public bool IsForwarded
    {
        get => Transfer is { IsForwarded: true };
        set => Wishes.IsForwarded = value;
    }

    /// <summary>For whom a proxy sends the request on, whose share of a <see cref="CoapCache"/> it takes. Null: the caller.</summary>
    public CoapSource? OnBehalfOf { get => Transfer?.OnBehalfOf; set => Wishes.OnBehalfOf = value; }

    /// <summary>
    /// How old the request is at most: the age of the Echo value that it brought back, made by this endpoint for this peer (RFC 9175
    /// section 2.3). Null when it has none, or one that is not ours. A value may be brought back several times.
    /// </summary>
    public TimeSpan? EchoAge
    {
        get => _more is { EchoAge: >= 0 and var ticks } ? TimeSpan.FromTicks(ticks) : null;
        internal set => MoreFor(value is not null)?.EchoAge = value?.Ticks ?? -1;
    }

    /// <summary>Who measures it on its way through the server; null when nobody does.</summary>
    internal ServerWatch? Watch
    {
        get => _more?.Watch;
        set => More.Watch = value;
    }

    internal OpenedStreams? Opened { get => _more?.Opened; set => More.Opened = value; }

    internal TransferWishes? Transfer => _more?.Transfer;

    internal TransferWishes Wishes => More.Transfer ??= new TransferWishes();

    /// <summary>
    /// The URI whose path and query are added when the request is sent; null of a received one, and of one whose options say all.
    /// </summary>
    internal CoapUri? TargetToSend => RequestTarget.ToSend(Message, UriText);

    private RequestMore More => _more ??= new RequestMore();

    // Nothing is made to keep what is nothing.
    private RequestMore? MoreFor(bool isSet) => isSet ? More : _more;

    /// <summary>The payload as text in UTF-8.</summary>
    /// <returns>The text.</returns>
    public string GetText() => Encoding.UTF8.GetString(Payload.Span);

    /// <summary>
    /// The URI of the request. For a received one it is composed of its options (RFC 7252 section 6.5); where Uri-Host is absent it has
    /// what the client called this server by Server Name Indication or a Host header (RFC 8323 section 8.5), and otherwise the address that
    /// it was sent to. Proxy-Uri and Proxy-Scheme are not looked at.
    /// </summary>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The options name no URI, or the text of the URI is none.</exception>
    /// <exception cref="InvalidOperationException">It is a request to send that was made without a URI.</exception>
    public CoapUri GetUri()
    {
        if (Channel is { } channel)
        {
            return CoapUri.Compose(channel.Transport.Scheme, Options, channel.Local.ToIPEndPoint(), channel.DefaultHost);
        }

        return CoapUri.Parse(UriText ?? throw new InvalidOperationException("The request was made of a message, without a URI."));
    }

    /// <summary>
    /// The value of the first argument with a name: what follows <c>name=</c>, or the empty string for an argument that is the name alone.
    /// </summary>
    /// <param name="name">The name; case-sensitive.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether there is such an argument.</returns>
    public bool TryGetQuery(string name, [NotNullWhen(true)] out string? value)
    {
        ArgumentNullException.ThrowIfNull(name);
        return RequestTarget.TryGetQuery(Queries, name, out value);
    }

    /// <summary>Whether the client has this representation already: one of the ETag options equals it (RFC 7252 section 5.10.6.2).
    /// <see cref="CoapResults.ValidOr"/> answers by it.</summary>
    /// <param name="etag">The entity-tag of the current representation.</param>
    /// <returns>Whether one matches.</returns>
    public bool IsMatch(CoapETag etag) => RequestConditions.HasTag(Options, OptionNumber.ETag, etag);

    /// <summary>Checks If-Match and If-None-Match (RFC 7252 section 5.10.8). Call it before anything is changed.</summary>
    /// <param name="currentETag">The entity-tag of the current representation; null when the resource does not exist.</param>
    /// <returns>Null when the request may go on; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(CoapETag? currentETag) => RequestConditions.Check(Options, currentETag is not null, currentETag);

    /// <summary>
    /// Checks If-Match and If-None-Match (RFC 7252 section 5.10.8) for a resource without entity-tags. An If-Match with an entity-tag never
    /// holds then.
    /// </summary>
    /// <param name="exists">Whether the resource exists.</param>
    /// <returns>Null when the request may go on; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(bool exists) => RequestConditions.Check(Options, exists, null);

    /// <summary>Chooses the format of the answer by the Accept option (RFC 7252 section 5.10.4).</summary>
    /// <param name="available">What can be produced; the first is the one for clients that ask for none.</param>
    /// <returns>The format to use; null when the client wants another one, which is <see cref="CoapResults.NotAcceptable"/>.</returns>
    public CoapContentFormat? SelectFormat(params ReadOnlySpan<CoapContentFormat> available) =>
        RequestConditions.SelectFormat(Options, available);

    /// <summary>
    /// Whether an Echo shows that the request was made lately. If not, <see cref="CoapResults.FreshnessRequired"/> asks the client to show
    /// it.
    /// </summary>
    /// <param name="maxAge">How old it may be.</param>
    /// <returns>Whether it is known to be at most that old.</returns>
    /// <exception cref="InvalidOperationException">The request is one to send.</exception>
    public bool IsFresh(TimeSpan maxAge)
    {
        ThrowIfToSend("no age: only received requests have one");
        return EchoAge is { } age && age <= maxAge;
    }

    /// <summary>A copy of this request to send, to a URI. What is changed of one is not changed of the other; streams, such as
    /// <see cref="Destination"/>, are shared.</summary>
    /// <param name="uri">The absolute URI.</param>
    /// <returns>The copy.</returns>
    /// <exception cref="InvalidOperationException">The request was received, not made to be sent.</exception>
    public CoapRequest WithUri(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        if (Channel is not null)
        {
            throw new InvalidOperationException("A received request is answered, not sent on. Make a new one of what is to go on.");
        }

        CoapMessage message = new(Message.Code) { Payload = Message.Payload };
        if (Message.HasOptions)
        {
            message.Options.AddAll(Message.Options);
        }

        CoapRequest copy = new(message) { _origin = uri, Confirmable = Confirmable, CacheMode = CacheMode };
        if (_more is { } more)
        {
            // Content is not set by its property: that would set payload and Content-Format again, which may have been changed since.
            copy._more = new RequestMore { Content = more.Content, LocalAddress = more.LocalAddress, Transfer = more.Transfer?.Clone() };
        }

        return copy;
    }

    /// <summary>Method and path for people.</summary>
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
