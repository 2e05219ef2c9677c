using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>The peers of a node that works alone: it has all slots, or stands by while another node has them.</summary>
internal sealed class NoPeers : INodePeers
{
    public event Action? LivenessChanged
    {
        add { }
        remove { }
    }

    public bool IsOn => false;

    public TimeSpan DeathDelay => TimeSpan.MaxValue;

    public string Address => "";

    public IReadOnlyList<CoapNodeId> Up => [];

    public CoapClusterSlotMap LiveOf(CoapClusterSlotMap map) => map;

    public void Update(CoapClusterSlotMap map)
    {
    }

    public bool IsUp(CoapNodeId node) => false;

    public CoapAddress? AddressOf(CoapNodeId node) => null;

    public void Listen(INodeLivenessListener listener)
    {
    }

    public void Attach(CoapServer server, string name)
    {
    }

    public void MapBatch(string path, NodePostHandler handler)
    {
    }

    public void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, Task<byte[]?>> answer)
    {
    }

    public bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item) => false;

    public bool IsStalled(CoapNodeId node, string path) => false;

    public Task<byte[]?> RequestAsync(CoapNodeId node, string path, byte[] question, TimeSpan timeout) => Task.FromResult<byte[]?>(null);

    public void End()
    {
    }
}
