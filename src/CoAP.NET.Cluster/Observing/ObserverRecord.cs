using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Observing;

namespace CoAP.NET.Cluster.Observing;

/// <summary>
/// The stored format of an observer. Its key: the server, the client, and the token; its state: the Content-Format and the registration.
/// </summary>
internal static class ObserverRecord
{
    /// <summary>The maximum length of a record's state in bytes.</summary>
    public const int MaxState = CoapRecordWrite.MaxStateLength - StoreRecordCipher.Overhead;

    private const byte HasFormat = 1;
    private const int HeaderLength = 3;
    private const int MaxClient = 64;
    private const int MaxTokenInKey = 32;
    private const byte WholeToken = 0;
    private const byte HashOfToken = 1;

    /// <summary>
    /// The lifetime of a record. An observer must acknowledge a notification at least once a day (RFC 7641 section 4.5), which renews the
    /// record; a record of two days has therefore lost its observer.
    /// </summary>
    public static TimeSpan Lifetime { get; } = TimeSpan.FromHours(49);

    /// <summary>Returns the bytes of a key.</summary>
    /// <param name="server">The server prefix of keys.</param>
    /// <param name="client">The client's name, which is the same in other processes.</param>
    /// <param name="token">The token of the registration.</param>
    /// <returns>The bytes; null if the name of the client is too long.</returns>
    public static byte[]? TryMakeKey(ReadOnlySpan<byte> server, ReadOnlySpan<byte> client, CoapToken token)
    {
        // Tokens of RFC 8974 may exceed the length of a key.
        return client.Length is 0 or > MaxClient ? null
            : token.Length <= MaxTokenInKey
                ? [.. server, (byte)client.Length, .. client, WholeToken, .. token.ToArray()]
                : [.. server, (byte)client.Length, .. client, HashOfToken, .. SHA256.HashData(token.ToArray())];
    }

    /// <summary>Returns the key of the record with the first notification number, which has no client.</summary>
    public static byte[] NumbersKey(ReadOnlySpan<byte> server) => [.. server, 0];

    /// <summary>Whether a key belongs to an observer, and not to the record of the first notification number.</summary>
    /// <param name="key">The bytes of the key.</param>
    public static bool IsObserver(ReadOnlySpan<byte> key) => key.Length > 2 + key[0];

    /// <summary>Returns the client of a key.</summary>
    /// <param name="key">The bytes of the key.</param>
    /// <param name="server">The server prefix of keys.</param>
    /// <returns>Its name; empty if the key belongs to another server.</returns>
    public static ReadOnlySpan<byte> ClientOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> server)
    {
        if (!key.StartsWith(server))
        {
            return default;
        }

        key = key[server.Length..];
        return key.Length > 1 && key[0] < key.Length ? key.Slice(1, key[0]) : default;
    }

    public static byte[] Write(CoapPersistedObserver observer, CoapDatagramSerializer serializer)
    {
        byte[] request = serializer.Serialize(observer.Request);
        byte[] state = new byte[HeaderLength + request.Length];
        if (observer.Format is { } format)
        {
            state[0] = HasFormat;
            BinaryPrimitives.WriteUInt16BigEndian(state.AsSpan(1), format.Value);
        }

        request.CopyTo(state.AsSpan(HeaderLength));
        return state;
    }

    /// <summary>Reads the state of a record.</summary>
    /// <returns>False for invalid bytes.</returns>
    public static bool TryRead(
        ReadOnlySpan<byte> state, CoapDatagramSerializer serializer, [NotNullWhen(true)] out CoapMessage? request,
        out CoapContentFormat? format)
    {
        request = null;
        format = null;
        if (state.Length < HeaderLength)
        {
            return false;
        }

        format = (state[0] & HasFormat) != 0 ? new CoapContentFormat(BinaryPrimitives.ReadUInt16BigEndian(state[1..])) : null;
        return serializer.TryDeserialize(state[HeaderLength..], out request, out _);
    }
}
