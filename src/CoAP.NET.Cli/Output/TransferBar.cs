using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>A bar that shows how far a block-wise transfer is. Comes with the second block, and only on a terminal.</summary>
internal sealed class TransferBar : IProgress<CoapProgress>, IAsyncDisposable
{
    private readonly CliOutput _output;
    private readonly IDisposable? _waiting;
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private ProgressContext? _context;
    private ProgressTask? _upload;
    private ProgressTask? _download;
    private Task _shown = Task.CompletedTask;

    private TransferBar(CliOutput output, IDisposable? waiting) => (_output, _waiting) = (output, waiting);

    /// <summary>Makes one for a terminal; null otherwise.</summary>
    /// <param name="output">The terminal.</param>
    /// <param name="waiting">What is shown until the bar comes; null for nothing.</param>
    public static TransferBar? For(CliOutput output, IDisposable? waiting) => output.IsTerminal ? new TransferBar(output, waiting) : null;

    /// <inheritdoc/>
    public void Report(CoapProgress value)
    {
        lock (_gate)
        {
            bool isOneBlock = value.BlockNumber == 0 && (value.TotalBytes is null || value.BytesTransferred >= value.TotalBytes);
            if (_end.Task.IsCompleted || (_context is null && isOneBlock))
            {
                return;
            }

            ProgressTask task = value.IsUpload ? _upload ??= Add("sending") : _download ??= Add("receiving");
            task.IsIndeterminate = value.TotalBytes is null;
            task.MaxValue = value.TotalBytes ?? Math.Max(1, value.BytesTransferred);
            task.Value = value.BytesTransferred;
        }
    }

    /// <summary>Leaves the bar as it is and gives the terminal back.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _end.TrySetResult();
        }

        await _shown.ConfigureAwait(false);
    }

    private ProgressTask Add(string name)
    {
        if (_context is null)
        {
            _waiting?.Dispose();

            // Calls the function before it returns, which keeps the bar until the transfer has ended.
            _shown = _output.Console.Progress().Columns(
                new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new DownloadedColumn(), new TransferSpeedColumn(), new RemainingTimeColumn())
                .StartAsync(context =>
                {
                    _context = context;
                    return _end.Task;
                });
        }

        return _context!.AddTask(name);
    }
}
