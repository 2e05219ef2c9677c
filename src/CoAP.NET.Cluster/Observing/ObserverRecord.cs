using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>
/// How an observer stands in a store. Its key: the server, the client, and the token; its state: the Content-Format and the registration.
/// </summary>
internal static class ObserverRecord
{
    /// <summary>How many bytes the state of a record has at most.</summary>
    public const int MaxState = CoapRecordChange.MaxStateLength - RecordCipher.Overhead;

    private const byte Version = 1;
    private const byte HasFormat = 1;
    private const int HeaderLength = 4;
    private const int MaxClient = 64;
    private const int MaxTokenInKey = 32;
    private const byte WholeToken = 0;
    private const byte HashOfToken = 1;

    /// <summary>
    /// How long a record lasts. An observer is asked to acknowledge a notification at least once a day (RFC 7641 section 4.5), which puts
    /// the record anew; so one that lasts longer than two days is that of nobody.
    /// </summary>
    public static TimeSpan Lifetime { get; } = TimeSpan.FromHours(49);

    /// <summary>The bytes of a key.</summary>
    /// <param name="server">The server, as keys begin with it.</param>
    /// <param name="client">What tells the client from others, the same in another process.</param>
    /// <param name="token">The token of the registration.</param>
    /// <returns>The bytes; null when the name of the client is too long.</returns>
    public static byte[]? TryMakeKey(ReadOnlySpan<byte> server, ReadOnlySpan<byte> client, CoapToken token)
    {
        // Tokens of RFC 8974 may be longer than a key.
        return client.Length is 0 or > MaxClient ? null
            : token.Length <= MaxTokenInKey
                ? [.. server, (byte)client.Length, .. client, WholeToken, .. token.ToArray()]
                : [.. server, (byte)client.Length, .. client, HashOfToken, .. SHA256.HashData(token.ToArray())];
    }

    /// <summary>The bytes of the key of the record that says where the numbers of notifications began: one of no client.</summary>
    /// <param name="server">The server, as keys begin with it.</param>
    public static byte[] NumbersKey(ReadOnlySpan<byte> server) => [.. server, 0];

    /// <summary>Whether a key is that of an observer, and not of the record that says where numbers began.</summary>
    /// <param name="key">The bytes of the key.</param>
    public static bool IsObserver(ReadOnlySpan<byte> key) => key.Length > 2 + key[0];

    /// <summary>The client of a key.</summary>
    /// <param name="key">The bytes of the key.</param>
    /// <param name="server">The server, as keys begin with it.</param>
    /// <returns>Its name; empty when the key is that of another server.</returns>
    public static ReadOnlySpan<byte> ClientOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> server)
    {
        if (!key.StartsWith(server))
        {
            return default;
        }

        key = key[server.Length..];
        return key.Length > 1 && key[0] < key.Length ? key.Slice(1, key[0]) : default;
    }

    /// <summary>The state of a record.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="serializer">Makes bytes of the registration.</param>
    public static byte[] Write(CoapKeptObserver observer, CoapDatagramSerializer serializer)
    {
        byte[] request = serializer.Serialize(observer.Request);
        byte[] state = new byte[HeaderLength + request.Length];
        state[0] = Version;
        if (observer.Format is { } format)
        {
            state[1] = HasFormat;
            BinaryPrimitives.WriteUInt16BigEndian(state.AsSpan(2), format.Value);
        }

        request.CopyTo(state.AsSpan(HeaderLength));
        return state;
    }

    /// <summary>Reads the state of a record.</summary>
    /// <param name="state">The state.</param>
    /// <param name="serializer">Reads the registration.</param>
    /// <param name="request">The registration.</param>
    /// <param name="format">The Content-Format.</param>
    /// <returns>False when it is of another version.</returns>
    public static bool TryRead(
        ReadOnlySpan<byte> state, CoapDatagramSerializer serializer, [NotNullWhen(true)] out CoapMessage? request,
        out CoapContentFormat? format)
    {
        request = null;
        format = null;
        if (state.Length < HeaderLength || state[0] != Version)
        {
            return false;
        }

        format = (state[1] & HasFormat) != 0 ? new CoapContentFormat(BinaryPrimitives.ReadUInt16BigEndian(state[2..])) : null;
        return serializer.TryDeserialize(state[HeaderLength..], out request, out _);
    }
}
