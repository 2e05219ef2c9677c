using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>Connects the nodes through their silos. Thread-safe.</summary>
internal sealed class SiloNetwork : INodeNetwork, ISiloStatusListener, IDisposable
{
    // Says what kind of address it is.
    private const string Scheme = "orleans://";

    private readonly Func<SiloAddress, ICoapNodeService> _services;
    private readonly ISiloStatusOracle _silos;

    /// <summary>Creates the network of a node.</summary>
    /// <param name="silo">Its silo.</param>
    /// <param name="services">Returns the service of the node of a silo.</param>
    /// <param name="silos">Knows which silos are live.</param>
    /// <param name="deathDelay">The shortest time after which Orleans may declare a silo dead that does not answer.</param>
    public SiloNetwork(
        SiloAddress silo, Func<SiloAddress, ICoapNodeService> services, ISiloStatusOracle silos, TimeSpan deathDelay)
    {
        _services = services;
        _silos = silos;
        DeathDelay = deathDelay;
        Silo = silo;
        Address = Scheme + silo.ToParsableString();
        silos.SubscribeToSiloStatusEvents(this);
    }

    /// <inheritdoc/>
    public event Action? LivenessChanged;

    public SiloAddress Silo { get; }

    /// <inheritdoc/>
    public TimeSpan DeathDelay { get; }

    /// <inheritdoc/>
    public string Address { get; }

    /// <summary>Returns the silo of a node of a map; null if it is not the node of a silo.</summary>
    public static SiloAddress? SiloOf(CoapClusterSlotMap map, CoapNodeId node) =>
        map.Nodes.FirstOrDefault(one => one.Id == node) is { } found ? SiloOf(found) : null;

    /// <inheritdoc/>
    public bool? IsLive(CoapClusterNode node) => SiloOf(node) is not { } silo
        ? false
        : _silos.GetApproximateSiloStatuses().GetValueOrDefault(silo) switch
        {
            SiloStatus.Active or SiloStatus.ShuttingDown or SiloStatus.Stopping => true,
            SiloStatus.Dead => false,

            // Orleans may learn later than the store of a silo that has just started.
            _ => null,
        };

    /// <inheritdoc/>
    public CoapAddress? HostOf(CoapClusterNode node) => SiloOf(node) is { } silo ? CoapAddress.FromIPEndPoint(silo.Endpoint) : null;

    /// <inheritdoc/>
    public INodeService? ServiceOf(CoapClusterNode node) => SiloOf(node) is { } silo ? new SiloNodeService(_services(silo)) : null;

    /// <inheritdoc/>
    public void End()
    {
        // Orleans reports the end of the silo.
    }

    /// <inheritdoc/>
    public void SiloStatusChangeNotification(SiloAddress updatedSilo, SiloStatus status) => LivenessChanged?.Invoke();

    /// <inheritdoc/>
    public void Dispose() => _silos.UnSubscribeFromSiloStatusEvents(this);

    private static SiloAddress? SiloOf(CoapClusterNode node) =>
        node.Address.StartsWith(Scheme, StringComparison.Ordinal) ? SiloAddress.FromParsableString(node.Address[Scheme.Length..]) : null;
}
