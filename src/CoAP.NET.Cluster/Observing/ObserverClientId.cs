using System.Buffers.Binary;

namespace CoAP.NET.Cluster.Observing;

/// <summary>Identifies the client of an observer across processes: by its session, or its address.</summary>
internal static class ObserverClientId
{
    private const byte Session = 1;
    private const byte Address = 2;
    private const string PlainScheme = "coap";

    /// <summary>Returns the client of an observer.</summary>
    /// <returns>Its name; empty if no other process can continue with it.</returns>
    public static byte[] Of(CoapPeer peer)
    {
        ReadOnlyMemory<byte> session = peer.DurableId;
        if (!session.IsEmpty)
        {
            return [Session, .. session.Span];
        }

        if (peer.Scheme != PlainScheme)
        {
            return [];
        }

        byte[] name = new byte[1 + (2 * CoapAddress.BinaryLength)];
        name[0] = Address;
        peer.Address.WriteTo(name.AsSpan(1));
        peer.LocalAddress.WriteTo(name.AsSpan(1 + CoapAddress.BinaryLength));
        return name;
    }

    /// <summary>Returns the session of a client (<see cref="CoapPeer.DurableId"/>); empty without one.</summary>
    public static ReadOnlySpan<byte> SessionOf(ReadOnlySpan<byte> client) =>
        client.Length > 1 && client[0] == Session ? client[1..] : default;

    /// <summary>Returns the addresses of a client without a session.</summary>
    public static bool TryGetAddresses(ReadOnlySpan<byte> client, out CoapAddress remote, out CoapAddress local)
    {
        if (client.Length != 1 + (2 * CoapAddress.BinaryLength) || client[0] != Address)
        {
            (remote, local) = (default, default);
            return false;
        }

        remote = Read(client[1..]);
        local = Read(client[(1 + CoapAddress.BinaryLength)..]);
        return true;
    }

    // In the format of CoapAddress.WriteTo.
    private static CoapAddress Read(ReadOnlySpan<byte> bytes) => new(
        BinaryPrimitives.ReadUInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[8..]),
        BinaryPrimitives.ReadUInt16BigEndian(bytes[16..]), BinaryPrimitives.ReadUInt32BigEndian(bytes[18..]));
}
