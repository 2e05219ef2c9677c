using CoAP.NET.Guarding;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>A datagram for a slot that is on its way, and where it stands in what is held.</summary>
internal sealed class HeldDatagram
{
    // What the entry itself takes: small datagrams are not free.
    private const int Overhead = 128;

    /// <summary>Makes one.</summary>
    /// <param name="source">Whose share it takes.</param>
    public HeldDatagram(CoapSource source)
    {
        InAll = new LinkedListNode<HeldDatagram>(this);
        InSlot = new LinkedListNode<HeldDatagram>(this);
        Holding = new SourceLedger<HeldDatagram>.Holding(this, source);
    }

    /// <summary>The slot.</summary>
    public required CoapSlot Slot { get; init; }

    /// <summary>The number of the node that relayed it; 0 when it came here directly.</summary>
    public required int Via { get; init; }

    /// <summary>The version of the map by which it was relayed; 0 when it came here directly.</summary>
    public required long Version { get; init; }

    /// <summary>Where it came from.</summary>
    public required CoapAddress Remote { get; init; }

    /// <summary>The datagram.</summary>
    public required byte[] Bytes { get; init; }

    /// <summary>Until when it is of use, as a timestamp.</summary>
    public required long Until { get; init; }

    /// <summary>How much of the bound it uses, in bytes.</summary>
    public int Cost => Overhead + Bytes.Length;

    /// <summary>Its place by age.</summary>
    public LinkedListNode<HeldDatagram> InAll { get; }

    /// <summary>Its place in those of its slot.</summary>
    public LinkedListNode<HeldDatagram> InSlot { get; }

    /// <summary>Its place in those of its source.</summary>
    public SourceLedger<HeldDatagram>.Holding Holding { get; }
}
