namespace CoAP.NET;

/// <summary>An item of the mesh that says where it comes from or goes to.</summary>
internal interface IPausableItem
{
    /// <summary>The connection that waits while nobody takes the item; null where it is dropped instead, as a datagram may be.</summary>
    IPausable? Connection { get; }
}
