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
    public string DescribeUnderWay() => string.Join("; ", _operations.Where(one => !one.Doing.IsCompleted).Take(MaxShown)
        .Select(one => $"{one.What}, since {one.Began.TotalSeconds:F3} s"));

    /// <summary>Which number a request bears, and how long its handler takes.</summary>
    public static (int Id, int Wait) Parse(CoapRequestContext request)
    {
        string[] parts = string.Concat(request.Queries).Split('-');
        return (int.Parse(parts[0]), int.Parse(parts[1]));
    }

    /// <summary>The device of a request with a number.</summary>
    public SimulatedDevice DeviceOf(int id) => _counted[id].Device;

    /// <summary>A device asks who it is.</summary>
    public Task<bool> AskAsync(SimulatedDevice device) => Add($"{device} asks", s_timeout, async () =>
    {
        (TimeSpan began, CoapResponse response) = await SendAsync(device, new CoapRequest(CoapMethod.Get, Uri("who")));
        return Check(device, response, began, text => text == device.Name, device.Name);
    });

    /// <summary>A device reads a counter.</summary>
    /// <param name="device">The device.</param>
    /// <param name="path">The path of the counter.</param>
    /// <param name="counter">Its name in the history.</param>
    public Task<bool> ReadAsync(SimulatedDevice device, string path, string counter) =>
        Add($"{device} reads {path}", s_timeout, async () =>
        {
            CounterOperation read = world.History.Begin(device.Name, counter, isAddition: false, world.Clock.Elapsed);
            (TimeSpan began, CoapResponse response) = await SendAsync(device, new CoapRequest(CoapMethod.Get, Uri(path)));
            int value = 0;
            bool isRead = Check(device, response, began, text => int.TryParse(text, out value), "a number");
            if (isRead)
            {
                read.End(value, world.Clock.Elapsed);
            }

            return isRead;
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

            CounterOperation addition = world.History.Begin(device.Name, device.Counter, isAddition: true, world.Clock.Elapsed);
            (TimeSpan began, CoapResponse response) =
                await SendAsync(device, new CoapRequest(CoapMethod.Post, Uri($"count?{id}-{wait}")));
            counted.IsAnswered = true;
            int value = 0;
            bool isCounted = Check(device, response, began,
                text => text.Split('=') is [var own, var rest] && own == $"{id}" && int.TryParse(rest, out value), $"{id} and a number");
            if (isCounted && counted.Runs.Count == 0)
            {
                world.Journal.Violate(ClusterCheck.Lost, $"request {id} of {device} is answered, and no node ran it");
            }
            else if (isCounted)
            {
                addition.End(value, world.Clock.Elapsed);
            }

            return isCounted;
        });
    }

    /// <summary>A node asks a device.</summary>
    public Task<bool> AskDeviceAsync(SimulatedClusterNode node, SimulatedDevice device) =>
        Add($"{node} asks {device}", s_deviceTimeout, async () =>
        {
            if (world.Has(ClusterPlants.Stuck))
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, world.Clock);
            }

            CoapRequest request = new(CoapMethod.Get, "/state") { Timeout = s_timeout };
            TimeSpan began = world.Clock.Elapsed;
            CoapResponse response = await node.Cluster.Devices[device.Name].SendAsync(request);
            return Check(device, response, began, text => text == "here", "here");
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

    /// <summary>A node runs a request.</summary>
    /// <returns>The value of the counter of the device.</returns>
    public int OnRun(int id, SimulatedClusterNode node, string name)
    {
        CountedRequest counted = _counted[id];
        world.Journal.Note($"{node} runs {id} of {name}");
        if (name != counted.Device.Name)
        {
            world.Journal.Violate(ClusterCheck.RightAnswer, $"{node} runs request {id} of {counted.Device} for {name}");
        }

        world.Journal.Repeated += counted.Runs.Count > 0 ? 1 : 0;
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

        // A process that continues after a suspension while the store is away serves with its slots after a lease (SuspensionDetector): it
        // cannot know that others have them.
        bool hasOldState = node is { WasSuspended: true, IsInDoubt: true };
        if (counted is { IsAnswered: true, HasLaterRequest: true } && !hasOldState)
        {
            world.Journal.Violate(ClusterCheck.Replay,
                $"{node} runs request {id} of {counted.Device} again, which was answered before the device sent others");
        }

        counted.Runs.Add(new ClusterRunOfRequest(node, world.Clock.Elapsed, counted.Device.Sessions));
        return world.History.Add(counted.Device.Counter, world.Clock.Elapsed);
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
    public bool HaveEnded() => _operations.TrueForAll(one => one.Doing.IsCompleted || one.IsTold || one.Node?.Time.IsDead == true);

    public static string Uri(string path) => $"coaps://{SimulatedBalancer.Address}/{path}";

    private async Task<(TimeSpan Began, CoapResponse Response)> SendAsync(SimulatedDevice device, CoapRequest request)
    {
        request.Timeout = s_timeout;
        TimeSpan began = world.Clock.Elapsed;
        CoapResponse response = await device.Endpoint.SendAsync(request);
        world.Journal.OnAnswered(began);
        return (began, response);
    }

    private async Task<bool> DoAsync(string what, Func<Task<bool>> act)
    {
        try
        {
            bool isDone = await act();
            world.Journal.Answered += isDone ? 1 : 0;
            return isDone;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException or ObjectDisposedException)
        {
            world.Journal.Note($"{what}: {exception.GetType().Name} {exception.Message}");
            return false;
        }
        // Whatever it is: that is what is told.
        catch (Exception exception)
        {
            world.Journal.Violate(ClusterCheck.TypedError, $"{what}: {exception}");
            return false;
        }
    }

    private bool Check(
        SimulatedDevice device, CoapResponse response, TimeSpan began, Predicate<string> isExpected, string expected)
    {
        if (!response.IsSuccess)
        {
            world.Journal.Note($"{device} is answered {response.Code} {response.GetText()}");
            return false;
        }

        if (!isExpected(response.GetText()))
        {
            world.Journal.Violate(ClusterCheck.RightAnswer, $"{device} is answered '{response.GetText()}' and not '{expected}'");
        }

        world.Withdrawals.CheckAnswer(device, began, $"a request of {device} or for it");
        return true;
    }
}

/// <summary>An unsafe request.</summary>
/// <param name="Device">Whose.</param>
/// <param name="Sessions">How many sessions it had opened before.</param>
internal sealed record CountedRequest(SimulatedDevice Device, int Sessions)
{
    public List<ClusterRunOfRequest> Runs { get; } = [];

    /// <summary>Whether its answer has come to the device.</summary>
    public bool IsAnswered { get; set; }

    /// <summary>Whether the device has sent another one after that.</summary>
    public bool HasLaterRequest { get; set; }
}

/// <summary>That it was carried out.</summary>
/// <param name="Node">Where.</param>
/// <param name="Time">When.</param>
/// <param name="Sessions">How many sessions the device had opened by then.</param>
internal sealed record ClusterRunOfRequest(SimulatedClusterNode Node, TimeSpan Time, int Sessions);
