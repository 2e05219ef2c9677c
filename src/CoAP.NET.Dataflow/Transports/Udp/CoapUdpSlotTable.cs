namespace CoAP.NET.Transports;

/// <summary>
/// Which sockets of a shared UDP port get the DTLS records of which slot: the first byte of the Connection ID in a record (RFC 9146). For
/// <see cref="CoapUdpTransport.TryAttach"/>. Mutable until it is attached; not thread-safe.
/// </summary>
/// <remarks>
/// A socket is known by its index among all sockets that are bound to the same address and port, of all processes: the kernel numbers them
/// in the order in which they were bound, and when one closes, the last one gets its number. Nothing tells the numbers but a probe: a
/// record made by <see cref="WriteProbe"/> arrives at the socket whose index it names, whatever the table says, and at any socket when
/// there is no such index.
/// </remarks>
public sealed class CoapUdpSlotTable
{
    /// <summary>How many slots there are.</summary>
    public const int SlotCount = 256;

    /// <summary>How many sockets a table can name: indices are below this.</summary>
    public const int MaxSockets = 256;

    /// <summary>How many bytes <see cref="WriteProbe"/> writes.</summary>
    public const int ProbeLength = 11;

    private static readonly byte[] s_none = [];
    private readonly byte[][] _sockets = new byte[SlotCount][];

    /// <summary>Makes a table that spreads everything by hash.</summary>
    public CoapUdpSlotTable() => Array.Fill(_sockets, s_none);

    /// <summary>Says which sockets get the records of a slot. Each session stays with one of them.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="sockets">Their indices; of more than 6 the first 6 are used. None: records of the slot are spread by hash, as all other
    /// datagrams are.</param>
    public void Set(byte slot, params ReadOnlySpan<byte> sockets) =>
        _sockets[slot] = sockets[..Math.Min(sockets.Length, ReusePortFilter.MaxSocketsOfSlot)].ToArray();

    /// <summary>
    /// Writes the beginning of a record that finds the socket with an index: type, version, epoch and sequence number. The epoch is one
    /// that no session reaches. A Connection ID, a length and the content follow.
    /// </summary>
    /// <param name="destination">Where to; <see cref="ProbeLength"/> bytes.</param>
    /// <param name="index">The index.</param>
    /// <exception cref="ArgumentException">There is no room.</exception>
    public static void WriteProbe(Span<byte> destination, byte index) => ReusePortFilter.WriteProbe(destination, index);

    /// <summary>Whether a datagram is a probe.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="index">The index that it was sent to.</param>
    /// <returns>True for one.</returns>
    public static bool TryReadProbe(ReadOnlySpan<byte> datagram, out byte index) => ReusePortFilter.TryReadProbe(datagram, out index);

    /// <summary>The indices for a slot.</summary>
    /// <param name="slot">The slot.</param>
    internal ReadOnlySpan<byte> SocketsOf(int slot) => _sockets[slot];
}
