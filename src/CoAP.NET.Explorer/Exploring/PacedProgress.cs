using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Reports the progress of a transfer to a page, at most every 50 ms. A report that comes sooner is delayed, so that the page always gets
/// the newest figure. Thread-safe.
/// </summary>
internal sealed class PacedProgress : IProgress<CoapProgress>, IDisposable
{
    private static readonly TimeSpan s_pace = TimeSpan.FromMilliseconds(50);

    private readonly PageEventWriter _events;
    private readonly Lock _gate = new();
    private readonly ITimer _turn;
    private CoapProgress? _waiting;
    private bool _isPausing;
    private bool _isDisposed;

    /// <param name="events">The page.</param>
    /// <param name="time">The clock.</param>
    public PacedProgress(PageEventWriter events, TimeProvider time)
    {
        _events = events;
        _turn = time.CreateTimer(
            static paced => ((PacedProgress)paced!).TakeTurn(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <inheritdoc/>
    public void Report(CoapProgress value)
    {
        lock (_gate)
        {
            bool isEnd = value.BytesTransferred >= value.TotalBytes;
            if (_isPausing && !isEnd)
            {
                _waiting = value;
                return;
            }

            Write(value);
        }
    }

    /// <summary>Sends the delayed report, and ends.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            ReportWaiting();

            _isDisposed = true;
        }

        _turn.Dispose();
    }

    private void TakeTurn()
    {
        lock (_gate)
        {
            _isPausing = false;
            ReportWaiting();
        }
    }

    private void ReportWaiting()
    {
        if (_waiting is { } value)
        {
            Write(value);
        }
    }

    private void Write(CoapProgress value)
    {
        _waiting = null;
        if (_isDisposed)
        {
            return;
        }

        _isPausing = _turn.Change(s_pace, Timeout.InfiniteTimeSpan);
        _events.Add(
            new()
            {
                ["kind"] = "progress",
                ["upload"] = value.IsUpload,
                ["transferred"] = value.BytesTransferred,
                ["total"] = value.TotalBytes,
            },
            isKept: false);
    }
}
