namespace CoAP.NET.Testing.Network;

/// <summary>A scheduled event on the network.</summary>
internal sealed class ScheduledDelivery(InFlightKind kind, NetworkPacket? packet, CoapAddress to)
{
    public InFlightKind Kind { get; } = kind;

    public NetworkPacket? Packet { get; } = packet;

    /// <summary>The destination of a datagram or report; the host that returns.</summary>
    public CoapAddress To { get; } = to;

    public bool IsCancelled { get; set; }
}
