using CoAP.NET.Dtls;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting;

/// <summary>
/// Checks periodically whether a server's file of pre-shared keys has changed, as long as it runs. It polls, because change notifications
/// get lost on some file systems, and when links are replaced.
/// </summary>
internal sealed class PskFileWatch : IAsyncDisposable
{
    /// <summary>The time between two checks. A change takes effect after at most two of them.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromSeconds(2);

    private readonly PskFileStore _keys;
    private readonly CoapServer _server;
    private readonly string _title;
    private readonly ILogger _logger;
    private readonly ITimer _timer;
    private int _isLooking;

    public PskFileWatch(PskFileStore keys, CoapServer server, string title, TimeProvider time, ILogger logger)
    {
        _keys = keys;
        _server = server;
        _title = title;
        _logger = logger;
        _timer = time.CreateTimer(static watch => ((PskFileWatch)watch!).Look(), this, Period, Period);
    }

    /// <summary>Ends the checks.</summary>
    /// <returns>A task that ends when no check runs any more.</returns>
    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void Look()
    {
        if (Interlocked.Exchange(ref _isLooking, 1) != 0)
        {
            return;
        }

        try
        {
            if (_keys.Refresh())
            {
                HostingLog.KeysTaken(_logger, _title, _keys.Path, _keys.Count);
            }
        }
        catch (CoapCredentialException exception)
        {
            _server.Counters.Add(CoapCounter.CredentialsNotReloaded);
            HostingLog.KeysNotTaken(_logger, _title, exception.Message);
        }
        finally
        {
            Volatile.Write(ref _isLooking, 0);
        }
    }
}
