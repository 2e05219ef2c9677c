using System.Buffers;
using System.Buffers.Binary;
using System.Net;
using System.Text;
using CoAP.NET.Blockwise.Client;
using CoAP.NET.Exchanges;
using CoAP.NET.RequestSteps;
using CoAP.NET.Requests;

namespace CoAP.NET.Observing.Client;

/// <summary>
/// The target of an observation: its place, and the request without Observe. Two targets are equal if the cached response of one could
/// answer the other (RFC 7252 section 5.6); they share a registration (RFC 7641 section 3.1).
/// </summary>
internal sealed class ObservationTarget : IEquatable<ObservationTarget>
{
    private readonly byte[] _key;
    private readonly int _hash;

    /// <summary>Creates a target.</summary>
    /// <param name="place">Scheme and authority, or the identity of the peer.</param>
    /// <param name="message">The request with all its options; the target owns it. The constructor removes its Observe and ETag
    /// options.</param>
    public ObservationTarget(string place, CoapMessage message)
    {
        message.Options.Remove(OptionNumber.Observe);

        // A 2.03 for a representation of the user could not be delivered; later registrations name delivered representations.
        message.Options.Remove(OptionNumber.ETag);
        Message = message;
        _key = Key(place, message);
        HashCode hash = default;
        hash.AddBytes(_key);
        _hash = hash.ToHashCode();
    }

    /// <summary>Throws if no observation can start with a request.</summary>
    public static void CheckObservable(CoapRequest request)
    {
        if (request.Code != CoapCode.Get && request.Code != CoapCode.Fetch)
        {
            throw new ArgumentException($"{request.Code} cannot be observed. Use GET or FETCH (RFC 7641 section 1.2, RFC 8132 section 2).",
                nameof(request));
        }
    }

    public static ObservationTarget At(CoapUri uri, CoapRequest request)
    {
        CoapMessage message = RequestComposer.Copy(request);
        bool isOfTarget = !RequestComposer.NamesResource(message);

        // The same for every address of the host, so that they share a registration.
        RequestComposer.AddTarget(message, uri, uri.HostAddress, uri.Port);
        string place = $"{uri.Scheme}://{uri.Authority}{(request.LocalAddress is { } local ? $" from {local}" : null)}";
        return new ObservationTarget(place, message, request) { Uri = uri, IsOfUri = isOfTarget, Local = request.LocalAddress };
    }

    /// <summary>Creates the target of a request to a peer, whatever host its URI names.</summary>
    public static ObservationTarget At(CoapChannel channel, CoapRequest request)
    {
        CoapMessage message = RequestComposer.Compose(channel, request, out CoapUri? uri);
        return new ObservationTarget($"{channel} at {channel.Local}", message, request) { Uri = uri, Peer = channel };
    }

    private ObservationTarget(string place, CoapMessage message, CoapRequest request)
        : this(place, message)
    {
        Timeout = request.Timeout == System.Threading.Timeout.InfiniteTimeSpan ? null : request.Timeout;
        CacheMode = request.CacheMode;
        BlockSize = request.BlockSize;
        IsForwarded = request.IsForwarded;
        OnBehalfOf = request.OnBehalfOf;
    }

    /// <summary>The request. Do not change it or send it; see <see cref="Compose(uint?, CoapToken)"/>.</summary>
    public CoapMessage Message { get; }

    /// <summary>The URI of the resource; null if <see cref="Peer"/> is set.</summary>
    public CoapUri? Uri { get; init; }

    /// <summary>Whether <see cref="Uri"/> alone identifies the resource and the host.</summary>
    public bool IsOfUri { get; init; }

    /// <summary>The peer of the resource, whatever the URI says; null if <see cref="Uri"/> identifies it.</summary>
    public CoapChannel? Peer { get; init; }

    /// <summary>The local address of the observation; null to let the system choose.</summary>
    public IPAddress? Local { get; init; }

    /// <summary>The timeout of a registration; null for the times of the transmission parameters.</summary>
    public TimeSpan? Timeout { get; }

    /// <summary>Whether notifications are stored in the cache of the endpoint, from the first observer.</summary>
    public CoapCacheMode CacheMode { get; }

    /// <summary>Whether a proxy observes for a client, from the first observer.</summary>
    public bool IsForwarded { get; }

    /// <summary>The client for which a proxy observes: the first one; null for the caller.</summary>
    public CoapQuotaSource? OnBehalfOf { get; }

    /// <summary>Whether the request has the bytes of another client; see <see cref="TransferSettings.IsForOther"/>.</summary>
    public bool IsForOther => IsForwarded || OnBehalfOf is not null;

    /// <summary>
    /// The block size in bytes to propose; null for that of the peer's parameters. Observers that share the registration use that of the
    /// first one.
    /// </summary>
    public int? BlockSize { get; }

    /// <summary>Creates a message for a registration or cancellation.</summary>
    /// <param name="observe">The value of Observe; null for a plain request.</param>
    /// <param name="token">The token.</param>
    public CoapMessage Compose(uint? observe, CoapToken token = default)
    {
        CoapMessage message = new(Message.Code) { Type = Message.Type, Payload = Message.Payload, Token = token };
        message.Options.AddAll(Message.Options);
        message.Options.Observe = observe;
        return message;
    }

    /// <summary>
    /// Creates a registration or cancellation: both have the same options (RFC 7641 section 3.6), with the block size for all notifications
    /// (RFC 7959 section 2.6).
    /// </summary>
    public CoapMessage Compose(uint observe, MultiResponseToken standing)
    {
        CoapMessage message = Compose(observe, standing.Token);
        if (RequestBlockSizes.ProposedSize(standing.Channel, BlockSize) is { } size && !message.Options.Contains(OptionNumber.Block2))
        {
            message.Options.Block2 = new BlockValue(0, more: false, BlockValue.GetSizeExponent(size));
        }

        if (PeerRequestStepState.Of(standing.Channel) is { TakesProxyScheme: true })
        {
            ProxySchemeFallbackStep.TrySplit(message, standing.Channel, Uri);
        }

        return message;
    }

    /// <summary>The target for logs that are on by default: without the query, which may contain secrets.</summary>
    public string PublicName => ToString().Split('?', 2)[0];

    public bool Equals(ObservationTarget? other) =>
        other is not null && _hash == other._hash && ReferenceEquals(OwnPeer, other.OwnPeer)
            && _key.AsSpan().SequenceEqual(other._key);

    public override bool Equals(object? obj) => Equals(obj as ObservationTarget);

    public override int GetHashCode() => _hash;

    public override string ToString() => Uri?.ToString() ?? Peer?.ToString() ?? Message.ToString();

    // A registration belongs to one connection (RFC 8323 section 3.4) or security context; another one at the same address is another peer.
    private CoapChannel? OwnPeer => Peer is { IsConnection: true } or { Carried: not null } ? Peer : null;

    private static byte[] Key(string place, CoapMessage message)
    {
        ArrayBufferWriter<byte> key = new();
        Append(key, Encoding.UTF8.GetBytes(place));
        key.Write([message.Code.Value]);
        CoapOptionCollection options = message.Options;
        Span<byte> number = stackalloc byte[4];
        for (int i = 0; i < options.Count; i++)
        {
            if (!OptionNumber.IsNoCacheKey(options.NumberAt(i)))
            {
                BinaryPrimitives.WriteInt32LittleEndian(number, options.NumberAt(i));
                key.Write(number);
                Append(key, options.ValueAt(i));
            }
        }

        // The payload of a FETCH is part of the request (RFC 8132 section 2); a GET has none. No option number above is -1, so a payload
        // cannot equal an option.
        BinaryPrimitives.WriteInt32LittleEndian(number, -1);
        key.Write(number);
        Append(key, message.Payload.Span);
        return key.WrittenSpan.ToArray();
    }

    private static void Append(ArrayBufferWriter<byte> key, ReadOnlySpan<byte> bytes)
    {
        Span<byte> length = stackalloc byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(length, bytes.Length);
        key.Write(length);
        key.Write(bytes);
    }
}
