using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// Looks at every datagram: reads the numbers of records that nodes send, and lets what goes between devices and the balancer be lost,
/// doubled or late.
/// </summary>
/// <param name="world">The world.</param>
internal sealed class ClusterWire(ClusterWorld world)
{
    private const int CidLength = 8;
    private const int ServerPort = 5684;

    private static readonly TimeSpan s_deaf = TimeSpan.FromSeconds(20);

    // Between the last two copies of a notification.
    private static readonly TimeSpan s_lastCopies = TimeSpan.FromSeconds(16);

    // A hash of each record by session and number.
    private readonly Dictionary<(string Session, ulong Number), int> _seen = [];
    private readonly Dictionary<CoapAddress, int> _handshakes = [];
    private readonly Dice _dice = new(world.Plan.Seed ^ 0xd1ce);

    /// <summary>Whether the network is well.</summary>
    public bool IsCalm { get; set; }

    /// <summary>How many records of sessions nodes have sent.</summary>
    public int Records => _seen.Count;

    public NetworkVerdict OnPacket(NetworkPacket packet)
    {
        ReadOnlySpan<byte> bytes = packet.Data.Span;
        if (ClusterJournal.Echo is not null)
        {
            world.Journal.Note($"  {world.NodeAt(packet.From)} > {world.NodeAt(packet.To)}: {RecordReader.Describe(bytes, CidLength)}");
        }

        if (packet.From.Port == ServerPort && packet.From != SimulatedBalancer.Address)
        {
            ReadNumbers(packet, bytes);
            return world.NodeOf(packet.From) is { } from && world.NodeOf(packet.To) is { } to
                ? world.Faults.OnDatagram(from.Cluster.Self.Id, to.Cluster.Self.Id)
                : NetworkVerdict.Pass;
        }

        SimulatedDevice? device = DeviceOf(packet);
        if (device is null)
        {
            return NetworkVerdict.Pass;
        }

        if (packet.To == SimulatedBalancer.Address && bytes.Length > RecordReader.SequenceEnd + CidLength && bytes[0] == RecordReader.Cid)
        {
            device.ServerCid = Convert.ToHexString(bytes.Slice(RecordReader.SequenceEnd, CidLength));
        }

        if (world.Clock.Elapsed < device.RadioOffUntil
            || (world.Has(ClusterPlants.Deaf) && world.Clock.Elapsed > s_deaf && device.Index == 0))
        {
            device.OnLoss(world.Clock.Elapsed);
            return NetworkVerdict.Drop;
        }

        if (packet.To == device.Address && device.OnReached(world.Clock.Elapsed) > s_lastCopies)
        {
            world.Watches.Where(watch => watch.Device == device).ToList().ForEach(watch => watch.OnUnknown());
        }

        if (RecordReader.IsOfSession(bytes) && packet.To == SimulatedBalancer.Address)
        {
            device.OnTry(world.Clock.Elapsed);
        }

        if (IsCalm || !RecordReader.IsOfSession(bytes))
        {
            return NetworkVerdict.Pass;
        }

        int chance = _dice.Between(0, 1000);
        ClusterPlan plan = world.Plan;
        if (chance < plan.Loss)
        {
            device.OnLoss(world.Clock.Elapsed);
            return NetworkVerdict.Drop;
        }

        return chance < plan.Loss + plan.Duplication ? NetworkVerdict.Duplicate()
            : chance < plan.Loss + plan.Duplication + plan.Reordering
                ? NetworkVerdict.Delay(TimeSpan.FromMilliseconds(_dice.Between(1, 400)))
                : NetworkVerdict.Pass;
    }

    private SimulatedDevice? DeviceOf(NetworkPacket packet)
    {
        CoapAddress address = packet.To == SimulatedBalancer.Address ? packet.From : packet.To;
        return SimulatedDevice.IndexOf(address) is var index && index < world.Devices.Count ? world.Devices[(int)index] : null;
    }

    private void ReadNumbers(NetworkPacket packet, ReadOnlySpan<byte> rest)
    {
        while (RecordHeader.TryRead(rest, CidLength, out RecordHeader header))
        {
            int length = header.HeaderLength + header.Length;
            ReadOnlySpan<byte> record = rest[..length];
            if (header.Epoch == 0 && header.Type == ContentType.ChangeCipherSpec)
            {
                _handshakes[packet.To] = _handshakes.GetValueOrDefault(packet.To) + 1;
            }
            else if (header.Epoch > 0)
            {
                // Without a Connection ID nobody can tell a session that was replaced from the one in its place.
                if (header.CidLength == 0 && _handshakes.GetValueOrDefault(packet.To) > 1)
                {
                    return;
                }

                string session = header.CidLength > 0 ? Convert.ToHexString(header.Cid(record)) : $"{packet.To}";
                HashCode hash = default;
                hash.AddBytes(record);
                int now = hash.ToHashCode();
                if (world.Has(ClusterPlants.SameNumber) && header.Sequence == 3)
                {
                    _seen[(session, ((ulong)header.Epoch << 48) | header.Sequence)] = now + 1;
                }

                ulong number = ((ulong)header.Epoch << 48) | header.Sequence;
                if (!_seen.TryAdd((session, number), now) && _seen[(session, number)] != now)
                {
                    world.Journal.Violate(ClusterCheck.RecordNumbers,
                        $"{world.NodeAt(packet.From)} sends record {header.Epoch}/{header.Sequence} of session {session} a second time");
                }
            }

            rest = rest[length..];
        }
    }
}
