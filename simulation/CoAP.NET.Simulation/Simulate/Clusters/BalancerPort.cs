using CoAP.NET.Diagnostics;
using CoAP.NET.Testing.Network;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>An address of the balancer: hands on what comes there.</summary>
internal sealed class BalancerPort : ICoapDatagramTransportContext
{
    private static readonly CoapLimits s_limits = new();

    private readonly InMemoryTransport _transport;
    private readonly Action<CoapAddress, byte[]> _take;

    /// <param name="network">The network.</param>
    /// <param name="address">The address.</param>
    /// <param name="take">Takes what comes, with where it comes from.</param>
    public BalancerPort(InMemoryNetwork network, CoapAddress address, Action<CoapAddress, byte[]> take)
    {
        TimeProvider = network.TimeProvider;
        _take = take;
        _transport = network.CreateHost(address);
        _ = _transport.StartAsync(this, CancellationToken.None).AsTask();
    }

    public TimeProvider TimeProvider { get; }

    public CoapRandomSource Random => CoapRandomSource.Secure;

    public CoapLimits Limits => s_limits;

    public CoapSourceGroupingRule Sources => CoapSourceGroupingRule.Default;

    public CoapCounters Counters { get; } = new();

    public void Count(CoapCounter counter, long by = 1) => Counters.Add(counter, by);

    public ILogger Logger => NullLogger.Instance;

    public CoapThreadScheduler Scheduler => CoapThreadScheduler.Default;

    public int ShardCount => 1;

    public bool IsStopping => false;

    public int ShardOf(CoapAddress remote) => 0;

    public void Send(CoapAddress to, byte[] bytes)
    {
        CoapDatagram datagram = new(bytes.Length) { Length = bytes.Length, Remote = to, Transport = _transport };
        bytes.CopyTo(datagram.Buffer, 0);
        _transport.Send(datagram);
    }

    public void Receive(CoapDatagram datagram)
    {
        byte[] bytes = datagram.Span.ToArray();
        CoapAddress from = datagram.Remote;
        datagram.Dispose();
        _take(from, bytes);
    }

    public void SendFailed(CoapDatagram datagram, Exception error)
    {
    }

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted)
    {
    }

    public TimeSpan Tick() => Timeout.InfiniteTimeSpan;

    public void Fault(CoapException error)
    {
    }
}
