using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Observing;

/// <summary>The counters of an observing run. Thread-safe: receive threads deliver notifications.</summary>
internal sealed class ObserveFigures
{
    private readonly Lock _gate = new();
    private readonly ChangeDeliveryTracker _changes = new();
    private readonly Dictionary<string, long> _errors = [];
    private bool _isMeasuring;
    private long _measuredFrom;
    private long _count;
    private long _second;
    private long _lost;
    private int _observers;

    public int Observers
    {
        get
        {
            lock (_gate)
            {
                return _observers;
            }
        }
    }

    public void AddObserver()
    {
        lock (_gate)
        {
            _observers++;
        }
    }

    public void AddError(string kind)
    {
        lock (_gate)
        {
            _errors[kind] = _errors.GetValueOrDefault(kind) + 1;
        }
    }

    public void AddLost()
    {
        lock (_gate)
        {
            _lost++;
        }
    }

    /// <summary>Starts or stops counting notifications and due changes. Times of measured changes count whenever they arrive.</summary>
    public void SetMeasuring(bool isMeasuring)
    {
        lock (_gate)
        {
            _isMeasuring = isMeasuring;
            _measuredFrom = MonotonicTimestamp.Now;
        }
    }

    public void BeginChange(long number, long begun)
    {
        lock (_gate)
        {
            _changes.Begin(number, begun, _observers, _isMeasuring && begun >= _measuredFrom);
        }
    }

    public void FailChange(long number)
    {
        lock (_gate)
        {
            _changes.Fail(number);
        }
    }

    /// <summary>Counts a notification whose number does not matter.</summary>
    public void AddNotification()
    {
        lock (_gate)
        {
            CountOne();
        }
    }

    /// <summary>Counts a notification with a number, for an observer that had seen another before.</summary>
    public void AddNotification(long before, long number, long now)
    {
        lock (_gate)
        {
            CountOne();
            _changes.See(before, number, now);
        }
    }

    /// <summary>
    /// Counts a notification without a number. Before the first change it is the resource's initial state and not an error.
    /// </summary>
    public void AddUnnumbered()
    {
        lock (_gate)
        {
            if (_changes.HasBegun)
            {
                _errors[FailureNames.WrongPayload] = _errors.GetValueOrDefault(FailureNames.WrongPayload) + 1;
            }
        }
    }

    /// <summary>Returns the figures since the last call, for the display and the series.</summary>
    /// <param name="at">The end of that time, in seconds since the measuring began.</param>
    /// <param name="length">How long that was, in seconds.</param>
    public (LoadSecond Second, long Errors, long Lost) TakeSecond(double at, double length)
    {
        lock (_gate)
        {
            LoadHistogram times = _changes.SecondTimes;
            LoadSecond second = new(at, length > 0 ? _second / length : 0, times.Microseconds(0.5), times.Microseconds(0.99));
            times.Clear();
            _second = 0;
            return (second, _errors.Values.Sum(), _lost);
        }
    }

    /// <summary>Returns the result of all counters, without the facts that only the loop has.</summary>
    public LoadResult ToResult(LoadPlan plan, double seconds)
    {
        lock (_gate)
        {
            return new LoadResult
            {
                Plan = plan,
                Seconds = seconds,
                Count = _count,
                Lost = _lost,
                Errors = new Dictionary<string, long>(_errors),
                Times = LoadResult.ToPairs(_changes.Times),
                ChangeTimes = LoadResult.ToPairs(_changes.LastTimes),
                Changes = _changes.Measured,
            };
        }
    }

    private void CountOne()
    {
        _second++;
        if (_isMeasuring)
        {
            _count++;
        }
    }
}
