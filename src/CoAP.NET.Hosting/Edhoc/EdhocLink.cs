using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;

namespace CoAP.NET.Hosting;

/// <summary>
/// Has a client agree on keys with its server before the first request, once for all requests that wait, and anew when the server has lost
/// them. Thread-safe.
/// </summary>
/// <param name="client">Agrees on keys.</param>
/// <param name="server">The server.</param>
/// <param name="file">The credentials of a file; null for none.</param>
internal sealed class EdhocLink(EdhocClient client, CoapUri server, EdhocCredentialFile? file) : IDisposable
{
    private readonly string _uri = $"{server.Scheme}://{server.Authority}";
    private readonly CancellationTokenSource _end = new();
    private readonly Lock _gate = new();
    private Task? _session;

    /// <summary>Whether two URIs name one server.</summary>
    public static bool IsSameServer(CoapUri one, CoapUri other) =>
        one.Scheme == other.Scheme && one.Port == other.Port && one.Host.Equals(other.Host, StringComparison.OrdinalIgnoreCase);

    /// <summary>Sends a request that needs the keys, and once more with new keys where the server has lost them.</summary>
    /// <typeparam name="T">What comes of it.</typeparam>
    /// <param name="request">The request, as it is sent or observed.</param>
    /// <param name="send">Sends it. Must not change it, as it may be called twice.</param>
    /// <param name="cancellationToken">Stops waiting for the keys.</param>
    /// <exception cref="EdhocException">There is no agreement: one does not trust the other, or something wrong came.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public async Task<T> SendAsync<T>(CoapRequest request, Func<Task<T>> send, CancellationToken cancellationToken)
    {
        if (!CoapUri.TryParse(request.UriText, out CoapUri? target) || !IsSameServer(target, server))
        {
            return await send().ConfigureAwait(false);
        }

        Task session = Current();
        await session.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await send().ConfigureAwait(false);
        }
        catch (CoapException exception) when (exception is CoapOscoreException or OscoreNumbersExhaustedException or EdhocException)
        {
            // The server has started anew or forgot the oldest sessions, or somebody says so: there are new keys for the next request.
            Forget(session);
            if (!MayRepeat(request))
            {
                throw;
            }
        }

        await Current().WaitAsync(cancellationToken).ConfigureAwait(false);
        return await send().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _end.Cancel();
        file?.Dispose();
        _end.Dispose();
    }

    // Nobody has authenticated that the server did not execute it, so it must do no harm twice; and streams are read or written once.
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

    // The security context stands in the contexts of the endpoint; the session itself is needed no more.
    private async Task ConnectAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        using EdhocSession session = await client.ConnectAsync(_uri, _end.Token).ConfigureAwait(false);
    }
}
