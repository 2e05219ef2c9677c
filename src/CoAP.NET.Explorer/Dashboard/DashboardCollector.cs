using System.Text.Json.Nodes;
using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// Measures a server once per second while the page has viewers, and sends the figures to all of them. Otherwise it is idle, without
/// listeners and timer. Thread-safe.
/// </summary>
/// <param name="endpoint">The server.</param>
/// <param name="options">The limits.</param>
/// <param name="time">The clock.</param>
internal sealed class DashboardCollector(CoapEndpoint endpoint, CoapDashboardOptions options, TimeProvider time) : IDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly List<PageEventWriter> _viewers = [];
    private readonly SampleRing _ring = new();
    private DashboardMeter? _watch;
    private ITimer? _timer;
    private bool _isStopped;

    public int Viewers
    {
        get
        {
            lock (_gate)
            {
                return _viewers.Count;
            }
        }
    }

    /// <summary>Whether it measures the server for viewers.</summary>
    public bool IsListening
    {
        get
        {
            lock (_gate)
            {
                return _watch is not null;
            }
        }
    }

    /// <summary>Adds a viewer, which gets the history and then each new sample.</summary>
    /// <returns>False if the application stops.</returns>
    public bool TryAdd(PageEventWriter viewer)
    {
        lock (_gate)
        {
            if (_isStopped)
            {
                return false;
            }

            if (_viewers.Count == 0)
            {
                _watch = new DashboardMeter(endpoint, options.MaxRoutes, time);
                _timer = time.CreateTimer(static state => ((DashboardCollector)state!).Turn(), this, s_interval, s_interval);
            }

            DashboardSample[] history = _ring.Read(time.GetUtcNow());
            viewer.Add(DashboardJsonWriter.HistoryOf(endpoint, options, history));
            _viewers.Add(viewer);
            return true;
        }
    }

    /// <summary>Removes a viewer. After the last one it stops measuring.</summary>
    public void Remove(PageEventWriter viewer)
    {
        lock (_gate)
        {
            if (_viewers.Remove(viewer) && _viewers.Count == 0)
            {
                End();
            }
        }
    }

    /// <summary>Ends the streams of all viewers because the application stops.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isStopped = true;
            _viewers.ForEach(static viewer => viewer.Complete());
            _viewers.Clear();
            End();
        }
    }

    private void End()
    {
        _timer?.Dispose();
        _timer = null;
        _watch?.Dispose();
        _watch = null;
    }

    private void Turn()
    {
        lock (_gate)
        {
            if (_watch is not { } watch)
            {
                return;
            }

            DashboardState state = watch.Turn();
            _ring.Add(state.Sample);
            JsonObject sample = DashboardJsonWriter.SampleOf(state);
            foreach (PageEventWriter viewer in _viewers)
            {
                viewer.Add(sample, isKept: false);
            }
        }
    }
}
