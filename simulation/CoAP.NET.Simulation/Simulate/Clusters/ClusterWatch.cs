namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>An observation of a device: states never go back, and at the end the last one is told.</summary>
/// <param name="device">The device.</param>
/// <param name="resource">What it observes.</param>
/// <param name="world">The world, whose journal is told what must not be.</param>
internal sealed class ClusterWatch(SimulatedDevice device, int resource, ClusterWorld world)
{
    // So long it may take until the store has a new observer.
    private static readonly TimeSpan s_kept = TimeSpan.FromSeconds(5);

    private CoapObservation? _observation;
    private TimeSpan _began = TimeSpan.MaxValue;
    private int _beganIn;
    private int _session = -1;
    private bool _wasInDoubt;

    public SimulatedDevice Device => device;

    public int Resource => resource;

    /// <summary>The last state that was told.</summary>
    public int Last { get; private set; } = -1;

    /// <summary>Whether the device observes, and may.</summary>
    public bool IsOn => !world.Withdrawals.IsWithdrawn(device) && _observation is { State: not CoapObserveState.Cancelled };

    /// <summary>Whether the store has it for sure, in the session that the device has.</summary>
    public bool IsKept => _began < TimeSpan.MaxValue && _beganIn == device.Sessions && device.HasCid
        && !world.Withdrawals.IsWithdrawn(device);

    /// <summary>Something happens to nodes or the store.</summary>
    /// <param name="now">When.</param>
    public void OnTrouble(TimeSpan now)
    {
        if (_began < TimeSpan.MaxValue && now < _began + s_kept)
        {
            _began = TimeSpan.MaxValue;
        }
    }

    /// <summary>
    /// The device was at an address that nobody knew for so long that a notification may have been given up, and with it the observer (RFC
    /// 7641 section 4.5).
    /// </summary>
    public void OnUnknown() => _began = TimeSpan.MaxValue;

    /// <summary>Begins it.</summary>
    public async Task<bool> StartAsync()
    {
        CoapRequest request = new(CoapMethod.Get, ClusterRequests.Uri($"state/{resource}")) { Timeout = TimeSpan.FromMinutes(3) };
        _observation = await device.Endpoint.ObserveAsync(request, new CoapObservationOptions { OnNotification = OnNotification });
        if (!world.IsTroubled)
        {
            (_began, _beganIn) = (world.Clock.Elapsed, device.Sessions);
        }

        return true;
    }

    public async Task<bool> StopAsync()
    {
        if (_observation is { } observation)
        {
            await observation.DisposeAsync();
        }

        return true;
    }

    public override string ToString() =>
        $"{device} observes {resource}: {_observation?.State} with {Last} ({_observation?.Error?.Message})";

    private void OnNotification(CoapResponse response)
    {
        if (!response.IsSuccess)
        {
            world.Journal.Note($"{device} is told {response.Code} of {resource}");
            return;
        }

        int state = int.Parse(response.GetText());
        world.Withdrawals.CheckNotification(device, resource, state);
        world.Journal.Notified++;
        world.Journal.Note($"{device} is told {state} of {resource}");

        // What a new session brings is not ordered with what the one before brought (RFC 7641 section 3.4). While a node does not know that
        // it has lost the slot, two tell the device things, each what it knows.
        bool isInDoubt = world.Nodes.Any(node => node.IsInDoubt);
        if (state < Last && _session == device.Sessions && !isInDoubt && !_wasInDoubt)
        {
            world.Journal.Violate(ClusterCheck.Order, $"{device} is told state {state} of resource {resource} after {Last}");
        }

        (Last, _session, _wasInDoubt) = (state, device.Sessions, isInDoubt);
    }
}
