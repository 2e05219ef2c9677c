namespace CoAP.NET.Tables;

/// <summary>The reason why a <see cref="CoapReplicatedTable"/> is unavailable. The numbers are those between nodes.</summary>
internal enum CoapTableUnavailableReason
{
    /// <summary>The node that owns the slot of the key is not reachable, or the slot is moving to another node.</summary>
    NotReached = 0,

    /// <summary>The store did not confirm the change in time.</summary>
    NotConfirmed = 1,

    /// <summary>Too many questions of this node are waiting (<see cref="CoapReplicatedTableOptions.MaxWaiting"/>).</summary>
    Busy = 2,

    /// <summary>The table has no room for the value (<see cref="CoapReplicatedTableOptions.MaxBytes"/>).</summary>
    Full = 3,
}
