using System.Collections.Concurrent;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Devices.Observing;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Orleans.Nodes;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>
/// The devices of all silos: finds the silo of a device by its grain, caches it, and sends requests there.
/// Thread-safe.
/// </summary>
/// <param name="cluster">The node.</param>
/// <param name="gateway">The devices of this silo.</param>
/// <param name="network">Knows this silo.</param>
/// <param name="calls">Calls the silos.</param>
/// <param name="grains">The grains.</param>
/// <param name="silos">The silos that are alive.</param>
/// <param name="time">The clock.</param>
internal sealed class SiloDeviceRouter(
    CoapCluster cluster, DeviceGateway gateway, SiloNetwork network, CoapDeviceClient calls, IGrainFactory grains,
    ISiloStatusOracle silos, TimeProvider time) : IDeviceRouter
{
    // Above this number all remembered places are forgotten, and searched again.
    private const int MaxRemembered = 65_536;
    private const int Looks = 8;
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(250);

    // The silo of the device ends a request in time. For the case that it does not answer at all.
    private static readonly TimeSpan s_late = TimeSpan.FromSeconds(2);

    private readonly ConcurrentDictionary<string, SiloAddress> _places = new(StringComparer.Ordinal);
    private readonly ClusterDevices _devices = (ClusterDevices)cluster.Devices;
    private readonly SiloAddress _self = network.Silo;
    private long _lastNumber;

    public int RememberedCount => _places.Count;

    public async Task<CoapResponse?> TrySendAsync(string name, CoapRequest request, CancellationToken cancellationToken)
    {
        DeviceBodies.ThrowIfPart(request);
        TimeSpan? whole = request.Timeout == Timeout.InfiniteTimeSpan ? null : request.Timeout;
        using CancellationTokenSource late = new(whole + s_late ?? Timeout.InfiniteTimeSpan, time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, late.Token);
        try
        {
            return await AskAsync(name, request, whole, either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw CoapDeviceException.Unreachable(name,
                $"it did not answer within the Timeout of {whole!.Value.TotalSeconds:0} s, perhaps because it moved between silos during "
                + "the request. Allow more time, or try again.", !DeviceRequestMessageFactory.IsSafe(request));
        }
    }

    public async Task<IDeviceNotificationFeed?> TryObserveAsync(
        ObservedResource resource, IDeviceNotificationFeed? wrong, CancellationToken cancellationToken)
    {
        SiloAddress? noPlace = wrong is null ? null : (wrong as RemoteDeviceFeed)?.Silo ?? _self;
        SiloAddress? place = await LocateAsync(resource.Device, noPlace, cancellationToken).ConfigureAwait(false);
        return place is not null && !place.Equals(_self)
            ? new RemoteDeviceFeed(this, resource, place, calls, Interlocked.Increment(ref _lastNumber))
            : place is not null && gateway.Local.TryFind(resource.Device) is { } device
                ? await LocalDeviceObservation.StartAsync(device, resource, cancellationToken).ConfigureAwait(false)
                : null;
    }

    public async Task<CoapDeviceStatus?> FindAsync(string name, CancellationToken cancellationToken)
    {
        SiloAddress? wrong = null;
        for (int looks = 1; looks <= Looks; looks++)
        {
            if (await LocateAsync(name, wrong, cancellationToken).ConfigureAwait(false) is not { } place)
            {
                return null;
            }

            if (await FindAtAsync(place, name, cancellationToken).ConfigureAwait(false) is { } seen)
            {
                return new CoapDeviceStatus(name, seen.IsAsleep ? CoapDevicePresence.Asleep : CoapDevicePresence.Awake, seen.LastHeard,
                    $"{new CoapNodeId(seen.Node)}");
            }

            Forget(name, wrong = place);
        }

        return null;
    }

    public async Task WhenAwakeAsync(string name, CancellationToken cancellationToken)
    {
        SiloAddress? wrong = null;
        while (true)
        {
            try
            {
                if (await LocateAsync(name, wrong, cancellationToken).ConfigureAwait(false) is { } place)
                {
                    bool? isAwake = await (place.Equals(_self)
                        ? gateway.WhenAwakeAsync(name, cancellationToken)
                        : calls.At(place).WhenAwakeAsync(name, cancellationToken)).ConfigureAwait(false);
                    if (isAwake == true)
                    {
                        return;
                    }

                    wrong = isAwake is null ? place : null;
                    Forget(name, place);
                }
                else
                {
                    wrong = null;
                    await PlacesOf(name).WhenArrivedAsync(cancellationToken).ConfigureAwait(false);
                }
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

    public async Task<bool> TryForgetAsync(string name, CancellationToken cancellationToken)
    {
        _places.TryRemove(name, out _);
        gateway.Drop(name, null, isForgotten: true);

        // The silo of the device may have a note of it under way, so the removal must follow that.
        await Task.WhenAll(calls.Silos.Where(silo => !silo.Equals(_self)).Select(silo => ForgetAtAsync(silo, name, cancellationToken)))
            .ConfigureAwait(false);
        return await _devices.Records.TryRemoveAsync(name, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Forgets the remembered silo of a device, which was wrong.</summary>
    public void Forget(string name, SiloAddress place) => _places.TryRemove(KeyValuePair.Create(name, place));

    // Returns the silo of a device; null if no silo has it. A device that was somewhere a moment ago may be moving, and is awaited.
    private async Task<SiloAddress?> LocateAsync(string name, SiloAddress? wrong, CancellationToken cancellationToken)
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

                // The silos have been asked. The grain is notified of a device that comes.
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
                return isCertain
                    ? null
                    : throw CoapDeviceException.Unreachable(name,
                        $"no silo that answered has its session, and another one did not answer. {failure?.Message}", false, failure);
            }

            await Task.Delay(s_lookAgain, time, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<CoapResponse?> AskAsync(
        string name, CoapRequest request, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        long started = time.GetTimestamp();
        CoapRequest? whole = null;
        SiloAddress? wrong = null;

        // Whether an attempt before this one may have taken effect.
        bool isDoubtful = false;
        for (int looks = 1; ; looks++)
        {
            try
            {
                if (await LocateAsync(name, wrong, cancellationToken).ConfigureAwait(false) is not { } place)
                {
                    return isDoubtful ? throw CoapDeviceException.Unreachable(name, "no silo has its session now.") : null;
                }

                // The first silo enforces the timeout; later ones get the rest of it, and what is later than that is canceled here.
                TimeSpan? left = looks > 1 && timeout - time.GetElapsedTime(started) is { Ticks: > 0 } rest ? rest : request.Timeout;
                CoapResponse? response;
                CoapDeviceException? failure;
                if (place.Equals(_self))
                {
                    CoapRequest own = whole is null ? request : WithTimeout(whole, left);
                    (response, failure) = await gateway.TryAskAsync(name, own, cancellationToken).ConfigureAwait(false);
                }
                else
                {
                    whole ??= await DeviceBodies.ReadAsync(name, request, cancellationToken).ConfigureAwait(false);
                    (response, failure) = await AskAtAsync(place, name, WithTimeout(whole, left), cancellationToken).ConfigureAwait(false);
                }

                if (response is not null)
                {
                    return whole is null
                        ? response
                        : await DeviceBodies.PassOnAsync(response, request, cancellationToken).ConfigureAwait(false);
                }

                if (failure is not null
                    && (!failure.HasMoved || looks == Looks || (whole is null && !DeviceRequestMessageFactory.IsWhole(request))))
                {
                    throw failure;
                }

                isDoubtful |= failure is { IsOutcomeUnknown: true };
                Forget(name, wrong = place);
                if (looks == Looks)
                {
                    throw await _devices.FailureAsync(name, cancellationToken).ConfigureAwait(false);
                }
            }
            catch (CoapDeviceException exception) when (isDoubtful && !exception.IsOutcomeUnknown)
            {
                throw CoapDeviceException.Unreachable(name,
                    $"its session ended before it answered. {exception.Message}", isOutcomeUnknown: true, exception);
            }

            await Task.Delay(looks == 1 ? TimeSpan.Zero : s_lookAgain, time, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<(CoapResponse? Response, CoapDeviceException? Failure)> AskAtAsync(
        SiloAddress place, string name, CoapRequest request, CancellationToken cancellationToken)
    {
        try
        {
            CoapDeviceAnswer answer = await calls.At(place).SendAsync(name, request, cancellationToken).ConfigureAwait(false);
            return answer.IsNotHere ? default : (answer.Response, answer.Failure);
        }
#pragma warning disable CA1031 // whatever the reason: the silo did not answer
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
        {
            bool isUnknown = !DeviceRequestMessageFactory.IsSafe(request);
            return (null, CoapDeviceException.Unreachable(name,
                $"silo {place}, which has its session, did not answer. {exception.Message}", isUnknown, exception,
                DeviceRequestMessageFactory.IsHarmlessTwice(request, isUnknown)));
        }
    }

    private async Task<DeviceSighting?> FindAtAsync(SiloAddress place, string name, CancellationToken cancellationToken)
    {
        try
        {
            return place.Equals(_self)
                ? gateway.TryFind(name)
                : await calls.At(place).FindAsync(name, cancellationToken).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the reason: the silo does not tell
        catch (Exception) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
        {
            return null;
        }
    }

    private async Task ForgetAtAsync(SiloAddress place, string name, CancellationToken cancellationToken)
    {
        try
        {
            await calls.At(place).ForgetAsync(name, cancellationToken).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the reason: a silo that does not answer has no device that others can reach
        catch (Exception) when (!cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
        {
        }
    }

    // An attempt of a request: each has a message of its own.
    private static CoapRequest WithTimeout(CoapRequest whole, TimeSpan? timeout) =>
        new(DeviceRequestMessageFactory.Of(whole)) { Confirmable = whole.Confirmable, Timeout = timeout };

    private IDeviceDirectory PlacesOf(string name) => grains.GetGrain<IDeviceDirectory>(name);

    private void Remember(string name, SiloAddress place)
    {
        if (_places.Count >= MaxRemembered)
        {
            _places.Clear();
        }

        _places[name] = place;
    }
}
