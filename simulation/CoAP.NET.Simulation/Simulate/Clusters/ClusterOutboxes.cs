namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Requests that nodes put into the outboxes of devices: what was confirmed comes to the device, in its order.</summary>
/// <param name="world">The world.</param>
internal sealed class ClusterOutboxes(ClusterWorld world)
{
    private readonly List<Queued> _queued = [];

    /// <summary>A node puts a request into the outbox of a device.</summary>
    /// <param name="node">The node.</param>
    /// <param name="device">The device.</param>
    /// <param name="id">The number of the request.</param>
    public Task<bool> QueueAsync(SimulatedClusterNode node, SimulatedDevice device, int id)
    {
        Queued queued = new(device, id, world.Clock.Elapsed);
        return world.Requests.Add($"{node} queues {id} for {device}", TimeSpan.FromMinutes(4), async () =>
        {
            CoapRequest request = new(CoapMethod.Put, "/set") { Content = CoapContent.Text($"{id}") };
            await node.Cluster.Devices[device.Name].QueueAsync(request);
            if (!node.Time.IsDead)
            {
                queued.Confirmed = world.Clock.Elapsed;
                _queued.Add(queued);
                world.Journal.Note($"{node} has queued {id} for {device}");
            }

            return true;
        },
        node);
    }

    /// <summary>The store has lost what was confirmed.</summary>
    public void OnLost() => _queued.Clear();

    /// <summary>Whether everything that was confirmed came to its device.</summary>
    public bool HaveAllCome() => _queued.TrueForAll(one => world.Withdrawals.IsWithdrawn(one.Device) || one.Device.Done.Contains(one.Id));

    /// <summary>What has not come.</summary>
    public string Describe() => string.Join(", ",
        _queued.Where(one => !one.Device.Done.Contains(one.Id)).Select(one => $"{one.Id} for {one.Device}"));

    /// <summary>Looks whether what was confirmed before something else was asked for came before that.</summary>
    public void CheckOrder()
    {
        foreach (Queued first in _queued)
        {
            foreach (Queued second in _queued.Where(one => one.Device == first.Device && first.Confirmed < one.Began))
            {
                int at = first.Device.Done.IndexOf(second.Id);
                if (at >= 0 && (uint)first.Device.Done.IndexOf(first.Id) > (uint)at)
                {
                    world.Journal.Violate(ClusterCheck.OutboxOrder,
                        $"request {second.Id} came to {first.Device} before {first.Id}, which was in the outbox before");
                }
            }
        }
    }

    private sealed class Queued(SimulatedDevice device, int id, TimeSpan began)
    {
        public SimulatedDevice Device => device;

        public int Id => id;

        public TimeSpan Began => began;

        public TimeSpan Confirmed { get; set; }
    }
}
