using CoAP.NET.Testing.Time;

namespace CoAP.NET.Testing.Network;

/// <summary>
/// Delivers datagrams when they are due, one at a time. Thread-safe. The timer and callers of the pump deliver, but never the call that
/// sends.
/// </summary>
internal sealed class DatagramDeliverer
{
    private const int MaxAtOnce = 100_000;
    private const int MaxQuoted = 520;

    // Whether this thread is inside a transport's Send. Nothing may be delivered then.
    [ThreadStatic]
    private static int t_sending;

    private readonly Lock _gate;
    private readonly InMemoryNetworkOptions _options;
    private readonly NetworkElapsedTime _clock;
    private readonly NetworkHosts _hosts;
    private readonly NetworkFaults _faults;
    private readonly NetworkTrace _trace;
    private readonly InFlightQueue _queue;
    private readonly DatagramRouting _routing;
    private readonly ITimer _timer;
    private long _sent;
    private bool _pumping;
    private bool _pumpQueued;

    /// <summary>Creates the delivery.</summary>
    /// <param name="gate">The network's lock.</param>
    /// <param name="timeProvider">The clock.</param>
    /// <param name="options">The options of the network.</param>
    /// <param name="clock">The network's time.</param>
    /// <param name="hosts">The addresses of the hosts.</param>
    /// <param name="faults">The faults that the test sets.</param>
    /// <param name="trace">The trace.</param>
    public DatagramDeliverer(
        Lock gate,
        TimeProvider timeProvider,
        InMemoryNetworkOptions options,
        NetworkElapsedTime clock,
        NetworkHosts hosts,
        NetworkFaults faults,
        NetworkTrace trace)
    {
        _gate = gate;
        _options = options;
        _clock = clock;
        _hosts = hosts;
        _faults = faults;
        _trace = trace;
        Clock = timeProvider;
        _queue = new InFlightQueue(clock);
        _routing = new DatagramRouting(options.Seed, clock, hosts, faults, trace, _queue);
        _timer = timeProvider.CreateTimer(
            static delivery => ((DatagramDeliverer)delivery!).Pump(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The clock.</summary>
    public TimeProvider Clock { get; }

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _queue.Count;
            }
        }
    }

    public int Pump()
    {
        lock (_gate)
        {
            _pumpQueued = false;
            if (_pumping || t_sending > 0)
            {
                return 0;
            }

            _pumping = true;
        }

        int delivered = 0;
        TimeSpan instant = _clock.Now;
        int atOnce = 0;
        bool drained = false;
        try
        {
            while (TakeDue() is { } item)
            {
                delivered++;
                atOnce = _clock.Now == instant ? atOnce + 1 : 0;
                instant = _clock.Now;
                if (atOnce > MaxAtOnce)
                {
                    throw new InvalidOperationException(
                        $"{MaxAtOnce:N0} datagrams were delivered at {instant} without time passing. The last "
                            + $"ones:{Environment.NewLine}{PrintTrace(10)}");
                }

                Arrive(item);
            }

            drained = true;
            return delivered;
        }
        finally
        {
            if (!drained)
            {
                // A receiver threw; the remaining datagrams are still due.
                lock (_gate)
                {
                    _pumping = false;
                    Arm();
                }
            }
        }
    }

    /// <summary>Takes a datagram from its sender.</summary>
    public NetworkPacket Take(NetworkNode node, CoapAddress to, byte[] data)
    {
        lock (_gate)
        {
            NetworkPacket packet = new(++_sent, _clock.Now, node.Outside, to, data);
            _trace.Add(NetworkEventKind.Sent, packet, to);
            return packet;
        }
    }

    public void Send(NetworkNode node, NetworkPacket packet, NetworkVerdict verdict)
    {
        bool queuePump;
        lock (_gate)
        {
            _routing.Route(node, packet, verdict);
            Arm();
            queuePump = _options.DeliverImmediately && _options.Scheduler is not null
                && !_pumping && !_pumpQueued && _queue.Count > 0;
            _pumpQueued |= queuePump;
        }

        if (Clock is VirtualClock)
        {
            HangReport.OfProcess.NoteDatagram(this);
        }

        if (queuePump)
        {
            t_sending++;
            try
            {
                if (!_options.Scheduler!.Queue(static delivery => ((DatagramDeliverer)delivery!).Pump(), this))
                {
                    lock (_gate)
                    {
                        _pumpQueued = false;
                    }
                }
            }
            finally
            {
                t_sending--;
            }
        }
    }

    /// <summary>Returns what waits for time, human-readable; null if nothing does.</summary>
    public string? DescribeWaiting()
    {
        lock (_gate)
        {
            NetworkPacket? first = _queue.First?.Packet;
            return first is null ? null : $"{_queue.Count} datagram(s) wait for it, the first one is {first}";
        }
    }

    /// <summary>Lets later datagrams overtake earlier ones. Under the lock.</summary>
    public void ForgetOrder() => _routing.ForgetOrder();

    /// <summary>Drops the datagrams in flight to a host and schedules its return. Under the lock.</summary>
    /// <param name="host">The host.</param>
    /// <param name="downtime">The time until its return.</param>
    public void Restart(CoapAddress host, TimeSpan downtime)
    {
        _queue.CancelTo(host);
        _queue.Enqueue(new ScheduledDelivery(InFlightKind.HostUp, null, host), downtime);
        Arm();
    }

    /// <summary>Brings a host up. Under the lock.</summary>
    public void BringUp(CoapAddress host)
    {
        _faults.BringUp(host);
        _trace.Add(NetworkEventKind.Changed, null, host, $"{NetworkLinkMatcher.Describe(host)} is up");
    }

    /// <summary>The last events, one line for each.</summary>
    /// <param name="last">The number of events.</param>
    public string PrintTrace(int last)
    {
        NetworkEvent[] events;
        long forgotten;
        lock (_gate)
        {
            events = _trace.ToArray();
            forgotten = _trace.Forgotten;
        }

        return NetworkTrace.Print(events, forgotten, last);
    }

    private void Arm()
    {
        if (!_pumping && _queue.NextDue is { } due)
        {
            TimeSpan left = due - _clock.Now;
            _timer.Change(left > TimeSpan.Zero ? left : TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        }
    }

    private ScheduledDelivery? TakeDue()
    {
        lock (_gate)
        {
            if (_queue.TakeDue() is { } item)
            {
                return item;
            }

            // In the same lock as the check, because later sends arm the timer themselves.
            _pumping = false;
            Arm();
            return null;
        }
    }

    private void Arrive(ScheduledDelivery item)
    {
        NetworkNode? node;
        lock (_gate)
        {
            node = item.Kind switch
            {
                InFlightKind.Datagram => ReceiverOf(item),
                InFlightKind.HostUp => null,
                _ => item.IsCancelled || _faults.IsDown(item.To) ? null : _hosts.TryFind(item.To, out NetworkNode? there) ? there : null,
            };
            if (item.Kind == InFlightKind.HostUp)
            {
                BringUp(item.To);
            }
            else if (item.Kind == InFlightKind.PortUnreachable && node is not null)
            {
                _trace.Add(NetworkEventKind.PortUnreachable, item.Packet, item.Packet!.To, "sender told");
            }
        }

        if (node is null)
        {
            return;
        }

        NetworkPacket packet = item.Packet!;
        switch (item.Kind)
        {
            case InFlightKind.Datagram:
                node.Receiver.Deliver(packet, packet.To.IsMulticast ? packet.To : node.Inside);
                break;
            case InFlightKind.PortUnreachable:
                node.Receiver.PortUnreachable(packet.To, node.Inside, packet.Data.Span[..Math.Min(packet.Data.Length, MaxQuoted)]);
                break;
            default:
                node.Receiver.TooLong(packet, node.Inside);
                break;
        }
    }

    private NetworkNode? ReceiverOf(ScheduledDelivery item)
    {
        NetworkPacket packet = item.Packet!;
        if (item.IsCancelled || _faults.IsDown(item.To))
        {
            _trace.Add(NetworkEventKind.HostDown, packet, item.To, "receiver");
            return null;
        }

        if (_faults.IsPartitioned(packet.From, item.To))
        {
            _trace.Add(NetworkEventKind.Partitioned, packet, item.To, "on its way");
            return null;
        }

        if (_hosts.TryFind(item.To, out NetworkNode? node))
        {
            _trace.Add(NetworkEventKind.Delivered, packet, item.To);
            return node;
        }

        _trace.Add(NetworkEventKind.NoListener, packet, item.To);
        if (_options.ReportsPortUnreachable && !packet.To.IsMulticast && !_faults.IsPartitioned(item.To, packet.From))
        {
            _queue.Enqueue(new ScheduledDelivery(InFlightKind.PortUnreachable, packet, packet.From),
                _faults.ConditionsOf(item.To, packet.From).MinDelay);
        }

        return null;
    }
}
