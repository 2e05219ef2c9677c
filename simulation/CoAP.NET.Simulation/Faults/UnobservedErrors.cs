namespace CoAP.NET.Simulation.Faults;

/// <summary>Exceptions of tasks that nobody looked at. The library may leave none.</summary>
internal sealed class UnobservedErrors : IDisposable
{
    private readonly ConcurrentQueue<string> _all = new();

    public UnobservedErrors() => TaskScheduler.UnobservedTaskException += OnUnobserved;

    /// <summary>All until now; the garbage collector is asked first, as it is what finds them.</summary>
    public IReadOnlyList<string> Take()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return [.. _all.Select(error => "a task failed and nobody looked: " + error)];
    }

    public void Dispose() => TaskScheduler.UnobservedTaskException -= OnUnobserved;

    private void OnUnobserved(object? sender, UnobservedTaskExceptionEventArgs e) => _all.Enqueue(e.Exception.ToString());
}
