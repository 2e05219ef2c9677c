using CoAP.NET.Cluster.Maps;
using CoAP.NET.Guarding;

namespace CoAP.NET.Cluster.Steering;

/// <summary>A held datagram for a moving slot.</summary>
internal sealed class MovingSlotDatagram(CoapSlot slot, in CoapAddress remote, byte[] bytes)
    : SourceQueue<CoapSlot, MovingSlotDatagram>.Item(slot, CoapSourceGroupingRule.Default.Of(remote), Overhead + bytes.Length)
{
    // The size of the entry itself: small datagrams are not free.
    private const int Overhead = 128;

    public CoapAddress Remote { get; } = remote;

    public byte[] Bytes { get; } = bytes;

    /// <summary>The number of the node that relayed it; 0 if it arrived here directly.</summary>
    public required int Via { get; init; }

    /// <summary>The version of the map by which it was relayed; 0 if it arrived here directly.</summary>
    public required long Version { get; init; }

    /// <summary>The time at which it expires, as a timestamp.</summary>
    public required long Until { get; init; }
}
