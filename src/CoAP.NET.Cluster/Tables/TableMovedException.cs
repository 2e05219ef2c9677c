namespace CoAP.NET.Cluster;

/// <summary>The slot is not at this node; the asking node must ask elsewhere.</summary>
internal sealed class TableMovedException : Exception
{
    public TableMovedException()
        : base("The slot is at another node.")
    {
    }
}
