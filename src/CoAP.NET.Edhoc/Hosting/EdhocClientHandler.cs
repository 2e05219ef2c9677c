using CoAP.NET.Hosting.Parts;
using CoAP.NET.Oscore;

namespace CoAP.NET.Edhoc.Hosting;

/// <summary>
/// Makes a client agree on keys with its server before the first request, once for all requests that wait, and again when the server has
/// lost them. Thread-safe.
/// </summary>
/// <param name="client">Performs the key exchange.</param>
/// <param name="server">The server.</param>
/// <param name="file">The credentials from a file; null for none.</param>
/// <param name="time">The clock.</param>
internal sealed class EdhocClientHandler(EdhocClient client, CoapUri server, EdhocCredentialFile? file, TimeProvider time)
    : InnermostClientHandler, IDisposable
{
    private readonly string _uri = $"{server.Scheme}://{server.Authority}";
    private readonly CancellationTokenSource _end = new();
    private readonly Lock _gate = new();
    private Task? _session;

    /// <summary>Whether two URIs name one server.</summary>
    public static bool IsSameServer(CoapUri one, CoapUri other) =>
        one.Scheme == other.Scheme && one.Port == other.Port && one.Host.Equals(other.Host, StringComparison.OrdinalIgnoreCase);

    /// <summary>Sends a request that needs the keys, and repeats it with new keys if the server has lost them.</summary>
    /// <param name="request">The request.</param>
    /// <param name="send">Sends it. It must not modify it, because it may run twice.</param>
    /// <param name="cancellationToken">Cancels the wait for the keys.</param>
    /// <exception cref="EdhocException">The key exchange failed: one side does not trust the other, or a message was invalid.</exception>
    /// <exception cref="CoapException">No response came; the derived type has the reason.</exception>
    public override Task<CoapResponse> SendAsync(
        CoapRequest request, Func<Task<CoapResponse>> send, CancellationToken cancellationToken) =>
        RunAsync(request, send, cancellationToken);

    private async Task<T> RunAsync<T>(CoapRequest request, Func<Task<T>> send, CancellationToken cancellationToken)
    {
        if (!IsOfServer(request))
        {
            return await send().ConfigureAwait(false);
        }

        Task session = Current();
        await session.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await send().ConfigureAwait(false);
        }
        catch (CoapException exception) when (IsOfKeys(exception))
        {
            // The server has restarted or forgot the oldest sessions, or an attacker claims so: the next request gets new keys.
            Forget(session);
            if (!MayRepeat(request))
            {
                throw;
            }
        }

        await Current().WaitAsync(cancellationToken).ConfigureAwait(false);
        return await send().ConfigureAwait(false);
    }

    /// <summary>
    /// Observes a resource, and agrees on new keys when the server has lost them: the observation then registers with these.
    /// </summary>
    /// <param name="request">The request to observe.</param>
    /// <param name="observe">Observes. It must not modify the request, because it may run twice.</param>
    /// <param name="cancellationToken">Cancels the wait for the keys and the first response.</param>
    /// <exception cref="EdhocException">The key exchange failed: one side does not trust the other, or a message was invalid.</exception>
    /// <exception cref="CoapException">No response came; the derived type has the reason.</exception>
    public override async Task<CoapObservation> ObserveAsync(
        CoapRequest request, Func<Task<CoapObservation>> observe, CancellationToken cancellationToken)
    {
        CoapObservation observation = await RunAsync(request, observe, cancellationToken).ConfigureAwait(false);
        if (Volatile.Read(ref _session) is { } session && IsOfServer(request))
        {
            int isRenewing = 0;
            observation.StateChanged += (_, state) =>
            {
                if (state == CoapObserveState.Reregistering && IsOfKeys(observation.Error)
                    && Interlocked.Exchange(ref isRenewing, 1) == 0)
                {
                    _ = RenewAsync();
                }
            };

            async Task RenewAsync()
            {
                Forget(session);
                session = await RenewForAsync(observation).ConfigureAwait(false) ?? session;
                Volatile.Write(ref isRenewing, 0);
            }
        }

        return observation;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _end.Cancel();
        file?.Dispose();
        _end.Dispose();
    }

    private static bool IsOfKeys(CoapException? exception) =>
        exception is CoapUnprotectedResponseException or OscoreStoreException { Fault: OscoreStoreFault.Exhausted } or EdhocException;

    private bool IsOfServer(CoapRequest request) =>
        request.Uri is { IsCoap: true } target && IsSameServer(target, server);

    // Tries until there are new keys, the observation has recovered without them, or it needs none any more. Reports the same
    // failure only once. Returns the session of the new keys; null without any.
    private async Task<Task?> RenewForAsync(CoapObservation observation)
    {
        for (int failures = 0; observation.State == CoapObserveState.Reregistering && !_end.IsCancellationRequested; failures++)
        {
            Task session = Current();
            try
            {
                await session.ConfigureAwait(false);
                await observation.RefreshAsync(_end.Token).ConfigureAwait(false);
                return session;
            }
            catch (CoapException exception) when (!session.IsCompletedSuccessfully || IsOfKeys(exception))
            {
                Forget(session);
            }
            catch (Exception exception) when (exception is CoapException or OperationCanceledException or ObjectDisposedException)
            {
                return session;
            }

            await Task.Delay(BackOff(failures), time, _end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        return null;
    }

    private static TimeSpan BackOff(int failures) => TimeSpan.FromSeconds(Math.Min(5 << Math.Min(failures, 4), 60));

    // The answer is unauthenticated, so the server may have executed the request: repeating must be harmless; and streams are usable only
    // once.
    private static bool MayRepeat(CoapRequest request) =>
        request.Code.IsIdempotent
        && request.Destination is null
        && (request.Content is null || !request.Content.Bytes.IsEmpty || !request.Payload.IsEmpty);

    private Task Current()
    {
        lock (_gate)
        {
            return _session is null or { IsFaulted: true } or { IsCanceled: true } ? _session = ConnectAsync() : _session;
        }
    }

    private void Forget(Task session)
    {
        lock (_gate)
        {
            if (ReferenceEquals(_session, session))
            {
                _session = null;
            }
        }
    }

    // The endpoint's contexts contain the security context; the session itself is no longer necessary.
    private async Task ConnectAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        using EdhocResult session = await client.ConnectAsync(_uri, _end.Token).ConfigureAwait(false);
    }
}
