using Microsoft.Extensions.Logging;

namespace CoAP.NET.CredentialFiles;

/// <summary>
/// Checks periodically whether the files of credentials of an endpoint have changed, as long as it runs. It polls, because change
/// notifications get lost on some file systems, and when links are replaced. It ends the connections of peers whose credentials were
/// revoked.
/// </summary>
internal sealed class CredentialFileMonitor : IAsyncDisposable
{
    // A handshake that began with the previous credentials may end after their change. This is the default HandshakeTimeout of DTLS, which
    // is longer than that of TLS.
    private static readonly TimeSpan s_again = TimeSpan.FromSeconds(30);

    private readonly IReadOnlyList<WatchedCredentials> _credentials;
    private readonly CoapEndpoint _endpoint;
    private readonly string _title;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly ITimer _timer;
    private long? _changedAt;
    private Task _look = Task.CompletedTask;
    private int _isLooking;

    /// <summary>Begins the checks.</summary>
    /// <param name="credentials">The credentials.</param>
    /// <param name="endpoint">The endpoint that uses them.</param>
    /// <param name="title">The name of the endpoint in messages.</param>
    /// <param name="time">The clock.</param>
    public CredentialFileMonitor(
        IReadOnlyList<WatchedCredentials> credentials, CoapEndpoint endpoint, string title, TimeProvider time)
    {
        _credentials = credentials;
        _endpoint = endpoint;
        _title = title;
        _time = time;
        _logger = endpoint.Environment.Logger;

        // Sessions that the previous process left may have credentials that were revoked meanwhile.
        foreach (WatchedCredentials one in credentials)
        {
            _ = End(one);
            one.LogDue(_logger, title, time.GetUtcNow());
        }

        _timer = time.CreateTimer(static watch => ((CredentialFileMonitor)watch!).Look(), this, ChangingFile.Period, ChangingFile.Period);
    }

    /// <summary>Ends the checks.</summary>
    /// <returns>A task that ends when no check runs any more.</returns>
    public async ValueTask DisposeAsync()
    {
        await _timer.DisposeAsync().ConfigureAwait(false);
        await _look.ConfigureAwait(false);
    }

    private void Look()
    {
        if (Interlocked.Exchange(ref _isLooking, 1) == 0)
        {
            _look = LookAsync();
        }
    }

    private async Task LookAsync()
    {
        try
        {
            foreach (WatchedCredentials one in _credentials)
            {
                await LookAsync(one).ConfigureAwait(false);
            }

            if (_changedAt is { } since && _time.GetElapsedTime(since) >= s_again)
            {
                _changedAt = null;
                foreach (WatchedCredentials one in _credentials)
                {
                    _ = End(one);
                }
            }
        }
        finally
        {
            Volatile.Write(ref _isLooking, 0);
        }
    }

    private async Task LookAsync(WatchedCredentials one)
    {
        try
        {
            if (await one.RefreshAsync(_time.GetUtcNow()).ConfigureAwait(false))
            {
                _changedAt = _time.GetTimestamp();
                one.LogTaken(_logger, _title, End(one));
            }
        }
#pragma warning disable CA1031 // a file with an unexpected problem must not end the checks of the others
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _endpoint.Counters.Add(CoapCounter.CredentialsNotReloaded);
            one.LogNotTaken(_logger, _title, exception.Message);
        }

        one.LogDue(_logger, _title, _time.GetUtcNow());
    }

    private int End(WatchedCredentials one) => _endpoint.Disconnect(
        one.IsRevoked, "The credentials of the peer were revoked: its certificate is on a revocation list, or its key was removed.");
}
