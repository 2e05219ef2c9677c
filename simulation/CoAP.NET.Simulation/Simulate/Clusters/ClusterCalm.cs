using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Writing;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What has to come about when all is well again.</summary>
/// <param name="world">The world.</param>
internal sealed class ClusterCalm(ClusterWorld world)
{
    private const int TriesWithoutSession = 3;
    private static readonly TimeSpan s_sharing = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan s_leases = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_requests = TimeSpan.FromMinutes(6);

    // The first notification from a node to which the device has sent nothing yet may be lost with all of its copies.
    private static readonly TimeSpan s_told = TimeSpan.FromSeconds(100);

    // A registration that failed waits for up to five minutes for the next one.
    private static readonly TimeSpan s_observers = ClusterWorld.MaxAge + TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_outboxes = TimeSpan.FromMinutes(10);

    // Observers whose session does not come back are removed five minutes after they were read.
    private static readonly TimeSpan s_quiet = TimeSpan.FromMinutes(7);

    public async Task CheckAsync()
    {
        world.Heal();

        // Who leaves has left, and is replaced.
        await world.Drive.UntilAsync(() => world.Nodes.All(node => !node.IsLeaving), s_sharing);
        for (int place = 0; place < world.Plan.Nodes; place++)
        {
            world.Start(place);
        }

        await MustAsync(ClusterCheck.Slots, "each slot has one owner, who is there, and all nodes say so", world.AreShared, s_sharing);
        world.CheckOwners();
        await world.Drive.UntilAsync(world.Requests.HaveEnded, s_requests);
        world.Requests.CheckEnds();
        long version = MapVersion;
        await CheckServedAsync();
        await CheckHistoryAsync();
        await CheckObserversAsync();
        await CheckDevicesAsync(version);
        await CheckQuietAsync();
    }

    private IEnumerable<SimulatedDevice> Served => world.Devices.Where(device => !world.Withdrawals.IsWithdrawn(device));

    private async Task CheckServedAsync()
    {
        foreach (SimulatedDevice device in Served)
        {
            await CheckServedAsync(device);
        }

        // They may try, and get no answer.
        foreach (SimulatedDevice device in world.Devices.Where(world.Withdrawals.IsWithdrawn))
        {
            await IsAnsweredAsync(device);
        }
    }

    private async Task CheckHistoryAsync()
    {
        foreach (SimulatedDevice device in Served)
        {
            Task<bool> read = world.Requests.ReadAsync(device, "count", device.Counter);
            await world.Drive.UntilAsync(() => read.IsCompleted, s_requests);
        }

        foreach (string fault in world.History.FindFaults())
        {
            world.Journal.Violate(ClusterCheck.History, fault);
        }
    }

    private async Task CheckServedAsync(SimulatedDevice device)
    {
        // Without a Connection ID a session does not follow its slot: the balancer brings what the device sends to where it was, and the
        // device finds out while it waits for the answer to its first request, or the next one.
        int tries = device.HasCid && !world.HasGoneBack ? 1 : TriesWithoutSession;
        while (tries > 0 && !await IsAnsweredAsync(device))
        {
            tries--;
        }

        if (tries == 0)
        {
            world.Journal.Violate(ClusterCheck.Served, $"{device} is not answered any more");
        }
    }

    private async Task<bool> IsAnsweredAsync(SimulatedDevice device)
    {
        Task<bool> asked = world.Requests.AskAsync(device);
        await world.Drive.UntilAsync(() => asked.IsCompleted, s_requests);
        return asked.IsCompleted && await asked;
    }

    private async Task CheckObserversAsync()
    {
        for (int resource = 0; resource < ClusterWorld.Resources; resource++)
        {
            SimulatedClusterNode[] nodes = [.. world.Nodes];
            world.Change(resource, nodes[resource % nodes.Length]);
        }


        // The notifications of a node whose clock was ahead have higher numbers than those of the next node. Clients ignore the lower ones
        // (RFC 7641 section 3.4), and register again when the state is no longer fresh.
        if (!world.AreClocksApart)
        {
            await MustAsync(
                ClusterCheck.LastState,
                "every observer that was kept is told the last state",
                () => world.Watches.TrueForAll(watch => !watch.IsKept || HasLast(watch)),
                s_told,
                () => string.Join("; ", world.Watches.Where(watch => watch.IsKept && !HasLast(watch)))
                    + $"; {world.DescribeObservers()}");
        }

        await MustAsync(
            ClusterCheck.LastState,
            "every observer is told the last state",
            () => world.Watches.TrueForAll(HasLast),
            s_observers,
            () => string.Join("; ", world.Watches.Where(watch => !HasLast(watch))));
    }

    private bool HasLast(ClusterWatch watch) => !watch.IsOn || watch.Last == world.StateOf(watch.Resource);

    private async Task CheckDevicesAsync(long version)
    {
        foreach (SimulatedClusterNode node in world.Nodes)
        {
            foreach (SimulatedDevice device in Served)
            {
                bool answers = await AnswersAsync(node, device);
                if (!answers && MapVersion != version)
                {
                    // Whoever did not reach the store lost its slots only after the device had spoken, and with them where it is.
                    await CheckServedAsync(device);
                    answers = await AnswersAsync(node, device);
                }

                if (!answers)
                {
                    world.Journal.Violate(ClusterCheck.Asked, $"{device} does not answer {node}");
                }
            }
        }

        await MustAsync(
            ClusterCheck.OutboxLost, "what is in outboxes comes", world.Outboxes.HaveAllCome, s_outboxes, world.Outboxes.Describe);
        world.Outboxes.CheckOrder();
    }

    private long MapVersion => world.Nodes.Max(node => node.Cluster.Map.Version);

    private async Task<bool> AnswersAsync(SimulatedClusterNode node, SimulatedDevice device)
    {
        Task<bool> asked = world.Requests.AskDeviceAsync(node, device);
        await world.Drive.UntilAsync(() => asked.IsCompleted, s_requests);
        return asked.IsCompleted && await asked;
    }

    private async Task CheckQuietAsync()
    {
        // Whoever did not reach the store may lose its slots only now, and with them what a device says at its end.
        await world.Drive.UntilAsync(() => false, s_leases);
        await MustAsync(ClusterCheck.Slots, "each slot has one owner, who is there, and all nodes say so", world.AreShared, s_sharing);
        foreach (SimulatedDevice device in world.Devices)
        {
            Task closing = device.DisposeAsync().AsTask();
            await world.Drive.UntilAsync(() => closing.IsCompleted, s_requests);
        }

        await MustAsync(ClusterCheck.Quiet, "nothing is kept", () => Left().Length == 0, s_quiet, Left);
    }

    // A session stays for a day where its device could not say that it has ended: one without a Connection ID that the balancer has brought
    // elsewhere, and one in whose place the device has made another.
    private string Left()
    {
        // Nobody uses the stored session of a device whose key was withdrawn, so that no node looks at it.
        int forgotten = world.Devices.Sum(device =>
            device.HasCid && !world.Withdrawals.IsWithdrawn(device) ? device.Sessions - 1 : device.Sessions);
        int sessions = world.Nodes.Sum(node => node.Server.Endpoint.ConnectedPeers.Count);
        List<string> left = [];
        foreach (SimulatedClusterNode node in world.Nodes)
        {
            CoapClusterNodeCounters counters = node.Cluster.GetNodeCounters();
            CoapRecordWriterCounters writer = node.Cluster.Writer.GetCounters();
            if (sessions > forgotten || counters.DatagramsWaiting > 0 || counters.Moving > 0 || writer.Waiting > 0)
            {
                left.Add($"{node}: {node.Server.Endpoint.ConnectedPeers.Count} sessions, {counters.DatagramsWaiting} datagrams held, "
                    + $"{counters.Moving} slots move, {writer.Waiting} records to write");
            }
        }

        if (world.CountRecords(CoapRecordKind.Session) is var records && records > forgotten)
        {
            left.Add($"{records} records of sessions, and {forgotten} could not be ended");
        }

        foreach (CoapRecordKind kind in forgotten > 0 ? [] : new[] { CoapRecordKind.Observer, CoapRecordKind.Observation })
        {
            if (world.CountRecords(kind) is var kept and > 0)
            {
                left.Add($"{kept} records of {kind}");
            }
        }

        return string.Join("; ", left);
    }

    private async Task MustAsync(ClusterCheck check, string what, Func<bool> holds, TimeSpan within, Func<string>? describe = null)
    {
        if (!await world.Drive.UntilAsync(holds, within))
        {
            world.Journal.Violate(check,
                $"not so after {within.TotalMinutes:0} minutes: {what} ({describe?.Invoke() ?? world.Describe()})");
        }
    }
}
