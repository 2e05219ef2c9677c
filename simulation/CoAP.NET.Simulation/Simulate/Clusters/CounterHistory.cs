namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// The history of counters as their clients saw it, and whether it is linearizable: each operation takes effect at some moment between its
/// request and its answer.
/// </summary>
/// <remarks>
/// An answered addition returns the new value, and each value once; an answered read returns the value of some moment. Operations without
/// an answer may have taken effect or not, and a repeated addition takes more than one value. <see cref="FindFaults"/> looks for each
/// contradiction between two operations, and for values that no addition can have made yet. It does not look whether repeated additions
/// explain exactly the values that no client got.
/// </remarks>
internal sealed class CounterHistory
{
    private readonly Dictionary<string, List<CounterOperation>> _operations = new(StringComparer.Ordinal);
    private readonly Dictionary<string, List<TimeSpan>> _additions = new(StringComparer.Ordinal);

    /// <summary>A client sends a request.</summary>
    /// <param name="client">The client.</param>
    /// <param name="counter">The counter.</param>
    /// <param name="isAddition">Whether it adds one; otherwise it reads.</param>
    /// <param name="now">The time.</param>
    /// <returns>The operation, to which the caller adds the answer.</returns>
    public CounterOperation Begin(string client, string counter, bool isAddition, TimeSpan now)
    {
        CounterOperation operation = new(client, isAddition, now);
        Of(_operations, counter).Add(operation);
        return operation;
    }

    /// <summary>A node adds one to a counter.</summary>
    /// <param name="counter">The counter.</param>
    /// <param name="now">The time.</param>
    /// <returns>The new value.</returns>
    public int Add(string counter, TimeSpan now)
    {
        Of(_additions, counter).Add(now);
        return _additions[counter].Count;
    }

    /// <summary>The value of a counter.</summary>
    /// <param name="counter">The counter.</param>
    public int ValueOf(string counter) => Of(_additions, counter).Count;

    /// <summary>Looks for answers that contradict others.</summary>
    /// <returns>A description of each.</returns>
    public IReadOnlyList<string> FindFaults()
    {
        List<string> faults = [];
        foreach ((string counter, List<CounterOperation> all) in _operations)
        {
            CounterOperation[] answered = [.. all.Where(one => one.Value is not null)];
            faults.AddRange(FindFaults(counter, answered));
            List<TimeSpan> additions = Of(_additions, counter);
            faults.AddRange(answered
                .Where(one => one.Value > additions.Count || (one.Value > 0 && additions[one.Value.Value - 1] > one.Ended))
                .Select(one => $"{one} of {counter}, before there were as many additions"));
        }

        return faults;
    }

    private static IEnumerable<string> FindFaults(string counter, CounterOperation[] answered)
    {
        foreach (IGrouping<int?, CounterOperation> same in answered.Where(one => one.IsAddition).GroupBy(one => one.Value))
        {
            if (same.Skip(1).FirstOrDefault() is { } second)
            {
                yield return $"{second} of {counter}, as did {same.First()}";
            }
        }

        // Of those that ended before an operation began, the one with the highest value.
        CounterOperation[] byEnd = [.. answered.OrderBy(one => one.Ended)];
        CounterOperation? highest = null;
        int next = 0;
        foreach (CounterOperation operation in answered.OrderBy(one => one.Began))
        {
            for (; next < byEnd.Length && byEnd[next].Ended < operation.Began; next++)
            {
                highest = highest is null || byEnd[next].Value > highest.Value ? byEnd[next] : highest;
            }

            if (highest is not null && (operation.Value < highest.Value || (operation.IsAddition && operation.Value == highest.Value)))
            {
                yield return $"{operation} of {counter}, after {highest}";
            }
        }
    }

    private static List<T> Of<T>(Dictionary<string, List<T>> all, string counter)
    {
        if (!all.TryGetValue(counter, out List<T>? list))
        {
            all.Add(counter, list = []);
        }

        return list;
    }
}

/// <summary>An operation on a counter.</summary>
/// <param name="client">The client.</param>
/// <param name="isAddition">Whether it adds one; otherwise it reads.</param>
/// <param name="began">When the client sent it.</param>
internal sealed class CounterOperation(string client, bool isAddition, TimeSpan began)
{
    public bool IsAddition => isAddition;

    public TimeSpan Began => began;

    /// <summary>When the answer arrived.</summary>
    public TimeSpan Ended { get; private set; }

    /// <summary>The value in the answer; null without an answer.</summary>
    public int? Value { get; private set; }

    /// <summary>The answer arrives.</summary>
    /// <param name="value">Its value.</param>
    /// <param name="now">The time.</param>
    public void End(int value, TimeSpan now) => (Value, Ended) = (value, now);

    public override string ToString() => $"{client} got {Value} for {(isAddition ? "an addition" : "a read")} "
        + $"({began.TotalSeconds:F3} to {Ended.TotalSeconds:F3} s)";
}
