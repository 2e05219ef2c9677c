using CoAP.NET.Diagnostics;
using CoAP.NET.Endpoints;
using CoAP.NET.Execution;
using CoAP.NET.ResourceDirectory.Registrations;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>
/// Keeps one endpoint registered: searches the directory, registers, refreshes, starts again when the directory forgot the endpoint or
/// moved, and removes the registration at the end. One task; every change wakes it.
/// </summary>
#pragma warning disable CA1001 // its disposable fields end when it stops
internal sealed class RegistrationLoop
#pragma warning restore CA1001
{
    // The interval for reading the wall clock, with at least twenty readings in a long wait: timers do not advance while a machine sleeps.
    private static readonly TimeSpan s_leastSlice = TimeSpan.FromMinutes(10);
    private const int Slices = 20;

    // For this long after a response, no other endpoint has the location.
    private static readonly TimeSpan s_sure = TimeSpan.FromSeconds(10);

    // After this many consecutive failures, the directory is searched again: its name may have another address by now.
    private const int FailuresUntilSearch = 2;

    private readonly CoapRegistration _face;
    private readonly IEndpointClient _client;
    private readonly CoapRegistrationOptions _options;
    private readonly CoapUri? _uri;
    private readonly RegistrationExchange _exchange;
    private readonly TimeProvider _time;
    private readonly CoapRandomSource _random;
    private readonly ILogger _log;
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _cut;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private readonly string _name;

    // Guarded by the lock: the requests of users, and their waiting tasks.
    private string? _base;
    private IEnumerable<CoapLink> _links;
    private bool _isStopped;
    private TaskCompletionSource? _update;
    private TaskCompletionSource _wake = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Used only by the loop.
    private CoapDirectoryClient? _directory;
    private KnownRegistration? _grant;
    private int _failures;

    public RegistrationLoop(CoapRegistration face, IEndpointClient client, CoapUri? uri, CoapDirectoryClient? directory,
        CoapRegistrationOptions options)
    {
        _face = face;
        _client = client;
        _uri = uri;
        _directory = directory;
        _options = options;
        _base = ClientRegistrationRules.CheckBase(options.Base, nameof(options));
        _links = options.Links;
        _exchange = new RegistrationExchange(client, options);
        CoapEnvironment environment = client.Endpoint.Environment;
        _time = environment.TimeProvider;
        _random = environment.Random;
        _log = environment.Logger;
        _cut = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _time);
        _name = options.EndpointName.Length == 0 ? "The endpoint" : CoapUntrustedText.LineOf(options.EndpointName);
    }

    private string DirectoryName =>
        (_grant?.RegistrationUri ?? _directory?.Registration)?.ToString() ?? _uri?.ToString() ?? _directory?.ToString() ?? "";

    /// <summary>Requests an attempt now.</summary>
    /// <param name="change">The new values; null for none.</param>
    /// <returns>A task that completes when the directory has them, or the attempt failed.</returns>
    public Task UpdateAsync(RegistrationUpdateContent? change)
    {
        lock (_gate)
        {
            if (_isStopped)
            {
                return Task.FromException(new ObjectDisposedException(nameof(CoapRegistration)));
            }

            _base = change?.Base ?? _base;
            _links = change?.Links ?? _links;
            _update ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _wake.TrySetResult();
            return _update.Task;
        }
    }

    /// <summary>Stops after a running registration, so that it can be removed.</summary>
    /// <param name="loop">The task of <see cref="RunAsync"/>.</param>
    /// <param name="cancellationToken">Ends the wait for the directory.</param>
    public async Task StopAsync(Task loop, CancellationToken cancellationToken)
    {
        if (!TryBeginStop())
        {
            await _ended.Task.ConfigureAwait(false);
            return;
        }

        _cut.CancelAfter(_options.EndTimeout);
        CancellationTokenRegistration cuts = cancellationToken.UnsafeRegister(
            static cut => ((CancellationTokenSource)cut!).Cancel(), _cut);
        await _stopping.CancelAsync().ConfigureAwait(false);
        await loop.ConfigureAwait(false);
        await RemoveAsync().ConfigureAwait(false);
        Report(CoapRegistrationState.Ended);
        FinishUpdate(TakeUpdate(), new ObjectDisposedException(nameof(CoapRegistration)));
        await cuts.DisposeAsync().ConfigureAwait(false);
        _cut.Dispose();
        _ended.TrySetResult();
    }

    public async Task RunAsync()
    {
        while (!_stopping.IsCancellationRequested)
        {
            TaskCompletionSource? update = TakeUpdate();
            TimeSpan wait;
            try
            {
                await TryAsync().ConfigureAwait(false);
                _failures = 0;
                wait = _grant!.RefreshAfter;
                FinishUpdate(update, null);
                Report(CoapRegistrationState.Registered, next: wait - _grant.AgeBy(_time));
            }
            catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
            {
                FinishUpdate(update, new ObjectDisposedException(nameof(CoapRegistration)));
                return;
            }
            catch (Exception exception) when (exception is ObjectDisposedException or CoapException { Error: CoapError.EndpointStopped })
            {
                // Nothing more can be sent; the registration ends by itself.
                RegistrationLog.RegistrationEndpointStopped(_log, _name, DirectoryName);
                FinishUpdate(update, exception);
                Report(CoapRegistrationState.Ended, exception as CoapException);
                return;
            }
            catch (CoapException exception)
            {
                wait = Fail(exception);
                FinishUpdate(update, exception);
            }
#pragma warning disable CA1031 // the links of a user may throw anything; the registration continues
            catch (Exception exception)
#pragma warning restore CA1031
            {
                CoapDirectoryException wrapped = new(
                    $"{_name} cannot be registered, because its links could not be enumerated: {exception.Message}", null, exception);
                wait = Fail(wrapped);
                FinishUpdate(update, wrapped);
            }

            await WaitAsync(wait).ConfigureAwait(false);
        }
    }

    private async Task TryAsync()
    {
        if (_directory is null)
        {
            Report(CoapRegistrationState.Searching, isTry: true);
            _directory = await CoapDirectoryClient.DiscoverAsync(_client, _uri!, cancellationToken: _stopping.Token)
                .ConfigureAwait(false);
            RegistrationLog.DirectoryFound(_log, _name, _uri!.ToString(), _directory.ToString());
        }

        (string? baseUri, IEnumerable<CoapLink> links) = Wanted();
        byte[] document = ClientRegistrationRules.WriteLinks(links);
        TimeSpan refreshAfter = RegistrationRefreshTimes.RefreshAfter(_options.Lifetime, _random.NextDouble());
        if (_grant is { HasLocation: true } grant && grant.RegistrationUri == _directory.Registration && !HasEnded(grant)
            && document.AsSpan().SequenceEqual(grant.Links))
        {
            bool? isListed = await _exchange.IsListedAsync(_directory, grant, _stopping.Token).ConfigureAwait(false);

            // A directory older than RFC 9176, without a lookup, may create another registration each time.
            if ((isListed == true || _directory.EndpointLookup is null)
                && await _exchange.RefreshAsync(_directory, grant, baseUri, refreshAfter, _stopping.Token).ConfigureAwait(false) is { } now)
            {
                _grant = now;
                RegistrationLog.RegistrationRefreshed(_log, _name, DirectoryName, refreshAfter);
                return;
            }

            // If it is unknown, registering with the same name again is a refresh that affects no other endpoint.
            if (isListed is not null || _directory.EndpointLookup is null)
            {
                // From now on, the location may belong to another endpoint.
                RegistrationLog.RegistrationForgotten(_log, _name, DirectoryName);
                _grant = null;
            }
        }

        Report(CoapRegistrationState.Registering, isTry: true);
        _grant = await _exchange.RegisterAsync(_directory, baseUri, document, refreshAfter, _grant, _cut.Token).ConfigureAwait(false);
        RegistrationLog.Registered(
            _log, _name, DirectoryName, CoapUntrustedText.LineOf(_grant.Location ?? "no location"), _options.Lifetime,
            refreshAfter);
    }

    private TimeSpan Fail(CoapException exception)
    {
        _failures++;
        CoapResponse? response = (exception as CoapDirectoryException)?.Response;
        bool isBusy = response?.RetryAfter is not null;
        bool isRefused = response is { Code.Class: 4 } && !isBusy && response.Code != CoapCode.NotFound
            && response.Code != CoapCode.MethodNotAllowed;
        TimeSpan wait = RegistrationRefreshTimes.RetryAfter(
            _options, _failures, isRefused, response?.RetryAfter, _random.NextDouble());

        // It moved, or is another program by now; a directory with given URIs cannot be searched.
        if (_uri is not null && !isBusy && (_failures >= FailuresUntilSearch || (response is not null && !isRefused)))
        {
            _directory = null;
        }

        if (_grant is { } grant && HasEnded(grant))
        {
            _grant = null;
            RegistrationLog.RegistrationLapsed(_log, _name, grant.RegistrationUri.ToString());
        }

        CoapRegistrationState state = _grant is null ? CoapRegistrationState.Waiting : CoapRegistrationState.Retrying;
        RegistrationLog.RegistrationFailed(_log, _name, DirectoryName, _failures, exception.Message, wait);
        Report(state, exception, wait);
        return wait;
    }

    // Until the next attempt, or a change of a user. If the wall clock went on during sleep, the refresh is earlier.
    private async Task WaitAsync(TimeSpan wait)
    {
        long begun = _time.GetTimestamp();
        TimeSpan slice = wait / Slices > s_leastSlice ? wait / Slices : s_leastSlice;
        while (!_stopping.IsCancellationRequested)
        {
            TimeSpan left = _failures == 0 ? wait - _grant!.AgeBy(_time) : wait - _time.GetElapsedTime(begun);
            Task woken = Woken();
            if (left <= TimeSpan.Zero || woken.IsCompleted)
            {
                return;
            }

            // Timers have milliseconds: less than one would not wait at all.
            TimeSpan next = TimeSpan.FromMilliseconds(Math.Ceiling((left < slice ? left : slice).TotalMilliseconds));
            await woken.WaitAsync(next, _time, _stopping.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // Removes only a valid registration of this endpoint: after its end, the location may belong to another one.
    private async Task RemoveAsync()
    {
        if (!_options.RemoveAtEnd || _directory is null || _grant is not { HasLocation: true } grant || HasEnded(grant)
            || grant.RegistrationUri != _directory.Registration)
        {
            return;
        }

        try
        {
            if (grant.AgeBy(_time) > s_sure
                && await _exchange.IsListedAsync(_directory, grant, _cut.Token).ConfigureAwait(false) == false)
            {
                RegistrationLog.RegistrationNotListed(_log, _name, DirectoryName);
            }
            else
            {
                await _exchange.RemoveAsync(_directory, grant, _cut.Token).ConfigureAwait(false);
                RegistrationLog.RegistrationRemoved(_log, _name, grant.RegistrationUri.ToString());
            }

            _grant = null;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException or ObjectDisposedException)
        {
            RegistrationLog.RegistrationNotRemoved(
                _log, _name, grant.RegistrationUri.ToString(), _options.Lifetime - grant.AgeBy(_time), exception.Message);
        }
    }

    private bool HasEnded(KnownRegistration grant) => grant.AgeBy(_time) >= _options.Lifetime;

    private bool TryBeginStop()
    {
        lock (_gate)
        {
            (bool isFirst, _isStopped) = (!_isStopped, true);
            return isFirst;
        }
    }

    private (string? Base, IEnumerable<CoapLink> Links) Wanted()
    {
        lock (_gate)
        {
            return (_base, _links);
        }
    }

    private Task Woken()
    {
        lock (_gate)
        {
            return _wake.Task;
        }
    }

    private TaskCompletionSource? TakeUpdate()
    {
        lock (_gate)
        {
            TaskCompletionSource? taken = _update;
            _update = null;
            if (_wake.Task.IsCompleted)
            {
                _wake = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }

            return taken;
        }
    }

    private static void FinishUpdate(TaskCompletionSource? update, Exception? exception)
    {
        if (exception is null)
        {
            update?.TrySetResult();
        }
        else if (update?.TrySetException(exception) == true)
        {
            // The caller may not await it.
            _ = update.Task.Exception;
        }
    }

    private void Report(CoapRegistrationState state, CoapException? error = null, TimeSpan? next = null, bool isTry = false)
    {
        DateTimeOffset now = _time.GetUtcNow();
        _face.Report(
            new CoapRegistrationStatus
            {
                State = state,
                Directory = _grant?.RegistrationUri ?? _directory?.Registration,
                Location = _grant is not null && _grant.RegistrationUri.TryResolve(_grant.Location, out CoapUri? location, out _)
                    ? location : null,
                Until = _grant is { } grant ? now + (_options.Lifetime - grant.AgeBy(_time)) : null,
                NextTry = next is { } wait ? now + wait : null,
                Failures = _failures,
                Error = isTry ? _face.Status.Error : error,
            },
            _log);
    }
}
