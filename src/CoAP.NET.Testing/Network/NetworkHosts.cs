using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Testing.Network;

/// <summary>Maps addresses to hosts. Guarded by the network's lock.</summary>
internal sealed class NetworkHosts
{
    private const ushort FirstEphemeralPort = 49152;

    private readonly Dictionary<CoapAddress, NetworkNode> _nodes = [];

    /// <summary>Assigns an address to a receiver.</summary>
    /// <param name="local">The address; port 0 takes the next free port.</param>
    /// <param name="receiver">The receiver.</param>
    /// <exception cref="CoapException">The address is in use, or no port is free.</exception>
    public NetworkNode Attach(CoapAddress local, INetworkReceiver receiver)
    {
        if (local.Port == 0)
        {
            local = local with { Port = FreePort(local) };
        }

        NetworkNode node = new(local, receiver);
        if (!_nodes.TryAdd(local, node))
        {
            throw new CoapException($"The address {local} is in use on this network. Dispose the other transport first, or use port 0.");
        }

        return node;
    }

    public void Detach(NetworkNode node)
    {
        if (_nodes.TryGetValue(node.Outside, out NetworkNode? there) && there == node)
        {
            _nodes.Remove(node.Outside);
        }
    }

    public bool TryFind(CoapAddress address, [NotNullWhen(true)] out NetworkNode? node) => _nodes.TryGetValue(address, out node);

    /// <summary>Lists the members of a group except the sender, ordered by address; the order of joining does not matter.</summary>
    public List<NetworkNode> MembersOf(CoapAddress group, NetworkNode sender) =>
    [
        .. _nodes.Values.Where(node => node != sender && node.Groups.Contains(group))
            .OrderBy(static node => (node.Outside.High, node.Outside.Low, node.Outside.Port, node.Outside.ScopeId)),
    ];

    /// <summary>Changes the address of a host as others see it.</summary>
    /// <param name="current">The current address as others see it.</param>
    /// <param name="next">The new address.</param>
    /// <exception cref="ArgumentException">No host has the current address.</exception>
    /// <exception cref="CoapException">The new address is in use.</exception>
    public void Rebind(CoapAddress current, CoapAddress next)
    {
        if (!_nodes.TryGetValue(current, out NetworkNode? node))
        {
            throw new ArgumentException($"No host has the address {current}.", nameof(current));
        }

        if (!_nodes.TryAdd(next, node))
        {
            throw new CoapException($"The address {next} is in use on this network.");
        }

        _nodes.Remove(current);
        node.Outside = next;
    }

    private ushort FreePort(CoapAddress host)
    {
        for (int port = FirstEphemeralPort; port <= ushort.MaxValue; port++)
        {
            if (!_nodes.ContainsKey(host with { Port = (ushort)port }))
            {
                return (ushort)port;
            }
        }

        throw new CoapException($"The host {host.ToIPAddress()} has no free port left.");
    }
}
