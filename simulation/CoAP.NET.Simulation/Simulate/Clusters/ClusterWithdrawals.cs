namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// Keys of devices that are withdrawn: each node hears of it, removes the key and ends the sessions, as docs/dtls.md says. When all
/// processes have done so, the device gets nothing any more under its old key, neither in stored sessions nor in new ones.
/// </summary>
/// <param name="world">The world.</param>
internal sealed class ClusterWithdrawals(ClusterWorld world)
{
    private readonly Dictionary<SimulatedDevice, Withdrawal> _all = [];

    public bool IsWithdrawn(SimulatedDevice device) => _all.ContainsKey(device);

    /// <summary>The key that a process starts with; empty for none.</summary>
    public byte[] KeyOf(SimulatedDevice device) =>
        !_all.TryGetValue(device, out Withdrawal? one) || world.Has(ClusterPlants.OldKeys) ? device.Key : one.NewKey;

    /// <summary>The key of a device is withdrawn, unless too few devices are left.</summary>
    /// <param name="device">The device.</param>
    /// <param name="isReplaced">Whether there is another key for its name from now on, which it does not have.</param>
    public void Withdraw(SimulatedDevice device, bool isReplaced)
    {
        if (IsWithdrawn(device) || (_all.Count + 1) * 2 > world.Devices.Count)
        {
            return;
        }

        byte[] key = isReplaced ? "another key of it"u8.ToArray() : [];
        _all.Add(device, new Withdrawal(key));
        world.Journal.Note($"the key of {device} is {(isReplaced ? "replaced" : "withdrawn")}");
        foreach (SimulatedClusterNode node in world.Processes)
        {
            node.Hear(device.Name, key);
        }
    }

    /// <summary>A process has ended, or done what it had to do: perhaps all that run have.</summary>
    public void OnProgress()
    {
        foreach ((SimulatedDevice device, Withdrawal one) in _all)
        {
            if (one.DoneAt is null && world.Processes.All(node => node.HasWithdrawn(device.Name)))
            {
                one.DoneAt = world.Clock.Elapsed;
                one.States = [.. Enumerable.Range(0, ClusterWorld.Resources).Select(world.StateOf)];
                world.Journal.Note($"all nodes have withdrawn the key of {device}");
            }
        }
    }

    /// <summary>A device got an answer, or gave one.</summary>
    /// <param name="device">The device.</param>
    /// <param name="began">When the request was sent.</param>
    /// <param name="what">What was answered.</param>
    public void CheckAnswer(SimulatedDevice device, TimeSpan began, string what)
    {
        if (_all.TryGetValue(device, out Withdrawal? one) && one.DoneAt < began)
        {
            Violate(device, one, $"{what}, which was sent at {began.TotalSeconds:F3} s, is answered");
        }
    }

    /// <summary>A device gets a notification.</summary>
    /// <param name="device">The device.</param>
    /// <param name="resource">The resource.</param>
    /// <param name="state">The state in it.</param>
    public void CheckNotification(SimulatedDevice device, int resource, int state)
    {
        if (_all.TryGetValue(device, out Withdrawal? one) && one.States is { } states && state > states[resource])
        {
            Violate(device, one, $"{device} is told state {state} of resource {resource}");
        }
    }

    private void Violate(SimulatedDevice device, Withdrawal one, string what) => world.Journal.Violate(ClusterCheck.WithdrawnKey,
        $"{what}, though all nodes had withdrawn the key of {device} at {one.DoneAt?.TotalSeconds:F3} s");

    private sealed class Withdrawal(byte[] newKey)
    {
        public byte[] NewKey => newKey;

        /// <summary>When all processes had withdrawn it.</summary>
        public TimeSpan? DoneAt { get; set; }

        /// <summary>The states of the resources then.</summary>
        public int[]? States { get; set; }
    }
}
