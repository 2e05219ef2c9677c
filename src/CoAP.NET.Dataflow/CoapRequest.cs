using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Text;
using CoAP.NET.Blockwise;
using CoAP.NET.Channels;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>
/// A request: one that a client sends, or one that a server received (RFC 7252 section 5.1). A received one keeps its own copy of the bytes and may be kept
/// for as long as one likes.
/// </summary>
/// <remarks>
/// Both have <see cref="Code"/>, <see cref="Method"/>, <see cref="Options"/>, <see cref="Payload"/>, <see cref="Path"/>,
/// <see cref="Queries"/>, <see cref="Host"/>, <see cref="GetUri"/>, <see cref="Accept"/>,
/// <see cref="ContentFormat"/> and <see cref="Confirmable"/>: of a request to send they tell what will be sent. <see cref="Timeout"/>,
/// <see cref="Patience"/>, <see cref="Progress"/>, <see cref="Destination"/>,
/// <see cref="Download"/>, <see cref="BlockSize"/>, <see cref="CacheMode"/> and <see cref="LocalAddress"/> say how a request is sent and do
/// nothing on a received one. <see cref="Peer"/>,
/// <see cref="BodyReader"/> and <see cref="IsFresh"/> are for received requests and throw on one to send; its <see cref="Route"/> is empty,
/// and nothing cancels its <see cref="Aborted"/>.
/// </remarks>
public sealed partial class CoapRequest
{
    private CoapRouteValues? _route;

    // The text of the URI of a request to send, or the channel of a received one: servers make very many of these objects.
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
    /// its blocks arrive while it is read, and reading throws a
    /// <see cref="CoapIncompleteBodyException"/> when the peer gives the transfer up; it can be read once. Elsewhere the bytes of <see cref="Payload"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">The request is one to send.</exception>
    public PipeReader BodyReader
    {
        get
        {
            ThrowIfToSend("no body to read: what it sends is its Content");
            Body ??= new ExchangeBody();
            return Body.Reader ??= Payload.IsEmpty ? PipeReader.Create(Stream.Null) : PipeReader.Create(new ReadOnlySequence<byte>(Payload));
        }
    }

    /// <summary>What belongs to the body of a received request; null for a plain one.</summary>
    internal ExchangeBody? Body
    {
        get => _more?.Body;
        set
        {
            if (value is not null || _more is not null)
            {
                More.Body = value;
            }
        }
    }

    /// <summary>
    /// Whether a filter is asked about a request of whose body only a block is there, which <see cref="Payload"/> has, before the body is put together. Only filters that were added for it see such requests.
    /// </summary>
    public bool IsBodyPending => Body is { IsIncomplete: true };

    /// <summary>The block that <see cref="Payload"/> is, on a route with <c>HandleBlocks</c> (RFC 7959 section 2.2); null for a body that came as a whole.</summary>
    public BlockValue? Block1 => Message.OptionsToRead?.Block1;

    /// <summary>The URI as it was given to the constructor; null for received requests.</summary>
    public string? UriText => _origin as string;

    /// <summary>Whether to send a Confirmable message. Default true. For a received request: whether it was one.</summary>
    public bool Confirmable { get; set; } = true;

    /// <summary>
    /// The address of this host that the request leaves from, for hosts that have several. Over UDP the endpoint must be bound to it or to any address, as a client is that was told nothing else, and
    /// the peer is a peer of its own for each address: with Message IDs, NSTART and observations of its own. Over TCP and TLS there is a connection for each address. Default null: the
    /// operating system chooses by its routes. Without meaning for requests to a <see cref="CoapPeer"/> and to groups, and on received requests.
    /// </summary>
    public IPAddress? LocalAddress
    {
        get => _more?.LocalAddress;
        set
        {
            if (value is not null || _more is not null)
            {
                More.LocalAddress = value;
            }
        }
    }

    /// <summary>What the cache of the endpoint may do for the request, if it has one.</summary>
    public CoapCacheMode CacheMode { get; set; }

    /// <summary>How long the whole request may take, with waiting for its turn; null for the times of the transmission parameters (it then waits for its turn for some minutes at most while the peer is silent), <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit but that of retransmission.</summary>
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

            if (value is not null || Transfer is not null)
            {
                Wishes.Timeout = value;
            }
        }
    }

    /// <summary>What happens when the server does not want the request yet (4.29, RFC 8516); null for <see cref="CoapEndpointOptions.Patience"/>.</summary>
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
            if (value is not null || _more is not null)
            {
                More.Content = value;
            }

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
    /// Whether no peer sent the request, but the server asks itself, to make what observers are sent (RFC 7641 section 4.2): it is what they asked, by the channel of one of them.
    /// </summary>
    public bool IsForObservers { get; internal init; }

    /// <summary>
    /// Where the handler and filters of a received request find services. Default null; a host sets it, with one scope for each request.
    /// </summary>
    public IServiceProvider? Services
    {
        get => _more?.Services;
        set
        {
            if (value is not null || _more is not null)
            {
                More.Services = value;
            }
        }
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

    /// <summary>The payload as text in UTF-8.</summary>
    /// <returns>The text.</returns>
    public string GetText() => Encoding.UTF8.GetString(Payload.Span);

    /// <summary>Method and path for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Code} {UriText ?? Path}";

    /// <summary>Who measures it on its way through the server; null when nobody does.</summary>
    internal object? Watch
    {
        get => _more?.Watch;
        set => More.Watch = value;
    }

    private RequestMore More => _more ??= new RequestMore();

    private CoapContentFormat? GetFormat(int number) =>
        Options.TryGetUInt(number, out uint value) && value <= ushort.MaxValue ? new CoapContentFormat((ushort)value) : null;

    private sealed class RequestMore
    {
        public ExchangeBody? Body { get; set; }

        public CoapContent? Content { get; set; }

        public TransferWishes? Transfer { get; set; }

        public IPAddress? LocalAddress { get; set; }

        public object? Watch { get; set; }

        public long EchoAge { get; set; } = -1;

        public IServiceProvider? Services { get; set; }
    }
}
