using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

/// <summary>
/// Leads a run through its phases, on a thread of its own that the load does not delay, and takes the measurements between them.
/// </summary>
/// <param name="plan">The plan.</param>
/// <param name="loop">The loop that sends.</param>
/// <param name="meter">The counters.</param>
/// <param name="peers">The peers, whose sockets it watches.</param>
/// <param name="progress">Receives the progress about once per second; null for none.</param>
/// <param name="cancellationToken">Ends the run early.</param>
internal sealed class RunPhaseController(
    LoadPlan plan, RequestLoop loop, LoadMeter meter, LoadPeers peers, IProgress<LoadProgress>? progress,
    CancellationToken cancellationToken)
{
    private const double ShortestSecond = 0.1;

    private readonly ServerProcessMeter _server = new(plan.ServerProcess);
    private readonly SecondSeries _seconds = new();
    private readonly List<LoadSecond> _series = [];
    private readonly long _second = MonotonicTimestamp.FromSeconds(1);
    private long _begun;
    private long _nextTick;
    private string _phase = "connecting";
    private TimeSpan _ownBefore;
    private TimeSpan? _serverBefore;

    public bool HasMeasured { get; private set; }

    /// <summary>Duration of the measurement, in seconds.</summary>
    public double Seconds { get; private set; }

    /// <summary>Datagrams that this program had lost before the measured time.</summary>
    public long OwnDropsBefore { get; private set; }

    /// <summary>Each measured second.</summary>
    public IReadOnlyList<LoadSecond> Series => _series;

    /// <summary>This program's processor time over the measured time.</summary>
    public TimeSpan OwnProcessorTime { get; private set; }

    /// <summary>The server's processor time; null if unknown.</summary>
    public TimeSpan? ServerProcessorTime { get; private set; }

    /// <summary>The server's memory at the end; null if unknown.</summary>
    public long? ServerResidentBytes { get; private set; }

    /// <summary>Runs until the measured time is over.</summary>
    public void Run()
    {
        _begun = MonotonicTimestamp.Now;
        _nextTick = _begun + _second;
        _seconds.Reset(new LoadHistogram(), _begun);
        bool hasLead = plan.RampSeconds + plan.WarmUpSeconds > 0;
        if (!hasLead)
        {
            BeginMeasuring();
            _begun = meter.From;
        }

        loop.Begin(_begun);
        if (StartLoops() && hasLead)
        {
            _phase = "warming up";
            if (WaitUntil(_begun + MonotonicTimestamp.FromSeconds(plan.RampSeconds + plan.WarmUpSeconds)))
            {
                BeginMeasuring();
            }
        }

        if (HasMeasured)
        {
            WaitUntil(meter.To);
            EndMeasuring();
        }
        else
        {
            meter.Cut(MonotonicTimestamp.Now);
        }
    }

    private bool StartLoops()
    {
        long ramp = MonotonicTimestamp.FromSeconds(plan.RampSeconds);
        while (loop.Started < loop.Count)
        {
            long due = _begun + (long)((double)ramp * loop.Started / loop.Count);
            if (due > MonotonicTimestamp.Now && !WaitUntil(due))
            {
                return false;
            }

            if (cancellationToken.IsCancellationRequested)
            {
                return false;
            }

            loop.StartNext();
        }

        return true;
    }

    private void BeginMeasuring()
    {
        _phase = "measuring";
        HasMeasured = true;
        OwnDropsBefore = peers.OwnDrops;
        _serverBefore = _server.ProcessorTime;
        _ownBefore = Environment.CpuUsage.TotalTime;
        long now = MonotonicTimestamp.Now;
        meter.Measure(now, now + MonotonicTimestamp.FromSeconds(plan.Seconds));
        _seconds.Reset(meter.SoFar().Answers, now);
        _nextTick = now + _second;
    }

    private void EndMeasuring()
    {
        meter.Cut(MonotonicTimestamp.Now);
        Seconds = Math.Max(1e-9, MonotonicTimestamp.ToSeconds(meter.To - meter.From));
        OwnProcessorTime = Environment.CpuUsage.TotalTime - _ownBefore;
        ServerProcessorTime = _server.ProcessorTime - _serverBefore;
        ServerResidentBytes = _server.ResidentBytes;

        // The rest of the last second, unless it is too short for a rate.
        if (MonotonicTimestamp.ToSeconds(MonotonicTimestamp.Now - (_nextTick - _second)) >= ShortestSecond)
        {
            Tick();
        }

        _phase = "ending";
        Report(default);
    }

    // False on cancellation.
    private bool WaitUntil(long time)
    {
        while (true)
        {
            long now = MonotonicTimestamp.Now;
            if (now >= _nextTick)
            {
                Tick();
            }

            if (now >= time)
            {
                return !cancellationToken.IsCancellationRequested;
            }

            double seconds = MonotonicTimestamp.ToSeconds(Math.Min(time, _nextTick) - now);
            if (cancellationToken.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(Math.Ceiling(Math.Max(0, seconds) * 1000))))
            {
                return false;
            }
        }
    }

    private void Tick()
    {
        long now = MonotonicTimestamp.Now;
        LoadSecond second = _seconds.Next(meter.SoFar().Answers, now, HasMeasured ? meter.From : _begun);
        if (HasMeasured)
        {
            _series.Add(second);
        }

        _nextTick = now + _second;
        Report(second);
    }

    private void Report(LoadSecond second)
    {
        if (progress is null)
        {
            return;
        }

        (_, long errors, long lost) = meter.SoFar();
        progress.Report(new LoadProgress(
            _phase,
            TimeSpan.FromSeconds(MonotonicTimestamp.ToSeconds(MonotonicTimestamp.Now - _begun)),
            TimeSpan.FromSeconds(plan.RampSeconds + plan.WarmUpSeconds + plan.Seconds),
            loop.StartedPeers,
            second.PerSecond,
            second.P50,
            second.P99,
            errors,
            lost));
    }
}
