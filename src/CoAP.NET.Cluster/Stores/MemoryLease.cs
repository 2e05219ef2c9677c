namespace CoAP.NET.Cluster;

/// <summary>A node that is live until its timer fires.</summary>
internal sealed class MemoryLease(CoapClusterNode node)
{
    public CoapClusterNode Node { get; } = node;

    public ITimer Timer { get; set; } = null!;
}
