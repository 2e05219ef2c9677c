using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting;

/// <summary>
/// Checks periodically whether files of security contexts have changed, as long as the server runs.
/// </summary>
internal sealed class OscoreFileWatch : IAsyncDisposable
{
    private readonly HostedOscore _oscore;
    private readonly CoapServer _server;
    private readonly string _title;
    private readonly ILogger _logger;
    private readonly ITimer _timer;
    private Task _look = Task.CompletedTask;
    private int _isLooking;

    public OscoreFileWatch(HostedOscore oscore, CoapServer server, string title, TimeProvider time, ILogger logger)
    {
        _oscore = oscore;
        _server = server;
        _title = title;
        _logger = logger;
        _timer = time.CreateTimer(
            static watch => ((OscoreFileWatch)watch!).Look(), this, ChangingFile.Period, ChangingFile.Period);
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
            foreach (ContextsOfFile file in _oscore.Files)
            {
                await LookAsync(file).ConfigureAwait(false);
            }
        }
        finally
        {
            Volatile.Write(ref _isLooking, 0);
        }
    }

    private async Task LookAsync(ContextsOfFile file)
    {
        try
        {
            if (await file.RefreshAsync().ConfigureAwait(false))
            {
                HostingLog.ContextsTaken(_logger, _title, ShownText.Of(file.Path), file.Count);
            }
        }
        catch (Exception exception) when (exception is CoapException or ArgumentException)
        {
            _server.Counters.Add(CoapCounter.CredentialsNotReloaded);
            HostingLog.ContextsNotTaken(_logger, _title, CoapForeignText.LineOf(exception.Message));
        }
    }
}
