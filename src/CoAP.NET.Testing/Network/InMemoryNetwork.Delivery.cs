using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

// The way of a datagram: sent, through filter, drops, partitions and chance into a queue ordered by time, and out of it by the pump.
public sealed partial class InMemoryNetwork
{
    private const int MaxAtOnce = 100_000;
    private const int MaxQuoted = 520;

    // Whether this thread is inside a transport's Send: then nothing may be delivered, whoever asks.
    [ThreadStatic]
    private static int t_sending;

    private readonly PriorityQueue<InFlight, (TimeSpan Due, long Sequence)> _inFlight = new();
    private readonly Dictionary<(CoapAddress From, CoapAddress To), long> _ordinals = [];
    private readonly Dictionary<(CoapAddress From, CoapAddress To), TimeSpan> _lastDue = [];
    private readonly Dictionary<NetworkBottleneck, BottleneckQueue> _queues = [];
    private long _sequence;
    private long _sent;
    private bool _pumping;
    private bool _pumpQueued;

    /// <summary>How many datagrams and reports are on their way.</summary>
    public int InFlightCount
    {
        get
        {
            lock (_gate)
            {
                return _inFlight.Count;
            }
        }
    }

    /// <summary>
    /// Delivers everything that is due, with what is sent meanwhile and takes no time. The clock calls this; tests need it only without a clock that advances.
    /// Does nothing inside a delivery or while another thread delivers: that one goes on until nothing is due.
    /// </summary>
    /// <returns>How many things were delivered.</returns>
    /// <exception cref="InvalidOperationException">A hundred thousand datagrams were delivered without time passing: two hosts answer each other for ever.</exception>
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
        TimeSpan instant = Now;
        int atOnce = 0;
        bool drained = false;
        try
        {
            while (TakeDue() is { } item)
            {
                delivered++;
                atOnce = Now == instant ? atOnce + 1 : 0;
                instant = Now;
                if (atOnce > MaxAtOnce)
                {
                    throw new InvalidOperationException($"{MaxAtOnce:N0} datagrams were delivered at {instant} without time passing. The last ones:{Environment.NewLine}{PrintTrace(10)}");
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
                // A receiver threw; the rest is still due.
                lock (_gate)
                {
                    _pumping = false;
                    Arm();
                }
            }
        }
    }

    internal void PumpImmediately()
    {
        if (_options.DeliverImmediately)
        {
            Pump();
        }
    }

    internal void Send(NetworkNode node, CoapAddress to, byte[] data)
    {
        NetworkPacket packet;
        lock (_gate)
        {
            packet = new NetworkPacket(++_sent, Now, node.Outside, to, data);
            Note(NetworkEventKind.Sent, packet, to);
        }

        NetworkVerdict verdict = Filter?.Invoke(packet) ?? NetworkVerdict.Pass;
        bool queuePump;
        lock (_gate)
        {
            Route(node, packet, verdict);
            Arm();
            queuePump = _options.DeliverImmediately && _options.Scheduler is not null && !_pumping && !_pumpQueued && _inFlight.Count > 0;
            _pumpQueued |= queuePump;
        }

        if (queuePump)
        {
            t_sending++;
            try
            {
                if (!_options.Scheduler!.Queue(static network => ((InMemoryNetwork)network!).Pump(), this))
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

    private void Route(NetworkNode sender, NetworkPacket packet, NetworkVerdict verdict)
    {
        if (verdict.IsDropped)
        {
            Note(NetworkEventKind.Filtered, packet, packet.To, "dropped");
            return;
        }

        if (IsDown(packet.From))
        {
            Note(NetworkEventKind.HostDown, packet, packet.To, "sender");
            return;
        }

        if (IsDropped(packet.From, packet.To))
        {
            Note(NetworkEventKind.Dropped, packet, packet.To);
            return;
        }

        if (verdict.Replacement is { } replacement)
        {
            packet = packet.With(replacement.ToArray());
            Note(NetworkEventKind.Filtered, packet, packet.To, "replaced");
        }

        if (!packet.To.IsMulticast)
        {
            RouteTo(packet, packet.To, verdict);
            return;
        }

        // By address, so that the order in which members joined does not matter.
        foreach (NetworkNode member in _nodes.Values.Where(node => node != sender && node.Groups.Contains(packet.To))
            .OrderBy(static node => (node.Outside.High, node.Outside.Low, node.Outside.Port, node.Outside.ScopeId)).ToList())
        {
            RouteTo(packet, member.Outside, verdict);
        }
    }

    private void RouteTo(NetworkPacket packet, CoapAddress to, NetworkVerdict verdict)
    {
        long ordinal = _ordinals.GetValueOrDefault((packet.From, to));
        LinkFate fate = new(_options.Seed, packet.From, to, ordinal);
        _ordinals[(packet.From, to)] = ordinal + 1;

        NetworkConditions conditions = ConditionsOf(packet.From, to);
        if (IsPartitioned(packet.From, to))
        {
            Note(NetworkEventKind.Partitioned, packet, to);
            return;
        }

        if (packet.Data.Length > conditions.Mtu)
        {
            Note(NetworkEventKind.TooLong, packet, to, $"more than {conditions.Mtu} B");
            if (conditions.ReportsTooLong)
            {
                Enqueue(new InFlight(InFlightKind.TooLong, packet, packet.From), TimeSpan.Zero);
            }

            return;
        }

        if (fate.Loss < conditions.Loss)
        {
            Note(NetworkEventKind.Lost, packet, to);
            return;
        }

        if (fate.Corruption < conditions.Corruption && packet.Data.Length > 0)
        {
            packet = Corrupt(packet, fate);
            Note(NetworkEventKind.Corrupted, packet, to);
        }

        TimeSpan queued = TimeSpan.Zero;
        if (conditions.Bottleneck is { } bottleneck)
        {
            if (!_queues.TryGetValue(bottleneck, out BottleneckQueue? queue))
            {
                _queues.Add(bottleneck, queue = new BottleneckQueue(bottleneck));
            }

            if (queue.Enter(packet.Data.Length, Now) is not { } time)
            {
                Note(NetworkEventKind.QueueFull, packet, to);
                return;
            }

            queued = time;
        }

        bool overtaken = fate.Reordering < conditions.Reordering;
        TimeSpan delay = queued + Between(conditions.MinDelay, conditions.MaxDelay, fate.Delay) + verdict.ExtraDelay;
        if (overtaken)
        {
            delay += Between(TimeSpan.FromTicks(1), conditions.ReorderingWindow, fate.HeldBack);
            Note(NetworkEventKind.Reordered, packet, to);
        }

        Depart(packet, to, delay, keepsOrder: !overtaken && verdict.ExtraDelay == TimeSpan.Zero);

        int copies = verdict.Copies + (fate.Duplication < conditions.Duplication ? 1 : 0);
        TimeSpan copyDelay = queued + Between(conditions.MinDelay, conditions.MaxDelay, fate.CopyDelay) + verdict.ExtraDelay;
        for (int i = 0; i < copies; i++)
        {
            Note(NetworkEventKind.Duplicated, packet, to);
            Depart(packet, to, copyDelay, keepsOrder: !overtaken && verdict.ExtraDelay == TimeSpan.Zero);
        }
    }

    private void Depart(NetworkPacket packet, CoapAddress to, TimeSpan delay, bool keepsOrder)
    {
        if (keepsOrder)
        {
            // Without reordering a link is one queue: nothing arrives before what was sent earlier.
            TimeSpan now = Now;
            TimeSpan earlier = _lastDue.GetValueOrDefault((packet.From, to));
            TimeSpan due = now + delay > earlier ? now + delay : earlier;
            _lastDue[(packet.From, to)] = due;
            delay = due - now;
        }

        Enqueue(new InFlight(InFlightKind.Datagram, packet, to), delay);
    }

    private static TimeSpan Between(TimeSpan min, TimeSpan max, double share) => max <= min ? min : min + ((max - min) * share);

    private static NetworkPacket Corrupt(NetworkPacket packet, in LinkFate fate)
    {
        byte[] changed = packet.Data.ToArray();
        changed[(int)(fate.CorruptedAt * changed.Length)] ^= (byte)(1 + (int)(fate.CorruptedBy * 255));
        return packet.With(changed);
    }

    private void Enqueue(InFlight item, TimeSpan delay) => _inFlight.Enqueue(item, (Now + delay, ++_sequence));

    private void Arm()
    {
        if (!_pumping && _inFlight.TryPeek(out _, out (TimeSpan Due, long Sequence) next))
        {
            TimeSpan left = next.Due - Now;
            _timer.Change(left > TimeSpan.Zero ? left : TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        }
    }

    private InFlight? TakeDue()
    {
        lock (_gate)
        {
            if (_inFlight.TryPeek(out InFlight? item, out (TimeSpan Due, long Sequence) next) && next.Due <= Now)
            {
                return _inFlight.Dequeue();
            }

            // In the same lock as the look: what is sent from now on arms the timer itself.
            _pumping = false;
            Arm();
            return null;
        }
    }

    private void Arrive(InFlight item)
    {
        NetworkNode? node;
        lock (_gate)
        {
            node = item.Kind switch
            {
                InFlightKind.Datagram => ReceiverOf(item),
                InFlightKind.HostUp => null,
                _ => item.IsCancelled || IsDown(item.To) ? null : _nodes.GetValueOrDefault(item.To),
            };
            if (item.Kind == InFlightKind.HostUp)
            {
                BringUpLocked(item.To);
            }
            else if (item.Kind == InFlightKind.PortUnreachable && node is not null)
            {
                Note(NetworkEventKind.PortUnreachable, item.Packet, item.Packet!.To, "sender told");
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

    private NetworkNode? ReceiverOf(InFlight item)
    {
        NetworkPacket packet = item.Packet!;
        if (item.IsCancelled || IsDown(item.To))
        {
            Note(NetworkEventKind.HostDown, packet, item.To, "receiver");
            return null;
        }

        if (IsPartitioned(packet.From, item.To))
        {
            Note(NetworkEventKind.Partitioned, packet, item.To, "on its way");
            return null;
        }

        if (_nodes.TryGetValue(item.To, out NetworkNode? node))
        {
            Note(NetworkEventKind.Delivered, packet, item.To);
            return node;
        }

        Note(NetworkEventKind.NoListener, packet, item.To);
        if (_options.ReportsPortUnreachable && !packet.To.IsMulticast && !IsPartitioned(item.To, packet.From))
        {
            Enqueue(new InFlight(InFlightKind.PortUnreachable, packet, packet.From), ConditionsOf(item.To, packet.From).MinDelay);
        }

        return null;
    }
}
