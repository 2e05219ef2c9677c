namespace CoAP.NET.Tests.Shared;

/// <summary>
/// What a handler sees its thread allocate from call to call. On a busy machine another thread may take over between two calls, and the
/// runtime and the watchdog of a loop allocate now and then. So the calls are divided into parts, and of the parts that began and ended on
/// one thread the cheapest counts. What each call allocates is in all of them.
/// </summary>
/// <param name="callsOfPart">How many calls a part has.</param>
internal sealed class AllocationMarks(int callsOfPart)
{
    private readonly List<(int Thread, long Bytes)> _marks = [];
    private int _calls;

    /// <summary>How many calls there were.</summary>
    public int Calls => Volatile.Read(ref _calls);

    /// <summary>The handler was called. Calls follow each other.</summary>
    public void Note()
    {
        if (++_calls % callsOfPart == 0)
        {
            _marks.Add((Environment.CurrentManagedThreadId, GC.GetAllocatedBytesForCurrentThread()));
        }
    }

    /// <summary>The bytes of the cheapest part after the first, for each of its calls; begins anew.</summary>
    public double TakeLeast()
    {
        List<long> parts = [];
        for (int i = 1; i < _marks.Count; i++)
        {
            if (_marks[i].Thread == _marks[i - 1].Thread)
            {
                parts.Add(_marks[i].Bytes - _marks[i - 1].Bytes);
            }
        }

        _marks.Clear();
        _calls = 0;
        return parts.Min() / (double)callsOfPart;
    }
}
