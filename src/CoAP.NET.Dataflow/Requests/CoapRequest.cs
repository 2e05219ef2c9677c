using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Text;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>A request to send (RFC 7252 section 5.1). A server receives a <see cref="CoapRequestContext"/>.</summary>
/// <remarks>Code, options, payload, path and queries describe the message that will be sent.</remarks>
/// <example>
/// <code>
/// CoapRequest request = new(CoapMethod.Put, "coap://[::1]/setpoint")
/// {
///     Content = CoapContent.Text("21"), Timeout = TimeSpan.FromSeconds(10),
/// };
/// CoapResponse response = await client.SendAsync(request, cancellationToken);
/// </code>
/// </example>
public sealed class CoapRequest
{
    private CoapContent? _content;

    /// <summary>Creates a request.</summary>
    /// <param name="method">The method.</param>
    /// <param name="uri">The absolute URI or IRI, such as <c>coap://[::1]/temperature</c>; for a <see cref="CoapPeer"/> and a client with a
    /// base address also a relative one, such as <c>/temperature</c>.</param>
    public CoapRequest(CoapMethod method, CoapUri uri)
        : this(new CoapMessage((CoapCode)method))
    {
        ArgumentNullException.ThrowIfNull(uri);
        Uri = uri;
    }

    /// <inheritdoc cref="CoapRequest(CoapMethod, CoapUri)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public CoapRequest(CoapMethod method, string uri)
        : this(method, CoapUri.FromString(uri))
    {
    }

    /// <summary>Creates a request from a message, with its code, options and payload.</summary>
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

    /// <summary>The URI that was passed to the constructor; null for a request from a message.</summary>
    public CoapUri? Uri { get; private init; }

    /// <summary>Whether to send a Confirmable message. Default true.</summary>
    /// <remarks>If false, only the first message of a download is Non-confirmable, and none of an upload in blocks (RFC 7959).</remarks>
    public bool Confirmable { get; set; } = true;

    /// <summary>The local address to send the request from, on hosts with several.</summary>
    /// <remarks>Over UDP the endpoint must be bound to it or to any address (the default of a client). Each local address then makes a
    /// separate peer, with its own Message IDs, NSTART and observations. Over TCP and TLS there is one connection per address. Default
    /// null: the operating system chooses by its routes. Ignored for requests to a <see cref="CoapPeer"/> and to groups.</remarks>
    public IPAddress? LocalAddress { get; set; }

    /// <summary>How the request uses the cache of the endpoint, if there is one.</summary>
    public CoapCacheMode CacheMode { get; set; }

    /// <summary>The timeout of the whole request, including its time in the queue.</summary>
    /// <remarks>Null for the times of the transmission parameters (it then waits in the queue for some minutes at most while the peer is
    /// silent), <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit except that of retransmission.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is neither above zero nor infinite.</exception>
    public TimeSpan? Timeout
    {
        get => Transfer?.Timeout;
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
    /// What happens when the server defers the request (4.29, RFC 8516); null for <see cref="CoapEndpointOptions.TooManyRequests"/>.
    /// </summary>
    public CoapTooManyRequestsBehavior? TooManyRequests
    {
        get => Transfer?.TooManyRequests;
        set => Settings.TooManyRequests = value;
    }

    /// <summary>The content to send; setting it sets payload and Content-Format.</summary>
    public CoapContent? Content
    {
        get => _content;
        set
        {
            _content = value;
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
    public CoapContentFormat? ContentFormat => RequestTargetResolver.FormatOf(Options, OptionNumber.ContentFormat);

    /// <summary>The requested Content-Format (RFC 7252 section 5.10.4); null for any.</summary>
    public CoapContentFormat? Accept
    {
        get => RequestTargetResolver.FormatOf(Options, OptionNumber.Accept);
        set
        {
            Options.Remove(OptionNumber.Accept);
            if (value is { } format)
            {
                Options.AddUInt(OptionNumber.Accept, format.Value);
            }
        }
    }

    /// <summary>The host of the URI. IPv6 addresses are in brackets.</summary>
    /// <exception cref="CoapFormatException">The URI is invalid.</exception>
    /// <exception cref="InvalidOperationException">The request was created without a URI.</exception>
    public string Host => GetUri().Host;

    /// <summary>The absolute path, decoded, with a slash before each segment; <c>/</c> if there is none.</summary>
    /// <remarks>
    /// From the options and then the URI, as they will be sent.
    /// Human-readable: it does not distinguish a slash inside a segment from one between segments.
    /// </remarks>
    /// <exception cref="CoapFormatException">The URI is invalid.</exception>
    public string Path => RequestTargetResolver.PathOf(Message, TargetToSend);

    /// <summary>The decoded Uri-Query options in order, one argument each, such as <c>rt=light</c> (RFC 7252 section 5.10.1).</summary>
    /// <remarks>
    /// Their order is part of the resource's name. Those of the options come first and then those of the URI, as they will be sent.
    /// </remarks>
    /// <exception cref="CoapFormatException">While enumerating: the URI is invalid.</exception>
    public IEnumerable<string> Queries => RequestTargetResolver.QueriesOf(Message, Uri);

    /// <summary>The classes of responses that the client does not want (RFC 7967).</summary>
    /// <remarks>
    /// Default: none, it wants all. With <see cref="NoResponseClasses.All"/> sending ends when the request was acknowledged, or sent if it
    /// is Non-confirmable, with a response whose <see cref="CoapResponse.IsNone"/> is true. With some classes it waits for the others until
    /// <see cref="Timeout"/>; <see cref="CoapClientRequestExtensions.SendAsync"/> returns such a response for silence.
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
    /// <see cref="CoapBlockwiseLimits.MaxResponseBodySize"/> does not apply.
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

    /// <summary>The defaults of the client that do not apply to the request.</summary>
    /// <remarks>
    /// It applies to properties that the request does not set: with <see cref="CoapClientDefaultKinds.Accept"/>, a request without
    /// <see cref="Accept"/> accepts any
    /// format although the client has a default one. Default: none of them, all apply. Requests to a <see cref="CoapPeer"/> have no
    /// defaults.
    /// </remarks>
    public CoapClientDefaultKinds IgnoredDefaults
    {
        get => Transfer?.IgnoredDefaults ?? CoapClientDefaultKinds.None;
        set => Settings.IgnoredDefaults = value;
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
    public CoapQuotaSource? OnBehalfOf { get => Transfer?.OnBehalfOf; set => Settings.OnBehalfOf = value; }

    /// <summary>The settings of the transfer; null if all have their defaults.</summary>
    internal TransferSettings? Transfer { get; private set; }

    internal TransferSettings Settings => Transfer ??= new TransferSettings();

    /// <summary>The URI whose path and query are added when the request is sent; null if the options are complete.</summary>
    internal CoapUri? TargetToSend => RequestTargetResolver.ToSend(Message, Uri);

    /// <summary>Returns the payload as text in UTF-8.</summary>
    /// <returns>The text.</returns>
    public string GetText() => Encoding.UTF8.GetString(Payload.Span);

    /// <summary>Returns the URI of the request.</summary>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapFormatException">The URI is relative or of another scheme.</exception>
    /// <exception cref="InvalidOperationException">The request was created without a URI.</exception>
    public CoapUri GetUri()
    {
        CoapUri uri = Uri
            ?? throw new InvalidOperationException(
                "The request was created from a message without a URI. Create a copy with a URI by WithUri.");
        return uri.IsCoap ? uri : CoapUri.Parse(uri.ToString());
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

    /// <summary>Copies this request, with another URI.</summary>
    /// <remarks>Changes of one do not affect the other; they share streams, such as <see cref="Destination"/>.</remarks>
    /// <param name="uri">The URI.</param>
    /// <returns>The copy.</returns>
    public CoapRequest WithUri(CoapUri uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        CoapMessage message = new(Message.Code) { Payload = Message.Payload };
        if (Message.HasOptions)
        {
            message.Options.AddAll(Message.Options);
        }

        return new CoapRequest(message)
        {
            Uri = uri,
            Confirmable = Confirmable,
            CacheMode = CacheMode,
            LocalAddress = LocalAddress,
            Transfer = Transfer?.Clone(),

            // Not the Content property: it would set payload and Content-Format again, which may have changed since.
            _content = _content,
        };
    }

    /// <inheritdoc cref="WithUri(CoapUri)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public CoapRequest WithUri(string uri) => WithUri(CoapUri.FromString(uri));

    /// <summary>Returns method and path, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Code} {Uri?.ToString() ?? Path}";
}
