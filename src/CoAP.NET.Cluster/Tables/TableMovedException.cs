namespace CoAP.NET.Cluster;

/// <summary>The slot is not at this node, which another one has asked. The other one asks again elsewhere.</summary>
internal sealed class TableMovedException : Exception
{
    public TableMovedException()
        : base("The slot is at another node.")
    {
    }
}
