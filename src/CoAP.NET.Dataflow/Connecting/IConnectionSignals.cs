using CoAP.NET.Channels;

namespace CoAP.NET.Connecting;

/// <summary>What signalling knows of a connection (RFC 8323 section 5), for those who choose connections.</summary>
internal interface IConnectionSignals
{
    /// <summary>Whether new requests may go out on a connection: it is open, and neither side is about to end it. Takes no lock.</summary>
    /// <param name="channel">The channel of the connection.</param>
    bool IsUsable(CoapChannel channel);

    /// <summary>Whether the peer's CSM came, so that its capabilities are known. Takes no lock.</summary>
    /// <param name="channel">The channel of the connection.</param>
    bool IsReady(CoapChannel channel);

    /// <summary>Waits for the peer's CSM.</summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <returns>A task that ends when it came.</returns>
    /// <exception cref="CoapConnectionException">The connection ended before.</exception>
    Task WhenReadyAsync(CoapChannel channel);

    /// <summary>How a connection ended, or is about to. Takes the lock of the channel's shard.</summary>
    /// <param name="channel">The channel of the connection.</param>
    ConnectionEnd EndOf(CoapChannel channel);
}
