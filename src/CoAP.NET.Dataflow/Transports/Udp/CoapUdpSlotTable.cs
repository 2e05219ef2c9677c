namespace CoAP.NET.Transports;

/// <summary>Maps the slots of DTLS records to the sockets of a shared UDP port, for <see cref="CoapUdpTransport.TryAttach"/>.</summary>
/// <remarks>
/// The slot is the first byte of the Connection ID in a record (RFC 9146). The table is mutable until it is attached, and not thread-safe.
/// A socket is identified by its index among all sockets of all processes that are bound to the same address and port. The kernel numbers
/// them in the order in which they were bound. When a socket closes, the last one gets its number. Only a probe reveals the numbers: a
/// record from <see cref="WriteProbe"/> arrives at the socket with the index in the probe, whatever the table says. It arrives at any
/// socket when that index does not exist.
/// </remarks>
public sealed class CoapUdpSlotTable
{
    /// <summary>The number of slots.</summary>
    public const int SlotCount = 256;

    /// <summary>The number of sockets that a table can address; indices are below this.</summary>
    public const int MaxSockets = 256;

    /// <summary>The number of bytes that <see cref="WriteProbe"/> writes.</summary>
    public const int ProbeLength = 11;

    private static readonly byte[] s_none = [];
    private readonly byte[][] _sockets = new byte[SlotCount][];

    /// <summary>Creates a table that distributes all records by hash.</summary>
    public CoapUdpSlotTable() => Array.Fill(_sockets, s_none);

    /// <summary>Sets the sockets that get the records of a slot. Each session stays with one of them.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="sockets">
    /// The indices of the sockets. Of more than 6, the first 6 are used. With none, the records of the slot are distributed by hash, like
    /// all other datagrams.
    /// </param>
    public void Set(byte slot, params ReadOnlySpan<byte> sockets) =>
        _sockets[slot] = sockets[..Math.Min(sockets.Length, ReusePortFilter.MaxSocketsOfSlot)].ToArray();

    /// <summary>Writes the beginning of a record that reaches the socket with an index: type, version, epoch and sequence number.</summary>
    /// <remarks>No session reaches that epoch. The caller appends a Connection ID, a length and the content.</remarks>
    /// <param name="destination">The destination; <see cref="ProbeLength"/> bytes.</param>
    /// <param name="index">The index.</param>
    /// <exception cref="ArgumentException"><paramref name="destination"/> is too short.</exception>
    public static void WriteProbe(Span<byte> destination, byte index) => ReusePortFilter.WriteProbe(destination, index);

    /// <summary>Whether a datagram is a probe.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="index">The index in the probe.</param>
    /// <returns>True for a probe.</returns>
    public static bool TryReadProbe(ReadOnlySpan<byte> datagram, out byte index) => ReusePortFilter.TryReadProbe(datagram, out index);

    /// <summary>Returns the indices for a slot.</summary>
    /// <param name="slot">The slot.</param>
    internal ReadOnlySpan<byte> SocketsOf(int slot) => _sockets[slot];
}
