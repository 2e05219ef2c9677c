namespace CoAP.NET.Simulation.Simulate;

/// <summary>What all runs came to together. Several threads add to it.</summary>
internal sealed class SimulateTotals
{
    private readonly Lock _gate = new();
    private readonly SortedDictionary<string, long> _kinds = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, long> _outcomes = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, long> _faults = new(StringComparer.Ordinal);
    private long _seeds;
    private long _failed;
    private long _operations;
    private long _datagrams;
    private double _hours;
    private ulong _hash;

    /// <summary>An exception of a task that nobody looked at; null when there was none.</summary>
    public string? Unobserved { get; private set; }

    public void Add(RunResult result)
    {
        lock (_gate)
        {
            _seeds++;
            _failed += result.IsGood ? 0 : 1;
            _operations += result.Operations;
            _datagrams += result.Trace.Count(one => one.Kind == NetworkEventKind.Sent);
            _hours += result.Time.TotalHours;

            // In whatever order they come.
            _hash += result.Hash;
            foreach ((string outcome, int count) in result.Outcomes)
            {
                Count(_outcomes, outcome, count);
            }

            foreach (Step step in result.Scenario.Steps)
            {
                Count(step.Kind <= StepKind.Change ? _kinds : _faults,
                    step.Kind == StepKind.Request ? step.Method.ToString().ToUpperInvariant() : step.Kind.ToString(), 1);
            }
        }
    }

    /// <summary>Watches for exceptions of tasks that nobody looked at, until it is disposed.</summary>
    public IDisposable WatchUnobserved() => new UnobservedWatch(this);

    public string ToMarkdown(TimeSpan took)
    {
        StringBuilder text = new();
        text.Append(
            $"{_seeds:N0} seeds, {_hours:N0} hours of virtual time, {_operations:N0} requests, pings and observations, {_datagrams:N0} "
                + $"datagrams, in {took.TotalSeconds:N1} s; {_failed} seeds failed. Sum of all runs: `{_hash:x16}`.\n\n");
        text.Append("| what happened | how often |\n|---|---|\n");
        Append(text, _kinds);
        text.Append("\n| fault | how often |\n|---|---|\n");
        Append(text, _faults);
        text.Append("\n| what became of requests, pings and observations | how often |\n|---|---|\n");
        Append(text, _outcomes);
        return text.ToString();
    }

    public override string ToString()
    {
        lock (_gate)
        {
            return $"{_seeds:N0} seeds, {_hours:N0} virtual hours, {_operations:N0} operations, {_datagrams:N0} datagrams;";
        }
    }

    private static void Count(SortedDictionary<string, long> counts, string what, long by) =>
        counts[what] = counts.GetValueOrDefault(what) + by;

    private static void Append(StringBuilder text, SortedDictionary<string, long> counts)
    {
        foreach ((string what, long count) in counts)
        {
            text.Append($"| {what} | {count:N0} |\n");
        }
    }

    private sealed class UnobservedWatch : IDisposable
    {
        private readonly SimulateTotals _totals;

        public UnobservedWatch(SimulateTotals totals)
        {
            _totals = totals;
            TaskScheduler.UnobservedTaskException += OnUnobserved;
        }

        public void Dispose()
        {
            // Such tasks are noticed when they are collected.
            GC.Collect();
            GC.WaitForPendingFinalizers();
            TaskScheduler.UnobservedTaskException -= OnUnobserved;
        }

        private void OnUnobserved(object? sender, UnobservedTaskExceptionEventArgs happened) =>
            _totals.Unobserved ??= happened.Exception.ToString();
    }
}
