using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>Something that will happen on the network at its time.</summary>
internal sealed class InFlight(InFlightKind kind, NetworkPacket? packet, CoapAddress to)
{
    public InFlightKind Kind { get; } = kind;

    public NetworkPacket? Packet { get; } = packet;

    /// <summary>Where a datagram or report arrives; the host that comes up again.</summary>
    public CoapAddress To { get; } = to;

    public bool IsCancelled { get; set; }
}
