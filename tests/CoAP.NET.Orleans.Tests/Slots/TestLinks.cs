using CoAP.NET.Cluster;
using CoAP.NET.Transports;

namespace CoAP.NET.Orleans.Tests.Slots;

/// <summary>Connects nothing, and knows which nodes are dead.</summary>
internal sealed class TestLinks : INodeLinks
{
    public event Action? LivenessChanged;

    public bool IsOn => true;

    public bool DecidesOwners => true;

    public string Address => "orleans://test";

    public IReadOnlyList<CoapNodeId> Up => [];

    /// <summary>The dead nodes.</summary>
    public HashSet<CoapNodeId> Dead { get; } = [];

    public void Kill(CoapNodeId node)
    {
        Dead.Add(node);
        LivenessChanged?.Invoke();
    }

    public CoapClusterMap LiveOf(CoapClusterMap map) => new(
        map.Version, map.Nodes.Where(node => !Dead.Contains(node.Id)), [.. CoapSlot.All.Select(slot => map[slot])], map.StaleFence);

    public void Update(CoapClusterMap map)
    {
    }

    public IReadOnlyList<CoapNodeId> FindMissing(CoapClusterMap map) => [];

    public bool IsUp(CoapNodeId node) => false;

    public CoapAddress? AddressOf(CoapNodeId node) => null;

    public void Listen(IClusterLinkListener listener)
    {
    }

    public void Attach(CoapServer server, string name)
    {
    }

    public void MapBatch(string path, ClusterItemHandler handler)
    {
    }

    public void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, byte[]?> answer)
    {
    }

    public bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item) => false;

    public bool IsStalled(CoapNodeId node, string path) => false;

    public Task<byte[]?> AskAsync(CoapNodeId node, string path, byte[] question) => Task.FromResult<byte[]?>(null);
}
