using System.Reflection;

namespace CoAP.NET.Simulation.Traces;

/// <summary>
/// The record of the copy of the library that this code uses, in phases. Each phase runs several times, and the record that most of them
/// have counts: when the system interrupts a thread, more is entered, such as what looks after slow handlers, or another thread goes on.
/// </summary>
/// <param name="phases">How many there are.</param>
internal sealed class CallRecord(int phases)
{
    private static readonly Type s_trace = typeof(CoapMessage).Assembly.GetType(CallTracer.TypeName)!;

    private readonly int[] _order = (int[])s_trace.GetField(CallTracer.OrderField)!.GetValue(null)!;
    private readonly FieldInfo _count = s_trace.GetField(CallTracer.CountField)!;
    private readonly FieldInfo _thread = s_trace.GetField(CallTracer.ThreadField)!;
    private readonly List<int[]>[] _records = [.. Enumerable.Range(0, phases).Select(static _ => new List<int[]>())];

    /// <summary>How many types the thread has entered.</summary>
    public int Count => (int)_count.GetValue(null)!;

    /// <summary>Records what a thread enters from now on.</summary>
    /// <param name="thread">The managed id of the thread.</param>
    public void Begin(int thread)
    {
        Array.Clear(_order);
        _count.SetValue(null, 0);
        _thread.SetValue(null, thread);
    }

    /// <summary>Ends a run of a phase. The thread must have done all of it.</summary>
    /// <param name="phase">Which one, from 0.</param>
    /// <param name="foreign">A phase whose types do not belong to this one where they were entered late; null for none.</param>
    /// <param name="until">What was entered up to this count was not late.</param>
    public void End(int phase, int? foreign = null, int until = int.MaxValue)
    {
        _thread.SetValue(null, 0);
        int[]? other = foreign is { } late ? OrderOf(late) : null;
        _records[phase].Add([.. _order.Select((at, type) => at > until && other?[type] > 0 ? 0 : at)]);
    }

    /// <summary>Returns when the thread first entered each type in a phase, from 1; 0 for never.</summary>
    public int[] OrderOf(int phase) =>
        MostOf(MostOf(_records[phase], static order => order.Index().Where(static one => one.Item > 0).Select(static one => one.Index)),
            static order => order).First();

    // A record may begin in the middle of a loop: it has the same types in another order.
    private static IEnumerable<int[]> MostOf(IEnumerable<int[]> records, Func<int[], IEnumerable<int>> select) =>
        records.GroupBy(order => string.Join(' ', select(order))).OrderByDescending(static same => same.Count()).First();
}
