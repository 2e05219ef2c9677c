using CoAP.NET.Guarding;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>A held datagram for a moving slot, with its positions in the lists.</summary>
internal sealed class HeldDatagram
{
    // The size of the entry itself: small datagrams are not free.
    private const int Overhead = 128;

    /// <summary>Creates a held datagram.</summary>
    /// <param name="source">The source whose share it takes.</param>
    public HeldDatagram(CoapSource source)
    {
        InAll = new LinkedListNode<HeldDatagram>(this);
        InSlot = new LinkedListNode<HeldDatagram>(this);
        Holding = new SourceLedger<HeldDatagram>.Holding(this, source);
    }

    /// <summary>The slot.</summary>
    public required CoapSlot Slot { get; init; }

    /// <summary>The number of the node that relayed it; 0 if it arrived here directly.</summary>
    public required int Via { get; init; }

    /// <summary>The version of the map by which it was relayed; 0 if it arrived here directly.</summary>
    public required long Version { get; init; }

    /// <summary>The client's address.</summary>
    public required CoapAddress Remote { get; init; }

    /// <summary>The datagram.</summary>
    public required byte[] Bytes { get; init; }

    /// <summary>The time at which it expires, as a timestamp.</summary>
    public required long Until { get; init; }

    /// <summary>The bytes that it takes of the limit.</summary>
    public int Cost => Overhead + Bytes.Length;

    /// <summary>Its position by age.</summary>
    public LinkedListNode<HeldDatagram> InAll { get; }

    /// <summary>Its position in its slot.</summary>
    public LinkedListNode<HeldDatagram> InSlot { get; }

    /// <summary>Its position in its source.</summary>
    public SourceLedger<HeldDatagram>.Holding Holding { get; }
}
