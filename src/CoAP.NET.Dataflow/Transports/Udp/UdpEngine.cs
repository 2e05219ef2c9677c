using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>What stands behind a <see cref="CoapUdpTransport"/>: the sockets of one transport and the way they are driven.</summary>
internal abstract class UdpEngine : TransportEngine
{
    private readonly OccasionalLog _failing;
    private int _isRefusalTold;

    protected UdpEngine(CoapTransport transport, ICoapDatagramContext context, CoapUdpTransportOptions options)
    {
        Context = context;
        Transport = transport;
        _failing = new OccasionalLog(context.TimeProvider);
        Receiving = new OccasionalLog(context.TimeProvider);
        Options = options;
    }

    /// <summary>What the endpoint gave the transport.</summary>
    public ICoapDatagramContext Context { get; }

    public abstract CoapUdpEngine Kind { get; }

    public CoapTransport Transport { get; }

    /// <summary>The groups of its sockets; null without any.</summary>
    protected UdpMemberships? Memberships { get; set; }

    /// <summary>When it may be told that receiving fails.</summary>
    public OccasionalLog Receiving { get; }

    public CoapUdpTransportOptions Options { get; }

    /// <summary>Sends and takes over. Does not throw.</summary>
    public abstract void Send(CoapDatagram datagram);

    /// <summary>How many sockets it has at each address that other processes may share; 0 where nothing chooses among them.</summary>
    public virtual int SharedSockets => 0;

    /// <summary>See <see cref="CoapUdpTransport.TryAttach"/>.</summary>
    /// <param name="tag">Which address.</param>
    /// <param name="table">The table.</param>
    public bool TryAttach(int tag, CoapUdpSlotTable table)
    {
        IReadOnlyList<CoapAddress> addresses = LocalAddresses;
        if ((uint)tag >= (uint)addresses.Count || !UdpSockets.IsShared(UdpSockets.EndpointsOf(Options)[tag], Options))
        {
            return false;
        }

        if (TryAttach(tag, table, out (string Reason, string Advice)? refusal))
        {
            Volatile.Write(ref _isRefusalTold, 0);
            return true;
        }

        if (refusal is { } why)
        {
            Context.Counters.Add(CoapCounter.SlotTablesRefused);
            if (Interlocked.Exchange(ref _isRefusalTold, 1) == 0)
            {
                Log.SlotTableRefused(Context.Logger, addresses[tag], why.Reason, why.Advice);
            }
        }

        return false;
    }

    /// <summary>Has the kernel choose among the sockets at an address.</summary>
    /// <param name="tag">Which address; there is one.</param>
    /// <param name="table">The table.</param>
    /// <param name="refusal">Why it does not, and what to do; null when it does, and when the transport ends.</param>
    protected virtual bool TryAttach(int tag, CoapUdpSlotTable table, out (string Reason, string Advice)? refusal)
    {
        refusal = ($"the engine {Kind} cannot tell its sockets apart.", "Use CoapUdpEngine.Auto on Linux, x64 or arm64.");
        return false;
    }

    /// <summary>The socket that a datagram was to leave by is not ours any more.</summary>
    protected abstract void OnLost(CoapDatagram datagram, SocketException error);

    /// <summary>Counts a datagram that did not leave, says so, and gives it back.</summary>
    internal void Fail(CoapDatagram datagram, SocketException error)
    {
        Context.Counters.Add(CoapCounter.SendErrors);
        Log.UdpSendFailed(Context.Logger, datagram.Remote, error.Message);
        if (_failing.IsDue())
        {
            Log.UdpSendFailing(Context.Logger, datagram.Remote, error.Message);
        }

        Context.SendFailed(datagram, error);
        if (LostDescriptor.Is(error))
        {
            OnLost(datagram, error);
        }

        datagram.Dispose();
    }
}
