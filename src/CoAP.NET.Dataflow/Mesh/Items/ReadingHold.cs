using CoAP.NET.Transports;

namespace CoAP.NET.Mesh;

/// <summary>
/// Holds up the connection of an item that nobody has room for. Made before the item is offered once more, as whoever takes it may
/// recycle it.
/// </summary>
/// <param name="connection">The connection; null where the item is dropped instead, as a datagram may be.</param>
internal readonly struct ReadingHold(CoapConnection? connection)
{
    /// <summary>Whether there is something to hold up.</summary>
    public bool CanWait => connection is not null;

    /// <summary>Stops reading the connection. Several may do so, from any thread.</summary>
    public void Begin() => connection!.HoldUp();

    /// <summary>Ends it. Called once.</summary>
    public void End() => connection!.GoOn();
}
