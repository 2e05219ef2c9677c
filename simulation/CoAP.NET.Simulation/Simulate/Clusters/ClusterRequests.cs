using System.Globalization;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Requests of devices and for devices, what became of them, and where unsafe ones were carried out.</summary>
/// <param name="world">The world.</param>
internal sealed class ClusterRequests(ClusterWorld world)
{
    private const int MaxShown = 10;
    private static readonly TimeSpan s_timeout = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan s_deviceTimeout = TimeSpan.FromMinutes(4);

    private readonly List<ClusterOperation> _operations = [];
    private readonly Dictionary<int, CountedRequest> _counted = [];

    /// <summary>What has not ended, for people.</summary>
    public string DescribeUnderWay() => string.Join("; ", _operations.Where(static one => !one.Doing.IsCompleted).Take(MaxShown)
        .Select(static one => string.Create(CultureInfo.InvariantCulture, $"{one.What}, since {one.Began.TotalSeconds:F3} s")));

    /// <summary>Which number a request bears, and how long its handler takes.</summary>
    public static (int Id, int Wait) Parse(CoapRequest request)
    {
        string[] parts = string.Concat(request.Queries).Split('-');
        return (int.Parse(parts[0], CultureInfo.InvariantCulture), int.Parse(parts[1], CultureInfo.InvariantCulture));
    }

    /// <summary>A device asks who it is.</summary>
    public Task<bool> AskAsync(SimulatedDevice device) => Add($"{device} asks", s_timeout, async () =>
    {
        CoapResponse response = await SendAsync(device, new CoapRequest(CoapMethod.Get, Uri("who"))).ConfigureAwait(false);
        return Check(device, response, device.Name);
    });

    /// <summary>A device sends an unsafe request.</summary>
    /// <param name="device">The device.</param>
    /// <param name="id">The number of the request.</param>
    /// <param name="wait">How long its handler takes, in milliseconds.</param>
    public Task<bool> CountAsync(SimulatedDevice device, int id, int wait)
    {
        CountedRequest counted = new(device, device.Sessions);
        _counted[id] = counted;
        foreach (CountedRequest before in _counted.Values.Where(one => one.Device == device && one.IsAnswered))
        {
            before.HasLaterRequest = true;
        }

        return Add($"{device} counts {id}", s_timeout, async () =>
        {
            if (world.Has(ClusterPlants.Untyped) && id % 4 == 0)
            {
                throw new InvalidOperationException("A planted defect.");
            }

            CoapResponse response = await SendAsync(device, new CoapRequest(CoapMethod.Post, Uri($"count?{id}-{wait}")))
                .ConfigureAwait(false);
            counted.IsAnswered = true;
            return Check(device, response, string.Create(CultureInfo.InvariantCulture, $"{id}"));
        });
    }

    /// <summary>A node asks a device.</summary>
    public Task<bool> AskDeviceAsync(SimulatedClusterNode node, SimulatedDevice device) =>
        Add($"{node} asks {device}", s_deviceTimeout, async () =>
        {
            if (world.Has(ClusterPlants.Stuck))
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, world.Clock).ConfigureAwait(false);
            }

            CoapRequest request = new(CoapMethod.Get, "/state") { Timeout = s_timeout };
            CoapResponse response = await node.Cluster.Devices[device.Name].SendAsync(request).ConfigureAwait(false);
            return Check(device, response, "here");
        },
        node);

    /// <summary>Something is done that ends within a time, with success or with an error of the library.</summary>
    /// <param name="what">What it is.</param>
    /// <param name="within">Within which time.</param>
    /// <param name="act">Does it; false when it did not come about.</param>
    /// <param name="node">The node that does it, whose end ends it; null for devices.</param>
    /// <returns>Whether it came about.</returns>
    public Task<bool> Add(string what, TimeSpan within, Func<Task<bool>> act, SimulatedClusterNode? node = null)
    {
        world.Journal.Asked++;
        Task<bool> doing = DoAsync(what, act);
        _operations.Add(new ClusterOperation(what, world.Clock.Elapsed, within, doing, node));
        return doing;
    }

    /// <summary>A request is carried out.</summary>
    public void OnRun(int id, SimulatedClusterNode node, string name)
    {
        CountedRequest counted = _counted[id];
        world.Journal.Note($"{node} runs {id} of {name}");
        if (name != counted.Device.Name)
        {
            world.Journal.Violate(ClusterCheck.RightAnswer, $"{node} runs request {id} of {counted.Device} for {name}");
        }

        if (node.IsInDoubt)
        {
            // Another one may have its slots by now, and it has not heard of it.
            node.LastFailure = world.Clock.Elapsed;
        }

        foreach (ClusterRunOfRequest before in counted.Runs)
        {
            bool isExcused = node.IsInDoubt || before.Node.LastFailure >= before.Time || counted.Device.Sessions != before.Sessions
                || world.WasLost(counted.Device, before.Time);
            if (!isExcused)
            {
                world.Journal.Violate(ClusterCheck.RunsOnce,
                    $"{node} runs request {id} of {counted.Device}, which {before.Node} ran at {before.Time.TotalSeconds:F3} s, "
                    + "and all who knew that live");
            }
        }

        if (counted is { IsAnswered: true, HasLaterRequest: true })
        {
            world.Journal.Violate(ClusterCheck.Replay,
                $"{node} runs request {id} of {counted.Device} again, which was answered before the device sent others");
        }

        counted.Runs.Add(new ClusterRunOfRequest(node, world.Clock.Elapsed, counted.Device.Sessions));
    }

    /// <summary>Says what has not ended within its time.</summary>
    public void CheckEnds()
    {
        foreach (ClusterOperation late in _operations.Where(one => !one.Doing.IsCompleted && !one.IsTold
            && one.Node?.Time.IsDead != true && world.Clock.Elapsed > one.Began + one.Within + TimeSpan.FromSeconds(40)))
        {
            late.IsTold = true;
            world.Journal.Violate(ClusterCheck.Ends,
                $"{late.What}, begun at {late.Began.TotalSeconds:F3} s, has not ended within {late.Within.TotalSeconds:0} s");
        }
    }

    /// <summary>Whether all have ended that somebody waits for.</summary>
    public bool HaveEnded() => _operations.TrueForAll(static one => one.Doing.IsCompleted || one.IsTold || one.Node?.Time.IsDead == true);

    public static string Uri(string path) => $"coaps://{SimulatedBalancer.Address}/{path}";

    private static Task<CoapResponse> SendAsync(SimulatedDevice device, CoapRequest request)
    {
        request.Timeout = s_timeout;
        return device.Endpoint.SendAsync(request);
    }

    private async Task<bool> DoAsync(string what, Func<Task<bool>> act)
    {
        try
        {
            bool isDone = await act().ConfigureAwait(false);
            world.Journal.Answered += isDone ? 1 : 0;
            return isDone;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException or ObjectDisposedException)
        {
            world.Journal.Note($"{what}: {exception.GetType().Name} {exception.Message}");
            return false;
        }
#pragma warning disable CA1031 // whatever it is: that is what is told
        catch (Exception exception)
#pragma warning restore CA1031
        {
            world.Journal.Violate(ClusterCheck.TypedError, $"{what}: {exception}");
            return false;
        }
    }

    private bool Check(SimulatedDevice device, CoapResponse response, string expected)
    {
        if (!response.IsSuccess)
        {
            world.Journal.Note($"{device} is answered {response.Code} {response.GetText()}");
            return false;
        }

        if (response.GetText() != expected)
        {
            world.Journal.Violate(ClusterCheck.RightAnswer, $"{device} is answered '{response.GetText()}' and not '{expected}'");
        }

        return true;
    }
}
