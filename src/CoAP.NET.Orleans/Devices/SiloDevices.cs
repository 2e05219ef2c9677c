using System.Collections.Concurrent;
using CoAP.NET.Cluster;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>
/// The devices of all silos: finds the silo of a device, which its grain knows and this one remembers, and sends requests there.
/// Thread-safe.
/// </summary>
/// <param name="cluster">The node.</param>
/// <param name="gateway">The devices of this silo.</param>
/// <param name="peers">The other nodes.</param>
/// <param name="nodes">The services of the silos.</param>
/// <param name="grains">The grains.</param>
/// <param name="silos">The silos that are alive.</param>
/// <param name="options">The options of the node.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">Logs exceptions of observers.</param>
/// <param name="random">Spreads retries; null for the operating system.</param>
internal sealed class SiloDevices(
    CoapCluster cluster, DeviceGateway gateway, SiloPeers peers, CoapNodeClient nodes, IGrainFactory grains, ISiloStatusOracle silos,
    IOptions<CoapClusterOptions> options, TimeProvider time, ILogger<SiloDevices> logger, CoapRandomSource? random = null)
    : IDeviceRouter
{
    // Above this number all remembered places are forgotten, and searched again.
    private const int MaxRemembered = 65_536;
    private const int Looks = 8;
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(250);

    // The silo of the device ends a request in time. For the case that it does not answer at all.
    private static readonly TimeSpan s_late = TimeSpan.FromSeconds(2);

    private readonly ConcurrentDictionary<string, SiloAddress> _places = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, int> _observations = new(StringComparer.Ordinal);
    private readonly ClusterDevices _devices = (ClusterDevices)cluster.Devices;
    private readonly SiloAddress _self = peers.Silo;
    private long _lastNumber;

    public TimeProvider Time => time;

    public CoapRandomSource Random { get; } = random ?? CoapRandomSource.Secure;

    public ILogger Logger => logger;

    /// <summary>The current number of remembered places.</summary>
    public int RememberedCount => _places.Count;

    public async Task<CoapResponse> SendAsync(
        string name, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        DeviceBytes.ThrowIfPart(request);
        using AskTime asking = new(request.Timeout, time, cancellationToken);
        try
        {
            return await AskAsync(name, key, request, asking).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (asking.IsOver)
        {
            throw new CoapDeviceUnreachableException(name,
                "it moved between silos during the request, and did not answer within the Timeout of "
                    + $"{request.Timeout!.Value.TotalSeconds:0} s. Allow more time, or try again.", !DeviceBytes.IsSafe(request));
        }
    }

    public async Task<CoapDeviceStatus> GetStatusAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        try
        {
            SiloAddress? wrong = null;
            for (int looks = 1; ; looks++)
            {
                SiloAddress place = await LocateAsync(name, key, wrong, cancellationToken).ConfigureAwait(false);
                if (await FindAtAsync(place, name, cancellationToken).ConfigureAwait(false) is { } seen)
                {
                    return new CoapDeviceStatus(name, seen.IsAsleep ? CoapDevicePresence.Asleep : CoapDevicePresence.Awake, seen.LastHeard,
                        new CoapNodeId(seen.Node));
                }

                if (looks == Looks)
                {
                    throw await _devices.FailureAsync(name, key, cancellationToken).ConfigureAwait(false);
                }

                Forget(name, wrong = place);
            }
        }
        catch (CoapDeviceAsleepException asleep)
        {
            return new CoapDeviceStatus(name, CoapDevicePresence.Asleep, asleep.LastHeard, default);
        }
        catch (CoapDeviceUnknownException)
        {
            return new CoapDeviceStatus(name, CoapDevicePresence.Unknown, null, default);
        }
    }

    public Task<CoapObservation> ObserveAsync(
        string name, byte[] key, CoapRequest request, CoapObserveOptions? observe, CancellationToken cancellationToken)
    {
        ObservedResource resource = ObservedResource.Of(name, key, request, observe?.Reregistration ?? CoapReregistration.Auto);
        int most = options.Value.Devices.MaxObservationsPerDevice;
        if (_observations.AddOrUpdate(name, 1, static (_, count) => count + 1) > most)
        {
            OnObservationEnded(name);
            throw new CoapDeviceException(name,
                $"This silo already has {most} observations of the device '{CoapForeignText.LineOf(name)}'. Dispose of "
                + "observations, or raise CoapDeviceOptions.MaxObservationsPerDevice.");
        }

        return new SiloObservation(this, resource, observe).BeginAsync(cancellationToken);
    }

    public async Task WhenAwakeAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        SiloAddress? wrong = null;
        while (true)
        {
            try
            {
                SiloAddress place = await LocateAsync(name, key, wrong, cancellationToken).ConfigureAwait(false);
                bool? isAwake = await (place.Equals(_self)
                    ? gateway.WhenAwakeAsync(name, cancellationToken)
                    : nodes.At(place).WhenDeviceAwakeAsync(name, cancellationToken)).ConfigureAwait(false);
                if (isAwake == true)
                {
                    return;
                }

                wrong = isAwake is null ? place : null;
                Forget(name, place);
            }
            catch (CoapDeviceException)
            {
                wrong = null;
                await PlacesOf(name).WhenCameAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
#pragma warning disable CA1031 // whatever the reason: the silo did not wait
            catch (Exception) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
            {
                wrong = null;
            }

            // Bounds the calls whatever fails.
            await Task.Delay(s_lookAgain, time, cancellationToken).ConfigureAwait(false);
        }
    }

    public async Task<bool> TryForgetAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        _places.TryRemove(name, out _);
        gateway.Drop(name, null, isForgotten: true);
        foreach (SiloAddress silo in silos.GetActiveSilos().Where(silo => !silo.Equals(_self)))
        {
            await nodes.At(silo).DropDeviceAsync(name, null, isForgotten: true).ConfigureAwait(false);
        }

        return await gateway.Records.TryRemoveAsync(key, cancellationToken).ConfigureAwait(false);
    }

    public async Task<CoapResponse?> AskOutboxAsync(CoapNodeId home, CoapRequest question, CancellationToken cancellationToken)
    {
        try
        {
            return peers.ServiceOf(home) is { } service
                ? DeviceBytes.ResponseOf(
                    await service.AskOutboxAsync(DeviceBytes.Of(question), cancellationToken).ConfigureAwait(false))
                : null;
        }
#pragma warning disable CA1031 // whatever the reason: the node is asked again, and takes a request once
        catch (Exception) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
        {
            return null;
        }
    }

    /// <summary>Records the end of an observation.</summary>
    /// <param name="name">The name of the device.</param>
    public void OnObservationEnded(string name)
    {
        int left = _observations.AddOrUpdate(name, 0, static (_, count) => count - 1);
        if (left == 0)
        {
            _observations.TryRemove(KeyValuePair.Create(name, 0));
        }
    }

    /// <summary>Returns a number for an observation at another silo.</summary>
    public long NextNumber() => Interlocked.Increment(ref _lastNumber);

    /// <summary>Returns the state of a device's resource, when it is another one than returned last.</summary>
    /// <param name="place">The silo of the device.</param>
    /// <param name="number">The number of the observation.</param>
    /// <param name="resource">The resource.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public Task<DeviceNews> ObserveAtAsync(
        SiloAddress place, long number, byte[] resource, CancellationToken cancellationToken) =>
        place.Equals(_self)
            ? gateway.ObserveAsync(cluster.Self.Id.Value, number, resource, cancellationToken)
            : nodes.At(place).ObserveDeviceAsync(cluster.Self.Id.Value, number, resource, cancellationToken);

    /// <summary>Ends an observation.</summary>
    /// <param name="place">The silo of the device.</param>
    /// <param name="number">The number of the observation.</param>
    public void EndAt(SiloAddress place, long number)
    {
        if (place.Equals(_self))
        {
            gateway.EndObservation(cluster.Self.Id.Value, number);
        }
        else
        {
            nodes.At(place).EndObservationAsync(cluster.Self.Id.Value, number).Ignore();
        }
    }

    /// <summary>Forgets the remembered silo of a device, which was wrong.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="place">The silo.</param>
    public void Forget(string name, SiloAddress place) => _places.TryRemove(KeyValuePair.Create(name, place));

    /// <summary>Returns the silo of a device. A device that was somewhere a moment ago may be moving, and is awaited.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="wrong">A silo that just did not have it; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapDeviceException">No silo has it.</exception>
    public async Task<SiloAddress> LocateAsync(string name, byte[] key, SiloAddress? wrong, CancellationToken cancellationToken)
    {
        Exception? failure = null;
        bool mayMove = wrong is not null;
        for (int looks = 1; ; looks++)
        {
            if (gateway.Local.TryFind(name) is not null)
            {
                return _self;
            }

            if (_places.TryGetValue(name, out SiloAddress? known) && !known.Equals(wrong) && !known.Equals(_self)
                && !silos.IsDeadSilo(known))
            {
                return known;
            }

            bool isCertain = false;
            try
            {
                (SiloAddress? place, isCertain) = await PlacesOf(name).FindAsync(wrong).WaitAsync(cancellationToken).ConfigureAwait(false);
                if (place is not null)
                {
                    Remember(name, place);
                    return place;
                }

                // The silos were asked. The grain hears of a device that comes.
                wrong = null;
            }
#pragma warning disable CA1031 // whatever the reason: the grain did not tell
            catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
            {
                failure = exception;
            }

            if (looks == Looks || (isCertain && !mayMove))
            {
                throw isCertain
                    ? await _devices.FailureAsync(name, key, cancellationToken).ConfigureAwait(false)
                    : new CoapDeviceUnreachableException(name,
                        $"no silo that answered has its session, and another one did not answer. {failure?.Message}", false, failure);
            }

            await Task.Delay(s_lookAgain, time, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<CoapResponse> AskAsync(string name, byte[] key, CoapRequest request, AskTime asking)
    {
        byte[]? bytes = null;
        SiloAddress? wrong = null;

        // Whether an attempt before this one may have taken effect.
        bool isDoubtful = false;
        for (int looks = 1; ; looks++)
        {
            try
            {
                SiloAddress place = await LocateAsync(name, key, wrong, asking.Token).ConfigureAwait(false);
                CoapDeviceException? failure = null;
                CoapResponse? response;
                if (place.Equals(_self))
                {
                    CoapRequest own = bytes is null ? request : DeviceWire.Unwrap(DeviceBytes.RequestOf(bytes));
                    own.Timeout = request.Timeout;
                    response = gateway.Local.TryFind(name) is { } device
                        ? await device.TrySendAsync(own, asking.Token).ConfigureAwait(false)
                        : null;
                }
                else
                {
                    bytes ??= await DeviceBytes.OfRequestAsync(name, key, request, asking.Token).ConfigureAwait(false);
                    (response, failure) = await AskAtAsync(place, name, request, bytes, asking).ConfigureAwait(false);
                }

                if (response is not null)
                {
                    return bytes is null
                        ? response
                        : await DeviceBytes.PassOnAsync(response, request, asking.Token).ConfigureAwait(false);
                }

                isDoubtful |= failure is { IsOutcomeUnknown: true };
                if (looks == Looks)
                {
                    throw failure ?? await _devices.FailureAsync(name, key, asking.Token).ConfigureAwait(false);
                }

                asking.GoOn();
                Forget(name, wrong = place);
            }
            catch (CoapDeviceException exception) when (isDoubtful && !exception.IsOutcomeUnknown)
            {
                throw new CoapDeviceUnreachableException(name,
                    $"its session ended before it answered. {exception.Message}", isOutcomeUnknown: true, exception);
            }

            await Task.Delay(looks == 1 ? TimeSpan.Zero : s_lookAgain, time, asking.Token).ConfigureAwait(false);
        }
    }

    // Without a response the request may be sent to the next silo.
    private async Task<(CoapResponse? Response, CoapDeviceException? Failure)> AskAtAsync(
        SiloAddress place, string name, CoapRequest request, byte[] bytes, AskTime asking)
    {
        TimeSpan? limit = request.Timeout is { } whole && whole != Timeout.InfiniteTimeSpan ? whole + s_late : null;
        using CancellationTokenSource late = new(limit ?? Timeout.InfiniteTimeSpan, time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(asking.Token, late.Token);
        CoapResponse response;
        try
        {
            response = DeviceBytes.ResponseOf(
                await nodes.At(place).AskDeviceAsync(bytes, request.Timeout, either.Token).ConfigureAwait(false));
        }
#pragma warning disable CA1031 // whatever the reason: the silo did not answer
        catch (Exception exception) when (!asking.Token.IsCancellationRequested)
#pragma warning restore CA1031
        {
            CoapDeviceUnreachableException failure = new(name,
                $"silo {place}, which has its session, did not answer. {exception.Message}", !DeviceBytes.IsSafe(request), exception);
            return LocalDevice.IsHarmlessTwice(request, failure.IsOutcomeUnknown) && !late.IsCancellationRequested
                ? (null, failure)
                : throw failure;
        }

        if (!DeviceWire.IsFailure(response))
        {
            return (response, null);
        }

        CoapDeviceException? told = DeviceWire.FailureOf(response, name);
        return told is null or { HasMoved: true } ? (null, told) : throw told;
    }

    private async Task<DeviceSighting?> FindAtAsync(SiloAddress place, string name, CancellationToken cancellationToken)
    {
        try
        {
            return place.Equals(_self)
                ? gateway.TryFind(name)
                : await nodes.At(place).FindDeviceAsync(name).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the reason: the silo does not tell
        catch (Exception) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
        {
            return null;
        }
    }

    private IDevicePlaces PlacesOf(string name) => grains.GetGrain<IDevicePlaces>(name);

    private void Remember(string name, SiloAddress place)
    {
        if (_places.Count >= MaxRemembered)
        {
            _places.Clear();
        }

        _places[name] = place;
    }
}
