using System.Runtime.CompilerServices;
using CoAP.NET.Blockwise;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// The key of equal registrations: the same route, the same request by the cache key (RFC 7252 section 5.6, without Observe: RFC 7641
/// section 2; with the payload of FETCH: RFC 8132 section 2), one client, and one message size.
/// </summary>
/// <remarks>
/// A client is a channel: an application can attach to a connection what <see cref="CoapPeer.Id"/> does not show. Only clients that proved
/// no identity share, and only where the route says that its state is the same for all (decision 0034).
/// </remarks>
internal sealed class ObservedSubjectKey : IEquatable<ObservedSubjectKey>
{
    private readonly ObservedRoute _route;

    // Null for all clients that proved no identity.
    private readonly CoapChannel? _client;
    private readonly Sizes _sizes;
    private readonly int _hash;

    /// <summary>Creates the key of a registration.</summary>
    /// <param name="route">The route.</param>
    /// <param name="request">The registration.</param>
    /// <param name="channel">The client.</param>
    /// <param name="isSameForAll">Whether the state is the same for all clients.</param>
    public ObservedSubjectKey(ObservedRoute route, CoapMessage request, CoapChannel channel, bool isSameForAll)
        : this(route, request.Code, request.OptionsToRead, request.Code == CoapCode.Fetch ? request.Payload : default,
            ClientOf(channel, isSameForAll), Sizes.Of(channel))
    {
    }

    private ObservedSubjectKey(
        ObservedRoute route, CoapCode code, CoapOptionCollection? options, ReadOnlyMemory<byte> payload, CoapChannel? client, Sizes sizes)
    {
        _route = route;
        _client = client;
        _sizes = sizes;
        Code = code;
        Options = options;
        Payload = payload;
        HashCode hash = default;
        for (int i = Next(options, 0); i < (options?.Count ?? 0); i = Next(options, i + 1))
        {
            hash.Add(options!.NumberAt(i));
            hash.AddBytes(options.ValueAt(i));
        }

        hash.AddBytes(payload.Span);
        hash.Add(client is null ? 0 : RuntimeHelpers.GetHashCode(client));
        _hash = hash.ToHashCode();
    }

    public CoapCode Code { get; }

    public CoapOptionCollection? Options { get; }

    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>Whether clients share the results.</summary>
    public bool IsShared => _client is null;

    /// <summary>
    /// Returns whether results for this key fit a peer: the CSM of a connection may change the limits of its peer (RFC 8323 section 5.3).
    /// </summary>
    public bool Fits(CoapChannel channel) => !channel.IsReliable || _sizes == Sizes.Of(channel);

    /// <summary>Returns whether a request of an observer is the same except for Observe, on the same route.</summary>
    public bool IsOf(CoapMessage request, CoapChannel channel) => Equals(new ObservedSubjectKey(_route, request, channel, IsShared));

    /// <summary>Returns whether results for this key may go to a client, and to no other unless they are shared.</summary>
    public bool IsFor(CoapChannel client) => _client is null || _client == client;

    /// <summary>
    /// Returns the key for an observer whose message size changed, or whose route no longer has the same state for all. Only for a stored
    /// key.
    /// </summary>
    public ObservedSubjectKey For(CoapChannel channel, bool isSameForAll) =>
        new(_route, Code, Options, Payload, ClientOf(channel, isSameForAll), Sizes.Of(channel));

    /// <summary>Returns a copy with its own options and payload, to store: a handler may change those of its request.</summary>
    public ObservedSubjectKey ToKeep()
    {
        CoapOptionCollection own = new(Options?.Registry, Code);
        if (Options is not null)
        {
            own.AddAll(Options);
        }

        return new ObservedSubjectKey(_route, Code, own, Payload.ToArray(), _client, _sizes);
    }

    public bool Equals(ObservedSubjectKey? other)
    {
        if (other is null || _hash != other._hash || _route != other._route || Code != other.Code || _sizes != other._sizes
            || _client != other._client || !Payload.Span.SequenceEqual(other.Payload.Span))
        {
            return false;
        }

        int count = Options?.Count ?? 0;
        int otherCount = other.Options?.Count ?? 0;
        int i = Next(Options, 0);
        int j = Next(other.Options, 0);
        while (i < count && j < otherCount)
        {
            if (Options!.NumberAt(i) != other.Options!.NumberAt(j) || !Options.ValueAt(i).SequenceEqual(other.Options.ValueAt(j)))
            {
                return false;
            }

            i = Next(Options, i + 1);
            j = Next(other.Options, j + 1);
        }

        return i >= count && j >= otherCount;
    }

    public override bool Equals(object? obj) => Equals(obj as ObservedSubjectKey);

    public override int GetHashCode() => _hash;

    // The values that determine how a response is cut.
    private readonly record struct Sizes(int MaxMessageSize, int BlockSize, bool IsReliable, bool TakesBlocks, bool TakesBert)
    {
        public static Sizes Of(CoapChannel channel) => new(
            channel.MaxMessageSize, channel.IsReliable ? 0 : channel.Parameters.PreferredBlockSize, channel.IsReliable,
            PeerBlockwiseState.TakesBlocks(channel), PeerBlockwiseState.TakesBert(channel));
    }

    private static CoapChannel? ClientOf(CoapChannel channel, bool isSameForAll) =>
        isSameForAll && channel.Identity is not { IsKnown: true } ? null : channel;

    private static int Next(CoapOptionCollection? options, int i)
    {
        while (i < (options?.Count ?? 0)
            && (options!.NumberAt(i) == OptionNumber.Observe || !options.Registry.IsInCacheKey(options.NumberAt(i))))
        {
            i++;
        }

        return i;
    }
}
