using CoAP.NET.Guarding;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>A client whose messages go to the node with its OSCORE context, and where they arrive.</summary>
/// <param name="remote">Its address.</param>
/// <param name="transport">The transport at which its datagrams arrive.</param>
internal sealed class ContextFlow(CoapAddress remote, CoapTransport transport)
{
    private SourceLedger<ContextFlow>.Holding? _holding;

    public CoapAddress Remote { get; } = remote;

    public CoapTransport Transport { get; } = transport;

    /// <summary>The address and socket at which its datagrams arrive; the wildcard if only an answer for it has come.</summary>
    public CoapAddress Local { get; init; }

    /// <inheritdoc cref="Local"/>
    public int TransportTag { get; init; }

    /// <summary>The slot of the context that it used last.</summary>
    public CoapSlot Slot { get; init; }

    /// <summary>The time of its last message, in either direction.</summary>
    public long LastUsed { get; set; }

    /// <summary>Its place among those of its source.</summary>
    public SourceLedger<ContextFlow>.Holding Holding =>
        _holding ??= new SourceLedger<ContextFlow>.Holding(this, CoapSourceRule.Default.Of(Remote));
}
