using CoAP.NET.Cluster.Maps;
using CoAP.NET.Orleans.Nodes;

namespace CoAP.NET.Orleans.Tests.Nodes;

/// <summary>Which nodes the network of silos knows, and whether they are live.</summary>
public sealed class SiloNetworkTests : IDisposable
{
    private static readonly SiloAddress s_self = SiloAddress.New(IPAddress.Loopback, 11_111, 1);
    private static readonly SiloAddress s_silo = SiloAddress.New(IPAddress.Parse("192.0.2.7"), 11_112, 2);

    private readonly Dictionary<SiloAddress, SiloStatus> _statuses = [];
    private readonly List<SiloAddress> _called = [];
    private readonly SiloNetwork _network;

    public SiloNetworkTests() => _network = new SiloNetwork(s_self, silo =>
    {
        _called.Add(silo);
        return Stub.Make<ICoapNodeService>((_, _) => Task.CompletedTask);
    }, Stub.Make<ISiloStatusOracle>((method, _) =>
        method.Name == nameof(ISiloStatusOracle.GetApproximateSiloStatuses) ? _statuses : (object)true), FromSeconds(2));

    public void Dispose() => _network.Dispose();

    [Theory]
    [InlineData(SiloStatus.Active, true)]
    [InlineData(SiloStatus.ShuttingDown, true)]
    [InlineData(SiloStatus.Stopping, true)]
    [InlineData(SiloStatus.Dead, false)]
    [InlineData(SiloStatus.Joining, null)]
    [InlineData(SiloStatus.Created, null)]
    [InlineData(null, null)]
    public void The_silo_of_a_node_says_whether_the_node_is_live(SiloStatus? status, bool? isLive)
    {
        if (status is { } known)
        {
            _statuses[s_silo] = known;
        }

        Assert.Equal(isLive, _network.IsLive(NodeOf(s_silo)));
    }

    [Fact]
    public void A_node_is_called_at_the_silo_that_it_names()
    {
        CoapClusterNode node = NodeOf(s_silo);

        Assert.NotNull(_network.ServiceOf(node));
        Assert.Equal([s_silo], _called);
        Assert.Equal(CoapAddress.FromIPEndPoint(s_silo.Endpoint), _network.HostOf(node));
    }

    [Fact]
    public void A_node_without_a_silo_is_not_live_and_cannot_be_called()
    {
        CoapClusterNode node = new(CoapNodeId.New(), "");

        Assert.False(_network.IsLive(node));
        Assert.Null(_network.ServiceOf(node));
        Assert.Null(_network.HostOf(node));
    }

    [Fact]
    public void A_changed_status_of_a_silo_is_reported()
    {
        int reports = 0;
        _network.LivenessChanged += () => reports++;

        _network.SiloStatusChangeNotification(s_silo, SiloStatus.Dead);

        Assert.Equal(1, reports);
    }

    // As another node tells of itself.
    private static CoapClusterNode NodeOf(SiloAddress silo)
    {
        using SiloNetwork other = new(silo, _ => throw new NotSupportedException(), Stub.Make<ISiloStatusOracle>((_, _) => true), default);
        return new CoapClusterNode(CoapNodeId.New(), other.Address);
    }
}
