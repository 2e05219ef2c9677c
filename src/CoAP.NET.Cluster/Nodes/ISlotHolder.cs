namespace CoAP.NET.Cluster;

/// <summary>What has something of a slot in memory that is to be in the store before the slot moves to another node.</summary>
internal interface ISlotHolder
{
    /// <summary>
    /// Finishes what is under way, drops what it has of the slot in memory, and ends when the store has it. It gets a slot back under a new
    /// fence only.
    /// </summary>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">Ends the grace for what is under way.</param>
    Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken);
}
