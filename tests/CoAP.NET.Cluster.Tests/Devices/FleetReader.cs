namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>Reads what happens at all devices, until it is disposed of, and has it all.</summary>
internal sealed class FleetReader : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly List<CoapDeviceNotification> _all = [];
    private readonly SemaphoreSlim _turns;
    private readonly Task _reading;
    private volatile bool _isSlow;

    public FleetReader(ICoapDevices devices, string path, bool isSlow = false)
    {
        _isSlow = isSlow;
        _turns = new SemaphoreSlim(0);
        _reading = ReadAsync(devices, path);
    }

    public IReadOnlyList<CoapDeviceNotification> All
    {
        get
        {
            lock (_all)
            {
                return [.. _all];
            }
        }
    }

    /// <summary>What happened at a device, in order: its state, or what it is.</summary>
    public IReadOnlyList<string> Of(string device) => [.. All.Where(one => one.Device == device).Select(static one =>
        one.Kind == CoapDeviceNotificationKind.Notified ? one.Response!.GetText() : $"{one.Kind}{one.Refusal}")];

    /// <summary>What happened at a device last; null for nothing.</summary>
    public string? LastOf(string device) => Of(device) is { Count: > 0 } all ? all[^1] : null;

    /// <summary>A slow reader takes all from now on.</summary>
    public void Hurry()
    {
        _isSlow = false;
        _turns.Release();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _reading);
        _stop.Dispose();
        _turns.Dispose();
    }

    private async Task ReadAsync(ICoapDevices devices, string path)
    {
        await foreach (CoapDeviceNotification one in devices.ObserveAsync(path, cancellationToken: _stop.Token))
        {
            lock (_all)
            {
                _all.Add(one);
            }

            if (_isSlow)
            {
                await _turns.WaitAsync(_stop.Token);
            }
        }
    }
}
