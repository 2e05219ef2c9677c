using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using Orleans.Concurrency;
using Orleans.Placement;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Knows which silo has the newest session of a device.</summary>
/// <param name="cluster">The node, for requests through the grain.</param>
/// <param name="calls">Calls the silos.</param>
/// <param name="silos">The silos that are alive.</param>
/// <param name="self">The silo of the grain.</param>
/// <param name="time">The clock.</param>
[GrainType("coap.device"), Reentrant, PreferLocalPlacement]
internal sealed class DeviceGrain(
    CoapCluster cluster, CoapDeviceClient calls, ISiloStatusOracle silos, ILocalSiloDetails self, TimeProvider time)
    : Grain, IDeviceGrain, IDeviceDirectory
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_moving = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_searchAgain = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromSeconds(30);

    private TaskCompletionSource _came = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task<DeviceLocation>? _search;
    private SiloAddress? _silo;
    private long _number;

    // Counts the reports. After an await another one is newer.
    private long _reports;
    private long? _knownSince;
    private long? _departedAt;

    private string Name => this.GetPrimaryKeyString();

    private bool IsThere => _silo is not null && !silos.IsDeadSilo(_silo);

    public async Task<CoapDeviceAnswer> SendAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        bool isSafe = DeviceRequestMessageFactory.IsSafe(request);
        try
        {
            CoapResponse response = await cluster.Devices[Name].SendAsync(request, cancellationToken).ConfigureAwait(true);
            return CoapDeviceAnswer.Of(Name, response, null, isSafe);
        }
        catch (CoapDeviceException exception)
        {
            return CoapDeviceAnswer.Of(Name, null, exception, isSafe);
        }
    }

    public async Task<DeviceLocation> FindAsync(SiloAddress? wrong)
    {
        if (IsThere && !_silo!.Equals(wrong))
        {
            return new DeviceLocation(_silo, IsCertain: true);
        }

        if (_silo is null && _departedAt is { } went && s_moving - time.GetElapsedTime(went) is { Ticks: > 0 } left)
        {
            // It may be on its way with its slot.
            await _came.Task.WaitAsync(left, time)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
            if (IsThere)
            {
                return new DeviceLocation(_silo, IsCertain: true);
            }
        }

        // A silo reports a device that comes, so this is for reports that were lost with a grain.
        bool isNowhere = _silo is null && _knownSince is { } since && time.GetElapsedTime(since) < s_searchAgain;
        return isNowhere && wrong is null
            ? new DeviceLocation(null, IsCertain: true)
            : await SearchOnceAsync().ConfigureAwait(true);
    }

    public async Task<DeviceArrival> ArrivedAsync(SiloAddress silo, long number, TimeSpan? silence) =>
        new(await IsNewestAsync(silo, number, silence).ConfigureAwait(true), self.SiloAddress);

    public Task DepartedAsync(SiloAddress silo, long number)
    {
        if (silo.Equals(_silo) && number == _number)
        {
            Set(null, 0);
            _departedAt = _knownSince;
        }

        return Task.CompletedTask;
    }

    public async Task WhenArrivedAsync(CancellationToken cancellationToken)
    {
        if (!IsThere)
        {
            await _came.Task.WaitAsync(s_longestWait, time, cancellationToken)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        }
    }

    private async Task<bool> IsNewestAsync(SiloAddress silo, long number, TimeSpan? silence)
    {
        while (!silo.Equals(_silo) || number > _number)
        {
            if (silence is { } silent && IsThere && !silo.Equals(_silo))
            {
                // Opened elsewhere, and perhaps older than the known one, whose silo knows when that spoke last.
                long reports = _reports;
                (DeviceSighting? known, _) = await AskAsync(_silo!).ConfigureAwait(true);
                if (_reports != reports)
                {
                    continue;
                }

                if (known?.Silence <= silent)
                {
                    return false;
                }
            }

            if (IsThere)
            {
                // Its end may not be known there yet.
                Drop(_silo!, silo, _number);
            }

            Set(silo, number);
        }

        return true;
    }

    private void Set(SiloAddress? silo, long number)
    {
        (_silo, _number, _knownSince) = (silo, number, time.GetTimestamp());
        _reports++;

        // An idle grain would be forgotten, and an older session that is restored would then replace the current one.
        DelayDeactivation(silo is null ? TimeSpan.FromTicks(-1) : TimeSpan.MaxValue);
        if (silo is not null)
        {
            _came.TrySetResult();
            _came = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    private void Drop(SiloAddress silo, SiloAddress newest, long number)
    {
        if (!silo.Equals(newest))
        {
            calls.At(silo).DropAsync(Name, number).Ignore();
        }
    }

    private Task<DeviceLocation> SearchOnceAsync() => _search ??= SearchAsync();

    private async Task<DeviceLocation> SearchAsync()
    {
        // The field is set before it is cleared.
        await Task.CompletedTask
            .ConfigureAwait(ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.ContinueOnCapturedContext);
        try
        {
            long reports = _reports;
            SiloAddress[] all = calls.Silos;
            (DeviceSighting? Seen, bool HasAnswered)[] answers = await Task.WhenAll(all.Select(AskAsync)).ConfigureAwait(true);
            if (_reports != reports && IsThere)
            {
                return new DeviceLocation(_silo, IsCertain: true);
            }

            int newest = -1;
            for (int i = 0; i < all.Length; i++)
            {
                if (answers[i].Seen is { } seen && (newest < 0 || seen.Silence < answers[newest].Seen!.Value.Silence))
                {
                    newest = i;
                }
            }

            bool isCertain = Array.TrueForAll(answers, static answer => answer.HasAnswered);
            if (newest < 0)
            {
                Set(null, 0);
                _knownSince = isCertain ? _knownSince : null;
                return new DeviceLocation(null, isCertain);
            }

            Set(all[newest], answers[newest].Seen!.Value.Number);
            for (int i = 0; i < all.Length; i++)
            {
                if (answers[i].Seen is { } older)
                {
                    Drop(all[i], all[newest], older.Number);
                }
            }

            return new DeviceLocation(_silo, IsCertain: true);
        }
        finally
        {
            _search = null;
        }
    }

    private async Task<(DeviceSighting? Seen, bool HasAnswered)> AskAsync(SiloAddress silo)
    {
        try
        {
            return (await calls.At(silo).FindAsync(Name, CancellationToken.None).WaitAsync(s_deadline, time).ConfigureAwait(true), true);
        }
#pragma warning disable CA1031 // whatever the reason: this silo does not tell
        catch (Exception)
#pragma warning restore CA1031
        {
            // A silo that died meanwhile has no devices.
            return (null, silos.IsDeadSilo(silo));
        }
    }
}
