namespace CoAP.NET.Cluster;

/// <summary>Why a <see cref="CoapTable"/> is unavailable.</summary>
public enum CoapTableFault
{
    /// <summary>The node that owns the slot of the key cannot be reached, or the slot is on its way to another node.</summary>
    NotReached,

    /// <summary>The store did not confirm the change in time.</summary>
    NotConfirmed,

    /// <summary>Too many questions of this node wait already (<see cref="CoapTableOptions.MaxWaiting"/>).</summary>
    Busy,

    /// <summary>The table has no room for the value (<see cref="CoapTableOptions.MaxBytes"/>).</summary>
    Full,
}
