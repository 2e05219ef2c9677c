namespace CoAP.NET.Testing.Network;

/// <summary>
/// Decides what happens to a sent datagram: the filter's verdict, hosts that are down, drops, partitions, random faults by link and number,
/// and the time of arrival. Guarded by the network's lock.
/// </summary>
/// <param name="seed">The seed of all randomness.</param>
/// <param name="clock">The network's time.</param>
/// <param name="hosts">The addresses of the hosts.</param>
/// <param name="faults">The faults that the test sets.</param>
/// <param name="trace">The trace.</param>
/// <param name="queue">The datagrams in flight.</param>
internal sealed class DatagramRouting(
    ulong seed, NetworkElapsedTime clock, NetworkHosts hosts, NetworkFaults faults, NetworkTrace trace, InFlightQueue queue)
{
    private readonly Dictionary<(CoapAddress From, CoapAddress To), long> _ordinals = [];
    private readonly Dictionary<(CoapAddress From, CoapAddress To), TimeSpan> _lastDue = [];
    private readonly Dictionary<NetworkBottleneck, BottleneckQueue> _queues = [];

    /// <summary>Lets later datagrams overtake earlier ones.</summary>
    public void ForgetOrder() => _lastDue.Clear();

    /// <summary>Sends a datagram on its way.</summary>
    public void Route(NetworkNode sender, NetworkPacket packet, NetworkVerdict verdict)
    {
        if (verdict.IsDropped)
        {
            trace.Add(NetworkEventKind.Filtered, packet, packet.To, "dropped");
            return;
        }

        if (faults.IsDown(packet.From))
        {
            trace.Add(NetworkEventKind.HostDown, packet, packet.To, "sender");
            return;
        }

        if (faults.IsDropped(packet.From, packet.To))
        {
            trace.Add(NetworkEventKind.Dropped, packet, packet.To);
            return;
        }

        if (verdict.Replacement is { } replacement)
        {
            packet = packet.With(replacement.ToArray());
            trace.Add(NetworkEventKind.Filtered, packet, packet.To, "replaced");
        }

        if (!packet.To.IsMulticast)
        {
            RouteTo(packet, packet.To, verdict);
            return;
        }

        foreach (NetworkNode member in hosts.MembersOf(packet.To, sender))
        {
            RouteTo(packet, member.Outside, verdict);
        }
    }

    private void RouteTo(NetworkPacket packet, CoapAddress to, NetworkVerdict verdict)
    {
        long ordinal = _ordinals.GetValueOrDefault((packet.From, to));
        LinkRandom fate = new(seed, packet.From, to, ordinal);
        _ordinals[(packet.From, to)] = ordinal + 1;

        NetworkConditions conditions = faults.ConditionsOf(packet.From, to);
        if (faults.IsPartitioned(packet.From, to))
        {
            trace.Add(NetworkEventKind.Partitioned, packet, to);
            return;
        }

        if (packet.Data.Length > conditions.Mtu)
        {
            trace.Add(NetworkEventKind.TooLong, packet, to, $"more than {conditions.Mtu} B");
            if (conditions.ReportsTooLong)
            {
                queue.Enqueue(new ScheduledDelivery(InFlightKind.TooLong, packet, packet.From), TimeSpan.Zero);
            }

            return;
        }

        if (fate.Loss < conditions.Loss)
        {
            trace.Add(NetworkEventKind.Lost, packet, to);
            return;
        }

        if (fate.Corruption < conditions.Corruption && packet.Data.Length > 0)
        {
            packet = Corrupt(packet, fate);
            trace.Add(NetworkEventKind.Corrupted, packet, to);
        }

        TimeSpan queued = TimeSpan.Zero;
        if (conditions.Bottleneck is { } bottleneck)
        {
            if (!_queues.TryGetValue(bottleneck, out BottleneckQueue? line))
            {
                _queues.Add(bottleneck, line = new BottleneckQueue(bottleneck));
            }

            if (line.Enter(packet.Data.Length, clock.Now) is not { } time)
            {
                trace.Add(NetworkEventKind.QueueFull, packet, to);
                return;
            }

            queued = time;
        }

        bool overtaken = fate.Reordering < conditions.Reordering;
        TimeSpan delay = queued + Between(conditions.MinDelay, conditions.MaxDelay, fate.Delay) + verdict.ExtraDelay;
        if (overtaken)
        {
            delay += Between(TimeSpan.FromTicks(1), conditions.ReorderingWindow, fate.HeldBack);
            trace.Add(NetworkEventKind.Reordered, packet, to);
        }

        Depart(packet, to, delay, keepsOrder: !overtaken && verdict.ExtraDelay == TimeSpan.Zero);

        int copies = verdict.Copies + (fate.Duplication < conditions.Duplication ? 1 : 0);
        TimeSpan copyDelay = queued + Between(conditions.MinDelay, conditions.MaxDelay, fate.CopyDelay) + verdict.ExtraDelay;
        for (int i = 0; i < copies; i++)
        {
            trace.Add(NetworkEventKind.Duplicated, packet, to);
            Depart(packet, to, copyDelay, keepsOrder: !overtaken && verdict.ExtraDelay == TimeSpan.Zero);
        }
    }

    private void Depart(NetworkPacket packet, CoapAddress to, TimeSpan delay, bool keepsOrder)
    {
        if (keepsOrder)
        {
            // Without reordering a link is a queue: nothing overtakes earlier datagrams.
            TimeSpan now = clock.Now;
            TimeSpan earlier = _lastDue.GetValueOrDefault((packet.From, to));
            TimeSpan due = now + delay > earlier ? now + delay : earlier;
            _lastDue[(packet.From, to)] = due;
            delay = due - now;
        }

        queue.Enqueue(new ScheduledDelivery(InFlightKind.Datagram, packet, to), delay);
    }

    private static TimeSpan Between(TimeSpan min, TimeSpan max, double share) => max <= min ? min : min + ((max - min) * share);

    private static NetworkPacket Corrupt(NetworkPacket packet, in LinkRandom fate)
    {
        byte[] changed = packet.Data.ToArray();
        changed[(int)(fate.CorruptedAt * changed.Length)] ^= (byte)(1 + (int)(fate.CorruptedBy * 255));
        return packet.With(changed);
    }
}
