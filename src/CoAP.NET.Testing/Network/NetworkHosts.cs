using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>Who has which address. Guarded by the network's lock.</summary>
internal sealed class NetworkHosts
{
    private const ushort FirstEphemeralPort = 49152;

    private readonly Dictionary<CoapAddress, NetworkNode> _nodes = [];

    /// <summary>Gives something an address.</summary>
    /// <param name="local">The address; port 0 takes the next free one.</param>
    /// <param name="receiver">What it is.</param>
    /// <exception cref="CoapException">The address is taken, or all ports are.</exception>
    public NetworkNode Attach(CoapAddress local, INetworkReceiver receiver)
    {
        if (local.Port == 0)
        {
            local = local with { Port = FreePort(local) };
        }

        NetworkNode node = new(local, receiver);
        if (!_nodes.TryAdd(local, node))
        {
            throw new CoapException($"The address {local} is taken on this network. Dispose what has it first, or ask for port 0.");
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

    /// <summary>The members of a group but one, by address: the order in which they joined does not matter.</summary>
    /// <param name="group">The group.</param>
    /// <param name="sender">The one.</param>
    public List<NetworkNode> MembersOf(CoapAddress group, NetworkNode sender) =>
    [
        .. _nodes.Values.Where(node => node != sender && node.Groups.Contains(group))
            .OrderBy(static node => (node.Outside.High, node.Outside.Low, node.Outside.Port, node.Outside.ScopeId)),
    ];

    /// <summary>Gives a host another address in the eyes of all others.</summary>
    /// <param name="current">The address as others see it now.</param>
    /// <param name="next">The address from now on.</param>
    /// <exception cref="ArgumentException">Nobody has the current address.</exception>
    /// <exception cref="CoapException">The next address is taken.</exception>
    public void Rebind(CoapAddress current, CoapAddress next)
    {
        if (!_nodes.TryGetValue(current, out NetworkNode? node))
        {
            throw new ArgumentException($"Nobody has the address {current}.", nameof(current));
        }

        if (!_nodes.TryAdd(next, node))
        {
            throw new CoapException($"The address {next} is taken on this network.");
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
