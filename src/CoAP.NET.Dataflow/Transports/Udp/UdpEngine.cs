using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>The engine of a <see cref="CoapUdpTransport"/>: its sockets and the way they are driven.</summary>
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

    /// <summary>The endpoint's context for the transport.</summary>
    public ICoapDatagramContext Context { get; }

    public abstract CoapUdpEngine Kind { get; }

    public CoapTransport Transport { get; }

    /// <summary>The groups of its sockets; null for none.</summary>
    protected UdpMemberships? Memberships { get; set; }

    /// <summary>Rate-limits the log message about failed receiving.</summary>
    public OccasionalLog Receiving { get; }

    public CoapUdpTransportOptions Options { get; }

    /// <summary>Sends a datagram and takes it over. Does not throw.</summary>
    public abstract void Send(CoapDatagram datagram);

    /// <summary>The number of sockets at each address that other processes may share; 0 when nothing chooses among them.</summary>
    public virtual int SharedSockets => 0;

    /// <summary>See <see cref="CoapUdpTransport.TryAttach"/>.</summary>
    /// <param name="tag">The index of the address.</param>
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

    /// <summary>Makes the kernel choose among the sockets at an address.</summary>
    /// <param name="tag">The index of an existing address.</param>
    /// <param name="table">The table.</param>
    /// <param name="refusal">The error and the remedy; null for success, and when the transport ends.</param>
    protected virtual bool TryAttach(int tag, CoapUdpSlotTable table, out (string Reason, string Advice)? refusal)
    {
        refusal = ($"the engine {Kind} cannot distinguish its sockets.", "Use CoapUdpEngine.Auto on Linux, x64 or arm64.");
        return false;
    }

    /// <summary>Handles a datagram whose socket was lost.</summary>
    protected abstract void OnLost(CoapDatagram datagram, SocketException error);

    /// <summary>Counts and reports a datagram that did not leave, and disposes it.</summary>
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
