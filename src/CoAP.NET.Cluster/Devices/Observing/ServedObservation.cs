namespace CoAP.NET.Cluster;

/// <summary>
/// An observation of this node at one of its devices for other nodes, with one registration for all of them. It keeps the latest
/// notification and notifies the route, which passes it to those nodes. Thread-safe.
/// </summary>
/// <param name="resource">The resource.</param>
/// <param name="device">The device.</param>
/// <param name="route">The route that the nodes observe.</param>
/// <param name="time">The clock.</param>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class ServedObservation(
    ObservedResource resource, LocalDevice device, CoapRouteHandlerBuilder route, TimeProvider time)
#pragma warning restore CA1001
{
    // RFC 7252 section 5.10.5.
    private static readonly TimeSpan s_defaultMaxAge = TimeSpan.FromSeconds(60);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CoapRequest _named = NamedBy(resource.Id);
    private CoapObservation? _observation;
    private CoapResponse? _notification;
    private CoapResult? _latest;
    private long _receivedAt;
    private bool _isOver;

    /// <summary>The number of waiting and unanswered requests. Guarded by the gate of <see cref="ServedObservations"/>.</summary>
    public int Joining { get; set; }

    /// <summary>How often in a row it had no observers. Guarded by the gate of <see cref="ServedObservations"/>.</summary>
    public int Idle { get; set; }

    /// <summary>Whether it no longer delivers changes.</summary>
    public bool IsOver
    {
        get
        {
            lock (_gate)
            {
                return _isOver;
            }
        }
    }

    /// <summary>The current number of observing nodes.</summary>
    public int Observers => route.CountObservers(_named);

    /// <summary>Creates a request that names the path of a resource.</summary>
    /// <param name="id">Its identifier.</param>
    public static CoapRequest NamedBy(string id) => new(DeviceWire.Observe([], id).Message);

    /// <summary>Registers at the device.</summary>
    public async Task RunAsync()
    {
        try
        {
            CoapReregistration rule = CoapReregistration.NotMoreOftenThan(resource.MinimumInterval);
            CoapObservation made = await device.ObserveAsync(
                resource.ToDevice(), new CoapObserveOptions { Reregistration = rule, OnNotification = Take }, _stop.Token)
                .ConfigureAwait(false);
            bool isOver;
            lock (_gate)
            {
                _observation = made;
                isOver = _isOver;
            }

            if (isOver)
            {
                await made.DisposeAsync().ConfigureAwait(false);
                return;
            }

            made.StateChanged += (_, _) => OnState(made);
            if (made.Latest is { } latest)
            {
                Take(latest);
            }

            OnState(made);
            _ = device.Gone.UnsafeRegister(static served => ((ServedObservation)served!).OnGone(), this);
        }
        catch (CoapDeviceException exception)
        {
            End(DeviceWire.Wrap(exception), isLeft: false);
        }
        catch (OperationCanceledException)
        {
            // It was ended because it has no observers.
        }
        finally
        {
            _first.TrySetResult();
        }
    }

    /// <summary>Returns the state of the resource, or the failure, as soon as it is known.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapResult> GetAsync(CancellationToken cancellationToken)
    {
        await _first.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        lock (_gate)
        {
            CoapResult result = (_latest ?? DeviceWire.Wrap((CoapDeviceException?)null)).Copy();
            if (_latest is { Code.IsSuccess: true })
            {
                // The rest of its Max-Age (RFC 7252 section 5.6.1).
                TimeSpan left = (_latest.Options.MaxAge ?? s_defaultMaxAge) - time.GetElapsedTime(_receivedAt);
                result.WithMaxAge(TimeSpan.FromSeconds(Math.Max(0, Math.Floor(left.TotalSeconds))));
            }

            return result;
        }
    }

    /// <summary>Ends it, and deregisters at the device in the background.</summary>
    public void End() => End(null, isLeft: false);

    private void OnGone() => End(DeviceWire.Wrap((CoapDeviceException?)null), isLeft: true);

    private void Take(CoapResponse response)
    {
        CoapResult result = DeviceWire.Wrap(response);
        bool isNews;
        lock (_gate)
        {
            if (_isOver || ReferenceEquals(_notification, response))
            {
                return;
            }

            isNews = _notification is not null;
            (_notification, _latest, _receivedAt) = (response, result, time.GetTimestamp());
        }

        if (!response.IsSuccess)
        {
            // An error ends an observation (RFC 7641 section 4.2). Nodes register again if they have observers.
            End(result, isLeft: false);
        }
        else if (isNews)
        {
            Tell();
        }
    }

    private void OnState(CoapObservation made)
    {
        if (made.State == CoapObserveState.NotObserving && made.Latest is { } plain)
        {
            CoapResult result = DeviceWire.Wrap(plain);
            result.DeclinesObserver = true;
            End(result, isLeft: false);
        }
        else if (made is { State: CoapObserveState.Reregistering or CoapObserveState.Failed, Error: { } error })
        {
            End(DeviceWire.Wrap(device.FailureOf(error)), isLeft: false);
        }
    }

    private void End(CoapResult? last, bool isLeft)
    {
        CoapObservation? observation;
        lock (_gate)
        {
            if (_isOver)
            {
                return;
            }

            _isOver = true;
            _latest = last ?? _latest;
            observation = _observation;
        }

        if (observation is null)
        {
            _ = _stop.CancelAsync();
        }
        else if (isLeft)
        {
            observation.Leave();
        }
        else
        {
            // Returns at once.
            _ = observation.DisposeAsync().AsTask();
        }

        _first.TrySetResult();
        Tell();
    }

    private void Tell() => route.NotifyFor(_named);
}
