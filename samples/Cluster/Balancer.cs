using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace ClusterSample;

/// <summary>
/// A UDP load balancer in its simplest form, as that of a cloud: each client goes to one node, and to another one when that has ended.
/// </summary>
internal sealed class Balancer : IBalancer
{
    private readonly UdpClient _front = new(new IPEndPoint(IPAddress.Loopback, 0));
    private readonly ConcurrentDictionary<IPEndPoint, Flow> _flows = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _passing;
    private int _turn;

    public Balancer(IEnumerable<NodeProcess> nodes)
    {
        Nodes = [.. nodes];
        _passing = PassInAsync();
    }

    public IPEndPoint Address => (IPEndPoint)_front.Client.LocalEndPoint!;

    /// <summary>Those it knows of.</summary>
    public ConcurrentBag<NodeProcess> Nodes { get; }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _passing;
        foreach (Flow flow in _flows.Values)
        {
            await flow.DisposeAsync();
        }

        _front.Dispose();
        _stop.Dispose();
    }

    private async Task PassInAsync()
    {
        try
        {
            while (true)
            {
                UdpReceiveResult received = await _front.ReceiveAsync(_stop.Token);
                if (!_flows.TryGetValue(received.RemoteEndPoint, out Flow? flow) || !flow.Node.IsAlive)
                {
                    if (flow is not null && _flows.TryRemove(received.RemoteEndPoint, out _))
                    {
                        await flow.DisposeAsync();
                    }

                    NodeProcess[] alive = [.. Nodes.Where(static node => node.IsAlive)];
                    if (alive.Length == 0)
                    {
                        continue;
                    }

                    _flows[received.RemoteEndPoint] = flow = new Flow(_front, received.RemoteEndPoint, alive[_turn++ % alive.Length]);
                }

                await flow.SendAsync(received.Buffer);
            }
        }
        catch (OperationCanceledException)
        {
            // The end.
        }
    }

    /// <summary>What goes between a client and a node, which sees an address of its own for each client.</summary>
    private sealed class Flow : IAsyncDisposable
    {
        private readonly UdpClient _back = new(new IPEndPoint(IPAddress.Loopback, 0));
        private readonly CancellationTokenSource _stop = new();
        private readonly Task _passing;

        public Flow(UdpClient front, IPEndPoint client, NodeProcess node)
        {
            Node = node;
            _back.Connect(node.Address);
            _passing = PassOutAsync(front, client);
        }

        public NodeProcess Node { get; }

        public async Task SendAsync(byte[] datagram)
        {
            try
            {
                await _back.SendAsync(datagram);
            }
            catch (SocketException)
            {
                // Nobody listens there any more.
            }
        }

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await _passing;
            _back.Dispose();
            _stop.Dispose();
        }

        private async Task PassOutAsync(UdpClient front, IPEndPoint client)
        {
            while (true)
            {
                try
                {
                    UdpReceiveResult received = await _back.ReceiveAsync(_stop.Token);
                    await front.SendAsync(received.Buffer, client, _stop.Token);
                }
                catch (SocketException)
                {
                    // Nobody listens there any more.
                }
                catch (OperationCanceledException)
                {
                    return;
                }
            }
        }
    }
}
