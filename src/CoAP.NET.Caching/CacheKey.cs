using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Caching;

/// <summary>
/// The key of a stored response: the method, the URI, the queried server, all options that are part of the cache key, and the payload of a
/// FETCH (RFC 7252 section 5.6, RFC 8132 section 2.1). The server is part of the key so that the response of a peer to a request for
/// another host's URI is used only for that peer. If the request went to the host of the URI, the URI identifies the server, whichever
/// address of its name answered.
/// </summary>
internal sealed class CacheKey : IEquatable<CacheKey>
{
    private readonly CoapCode _code;
    private readonly CoapAddress _remote;
    private readonly object? _owner;
    private readonly object? _identity;
    private readonly byte[] _rest;
    private readonly int _hash;

    private CacheKey(
        string uri, CoapMessage request, CoapOptionRegistry registry, CoapAddress remote = default, object? identity = null,
        object? owner = null)
    {
        Uri = uri;
        _code = request.Code;
        _remote = remote;
        _identity = identity;
        _owner = owner;
        _rest = Collect(request, registry);
        HashCode hash = default;
        hash.Add(Uri);
        hash.Add(_code);
        hash.Add(_remote);
        hash.AddBytes(_rest);
        _hash = hash.ToHashCode();
    }

    /// <summary>The URI that the request is for, in its normal form; what a change of the resource invalidates.</summary>
    public string Uri { get; }

    /// <summary>About how many bytes it takes.</summary>
    public int Size => (2 * Uri.Length) + _rest.Length;

    /// <summary>Creates the key of a request.</summary>
    /// <param name="request">The message, with the options of its target.</param>
    /// <param name="registry">The options that the endpoint knows.</param>
    /// <param name="channel">The channel of the request.</param>
    /// <param name="target">The URI that alone identifies the resource and the host; null if the options do.</param>
    /// <param name="owner">The owner of the credentials of the channel, if it is protected.</param>
    /// <param name="key">The key.</param>
    /// <returns>Whether the options form a URI; false for a group, whose members answer separately.</returns>
    public static bool TryCreate(
        CoapMessage request, CoapOptionRegistry registry, CoapChannel channel, CoapUri? target, object owner,
        [NotNullWhen(true)] out CacheKey? key)
    {
        object? identity = CallerIdentity.Of(channel);

        // A response over a protected channel stays with the endpoint whose credentials opened it (RFC 7252 section 11.2). A server that
        // this endpoint connects to is validated against the URI before any request, and is the same with or without an existing
        // connection. A peer that connected to this endpoint is identified only by its identity.
        bool isOwned = identity is not null || channel.Identity is not null || channel.Transport.IsSecure
            || channel.Transport.Scheme.StartsWith("coaps", StringComparison.Ordinal);
        CoapAddress remote = target is { HostAddress: null } ? default : channel.Remote;
        key = !channel.Remote.IsMulticast && TryGetUri(request, channel, target, out string? uri)
            ? new CacheKey(uri, request, registry, remote, identity, isOwned ? owner : null)
            : null;
        return key is not null;
    }

    /// <summary>The key of a request that a gateway sends by no channel of ours.</summary>
    /// <param name="uri">The URI, in its normal form where it is one of CoAP.</param>
    /// <param name="request">Method, options and payload.</param>
    public static CacheKey OfGateway(string uri, CoapMessage request) => new(uri, request, request.Options.Registry);

    /// <summary>The normal form of a URI of CoAP; another one as it is.</summary>
    public static string Normalize(string uri) => CoapUri.TryParse(uri, out CoapUri? known) ? known.ToString() : uri;

    /// <summary>Gets the URI of a request, normalized if it is a CoAP URI.</summary>
    /// <param name="request">The message, with the options of its target.</param>
    /// <param name="channel">The channel of the request.</param>
    /// <param name="target">The URI that alone identifies the resource and the host; null if the options do.</param>
    /// <param name="uri">The URI.</param>
    /// <returns>Whether the options form one.</returns>
    public static bool TryGetUri(CoapMessage request, CoapChannel channel, CoapUri? target, [NotNullWhen(true)] out string? uri)
    {
        if (target is not null && IsComposedAgain(target, channel))
        {
            uri = target.ToString();
            return true;
        }

        IPEndPoint destination = channel.Remote.ToIPEndPoint();
        if (!request.Options.Contains(OptionNumber.ProxyUri) && !request.Options.Contains(OptionNumber.ProxyScheme))
        {
            uri = CoapUri.TryCompose(channel.Transport.Scheme, request.Options, destination, out CoapUri? composed, out string? _)
                ? composed.ToString()
                : null;
            return uri is not null;
        }

        try
        {
            uri = CoapUri.ComposeRequestUri(request, channel.Transport.Scheme, destination);
        }
        catch (CoapFormatException)
        {
            uri = null;
            return false;
        }

        uri = Normalize(uri);
        return true;
    }

    /// <inheritdoc/>
    public bool Equals(CacheKey? other) =>
        other is not null
        && _hash == other._hash
        && _code == other._code
        && _remote == other._remote
        && Uri == other.Uri
        && ReferenceEquals(_owner, other._owner)
        && Equals(_identity, other._identity)
        && _rest.AsSpan().SequenceEqual(other._rest);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CacheKey);

    /// <inheritdoc/>
    public override int GetHashCode() => _hash;

    // The options of a URI compose to the same URI; but they omit its zone, and an address has only one form there.
    private static bool IsComposedAgain(CoapUri target, CoapChannel channel) =>
        target.Scheme == channel.Transport.Scheme
        && (target.HostAddress is not { } address
            || (target.ZoneId is null && !address.IsIPv4MappedToIPv6 && target.Literal == channel.Remote));

    private static byte[] Collect(CoapMessage request, CoapOptionRegistry registry)
    {
        bool hasPayload = request.Code == CoapCode.Fetch;
        CoapOptionCollection options = request.Options;
        int length = hasPayload ? Sha256.HashLength : 0;
        for (int i = 0; i < options.Count; i++)
        {
            length += CacheRules.IsInKey(registry, options.NumberAt(i)) ? 6 + options.LengthAt(i) : 0;
        }

        byte[] bytes = length == 0 ? [] : new byte[length];
        Span<byte> rest = bytes;
        for (int i = 0; i < options.Count; i++)
        {
            if (CacheRules.IsInKey(registry, options.NumberAt(i)))
            {
                ReadOnlySpan<byte> value = options.ValueAt(i);
                BinaryPrimitives.WriteUInt16BigEndian(rest, (ushort)options.NumberAt(i));
                BinaryPrimitives.WriteInt32BigEndian(rest[2..], value.Length);
                value.CopyTo(rest[6..]);
                rest = rest[(6 + value.Length)..];
            }
        }

        if (hasPayload)
        {
            // A digest, so that 32 bytes distinguish bodies of any size.
            Sha256.HashData(request.Payload.Span, rest);
        }

        return bytes;
    }
}
