using Spectre.Console;
using Spectre.Console.Rendering;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// A progress bar of a block-wise transfer. It appears for more than <see cref="ShortBody"/> bytes or after a second, and only on a
/// terminal.
/// </summary>
internal sealed class TransferProgressBar : IProgress<CoapProgress>, IAsyncDisposable
{
    // A shorter body is complete before a user could read the bar.
    private const int ShortBody = 16 * 1024;

    private static readonly TimeSpan s_shortTime = TimeSpan.FromSeconds(1);

    private readonly CliContext _context;
    private readonly long _started;
    private readonly IDisposable? _waiting;
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private ProgressContext? _bars;
    private ProgressTask? _upload;
    private ProgressTask? _download;
    private Task _shown = Task.CompletedTask;

    private TransferProgressBar(CliContext context, IDisposable? waiting)
    {
        _context = context;
        _waiting = waiting;
        _started = context.TimeProvider.GetTimestamp();
    }

    /// <summary>Creates one for a terminal; null otherwise.</summary>
    /// <param name="context">The error stream, and the clock.</param>
    /// <param name="waiting">The display until the bar appears; null for none.</param>
    public static TransferProgressBar? For(CliContext context, IDisposable? waiting) =>
        context.Error.IsTerminal ? new TransferProgressBar(context, waiting) : null;

    /// <inheritdoc/>
    public void Report(CoapProgress value) => Report(value, present: 0);

    /// <summary>Shows a progress.</summary>
    /// <param name="value">The progress.</param>
    /// <param name="present">The bytes of the body before those that are transferred, which an earlier run has stored.</param>
    public void Report(CoapProgress value, long present)
    {
        lock (_gate)
        {
            bool isShort = (value.TotalBytes ?? value.BytesTransferred) <= ShortBody
                && _context.TimeProvider.GetElapsedTime(_started) < s_shortTime;
            bool isOneBlock = value.BlockNumber == 0 && (value.TotalBytes is null || value.BytesTransferred >= value.TotalBytes);
            if (_end.Task.IsCompleted || (_bars is null && (isOneBlock || isShort)))
            {
                return;
            }

            ProgressTask task = value.IsUpload ? _upload ??= Add("sending") : _download ??= Add("receiving");
            task.IsIndeterminate = value.TotalBytes is null;
            long transferred = present + value.BytesTransferred;
            task.MaxValue = present + value.TotalBytes ?? Math.Max(1, transferred);
            task.Value = transferred;
        }
    }

    /// <summary>Leaves the bar in its last state and releases the terminal.</summary>
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
        if (_bars is null)
        {
            _waiting?.Dispose();

            // Calls the function before it returns, which keeps the bar until the transfer has ended.
            _shown = _context.Error.Console.Progress().Columns(
                new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new SizeColumn(),
                new RemainingTimeColumn())
                .StartAsync(bars =>
                {
                    _bars = bars;
                    return _end.Task;
                });
        }

        return _bars!.AddTask(name);
    }

    // The columns of the library write MB for 1,048,576 bytes.
    private sealed class SizeColumn : ProgressColumn
    {
        protected override bool NoWrap => true;

        public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime)
        {
            string done = ByteSizeFormatter.Of(task.Value);
            string size = task.IsIndeterminate ? done
                : task.IsFinished ? ByteSizeFormatter.Of(task.MaxValue)
                : $"{done} of {ByteSizeFormatter.Of(task.MaxValue)}";
            return new Text(task.Speed is { } speed ? $"{size}  {ByteSizeFormatter.Of(speed)}/s" : size);
        }
    }
}
