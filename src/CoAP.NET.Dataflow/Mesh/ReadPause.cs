namespace CoAP.NET.Mesh;

/// <summary>
/// Pauses the connection of an item without room. Created before the item is offered again, because the block that accepts the item may
/// recycle it.
/// </summary>
/// <param name="connection">The connection; null to drop the item, as for a datagram.</param>
internal readonly struct ReadPause(CoapConnection? connection)
{
    public bool CanWait => connection is not null;

    /// <summary>Pauses reading. Several threads may do so.</summary>
    public void Begin() => connection!.PauseForBackpressure();

    /// <summary>Resumes reading. Call it once.</summary>
    public void End() => connection!.ResumeAfterBackpressure();
}
