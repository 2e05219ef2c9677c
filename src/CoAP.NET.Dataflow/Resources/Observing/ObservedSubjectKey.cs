using CoAP.NET.Options;
using CoAP.NET.Transports;

namespace CoAP.NET.Observing;

/// <summary>
/// The key of equal registrations: the same route, the same request by the cache key (RFC 7252 section 5.6, without Observe: RFC 7641
/// section 2; with the payload of FETCH: RFC 8132 section 2), and peers with the same identity and message size. Peers without credentials
/// share what is made for them.
/// </summary>
internal sealed class ObservedSubjectKey : IEquatable<ObservedSubjectKey>
{
    private readonly ObservedRoute _route;
    private readonly object? _identity;
    private readonly Sizes _sizes;
    private readonly int _hash;

    public ObservedSubjectKey(ObservedRoute route, CoapMessage request, CoapChannel channel)
        : this(route, request.Code, request.OptionsToRead, request.Code == CoapCode.Fetch ? request.Payload : default,
            AuthenticatedIdentityCheck.IsKnown(channel.Identity) ? channel.PeerId ?? channel.Identity : null, Sizes.Of(channel))
    {
    }

    private ObservedSubjectKey(
        ObservedRoute route, CoapCode code, CoapOptionCollection? options, ReadOnlyMemory<byte> payload, object? identity, Sizes sizes)
    {
        _route = route;
        _identity = identity;
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
        _hash = hash.ToHashCode();
    }

    public CoapCode Code { get; }

    public CoapOptionCollection? Options { get; }

    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>
    /// Returns whether results for this key fit a peer: the CSM of a connection may change the limits of its peer (RFC 8323 section 5.3).
    /// </summary>
    public bool Fits(CoapChannel channel) => !channel.IsReliable || _sizes == Sizes.Of(channel);

    /// <summary>Returns whether a request is the same except for Observe, on the same route.</summary>
    public bool IsOf(CoapMessage request, CoapChannel channel) => Equals(new ObservedSubjectKey(_route, request, channel));

    /// <summary>Returns the key for a peer with another message size. Only for a stored key.</summary>
    public ObservedSubjectKey For(CoapChannel channel) => new(_route, Code, Options, Payload, _identity, Sizes.Of(channel));

    /// <summary>Returns a copy with its own options and payload, to store: a handler may change those of its request.</summary>
    public ObservedSubjectKey ToKeep()
    {
        CoapOptionCollection own = new(Options?.Registry, Code);
        if (Options is not null)
        {
            own.AddAll(Options);
        }

        return new ObservedSubjectKey(_route, Code, own, Payload.ToArray(), _identity, _sizes);
    }

    public bool Equals(ObservedSubjectKey? other)
    {
        if (other is null || _hash != other._hash || _route != other._route || Code != other.Code || _sizes != other._sizes
            || !Equals(_identity, other._identity) || !Payload.Span.SequenceEqual(other.Payload.Span))
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
            channel.MaxMessageSize, channel.IsReliable ? 0 : channel.Parameters.PreferredBlockSize, channel.IsReliable, channel.TakesBlocks,
            channel.TakesBert);
    }

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
