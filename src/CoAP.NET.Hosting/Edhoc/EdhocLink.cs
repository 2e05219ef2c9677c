using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;

namespace CoAP.NET.Hosting;

/// <summary>
/// Makes a client agree on keys with its server before the first request, once for all requests that wait, and again when the server has
/// lost them. Thread-safe.
/// </summary>
/// <param name="client">Performs the key exchange.</param>
/// <param name="server">The server.</param>
/// <param name="file">The credentials from a file; null for none.</param>
internal sealed class EdhocLink(EdhocClient client, CoapUri server, EdhocCredentialFile? file) : IDisposable
{
    private readonly string _uri = $"{server.Scheme}://{server.Authority}";
    private readonly CancellationTokenSource _end = new();
    private readonly Lock _gate = new();
    private Task? _session;

    /// <summary>Whether two URIs name one server.</summary>
    public static bool IsSameServer(CoapUri one, CoapUri other) =>
        one.Scheme == other.Scheme && one.Port == other.Port && one.Host.Equals(other.Host, StringComparison.OrdinalIgnoreCase);

    /// <summary>Sends a request that needs the keys, and repeats it with new keys if the server has lost them.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="request">The request, to send or observe.</param>
    /// <param name="send">Sends it. It must not modify it, because it may run twice.</param>
    /// <param name="cancellationToken">Cancels the wait for the keys.</param>
    /// <exception cref="EdhocException">The key exchange failed: one side does not trust the other, or a message was invalid.</exception>
    /// <exception cref="CoapException">No response came; the derived type has the reason.</exception>
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

    /// <inheritdoc/>
    public void Dispose()
    {
        _end.Cancel();
        file?.Dispose();
        _end.Dispose();
    }

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
        using EdhocSession session = await client.ConnectAsync(_uri, _end.Token).ConfigureAwait(false);
    }
}
