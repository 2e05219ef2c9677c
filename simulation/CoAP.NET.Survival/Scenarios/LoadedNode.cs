namespace CoAP.NET.Survival.Scenarios;

/// <summary>A node, and devices that ask it without a pause whenever it is their turn.</summary>
internal sealed class LoadedNode : IDisposable
{
    // Until all devices are under way.
    private static readonly TimeSpan s_settle = TimeSpan.FromMilliseconds(300);

    // Longer than devices stand still, so that they do not repeat requests whose answers wait for them.
    private static readonly DeviceTimes s_times = new(TimeSpan.Zero, int.MaxValue, TimeSpan.FromSeconds(30), int.MaxValue);

    private readonly NodeFolder _folder;
    private readonly NodeProcess _node;
    private readonly DevicesProcess _devices;
    private TimeSpan _cpu;
    private long _answered;

    private LoadedNode(NodeFolder folder, NodeProcess node, DevicesProcess devices, bool isDurable)
    {
        _folder = folder;
        _node = node;
        _devices = devices;
        IsDurable = isDurable;
    }

    /// <summary>Whether it has a store.</summary>
    public bool IsDurable { get; }

    /// <summary>Its processor time for a request since <see cref="Reset"/>, in microseconds.</summary>
    public double CostOfRequest => _cpu.TotalMicroseconds / Math.Max(1, _answered);

    /// <summary>Starts one; its devices stand still.</summary>
    /// <param name="isDurable">Whether it has a store.</param>
    /// <param name="count">How many devices there are.</param>
    public static async Task<LoadedNode> StartAsync(bool isDurable, int count)
    {
        NodeFolder folder = new();
        NodeProcess? node = null;
        try
        {
            node = await NodeProcess.StartAsync("A", folder.Arguments(isDurable));
            DevicesProcess devices = await DevicesProcess.StartAsync(node.Backend.Address, 0, count, s_times);
            await devices.RunAsync();
            devices.Freeze();
            return new LoadedNode(folder, node, devices, isDurable);
        }
        catch
        {
            node?.Dispose();
            folder.Dispose();
            throw;
        }
    }

    /// <summary>Forgets what was measured.</summary>
    public void Reset() => (_cpu, _answered) = (TimeSpan.Zero, 0);

    /// <summary>Has its devices ask, and measures.</summary>
    /// <param name="time">For how long.</param>
    public async Task AskAsync(TimeSpan time)
    {
        _devices.Thaw();
        await Task.Delay(s_settle, TimeProvider.System, CancellationToken.None);
        (TimeSpan cpu, long answered) = (_node.Cpu, await _devices.AnsweredAsync());
        await Task.Delay(time, TimeProvider.System, CancellationToken.None);
        _cpu += _node.Cpu - cpu;
        _answered += await _devices.AnsweredAsync() - answered;
        _devices.Freeze();
    }

    /// <summary>Has its devices end.</summary>
    /// <returns>What they have counted.</returns>
    public async Task<DeviceFigures> EndAsync()
    {
        _devices.Thaw();
        return await _devices.EndAsync();
    }

    public void Dispose()
    {
        _devices.Dispose();
        _node.Dispose();
        _folder.Dispose();
    }
}
