using System.Collections.Concurrent;

namespace CoAP.NET.Bench;

/// <summary>
/// A thread that does one thing after another. Each server that is measured has threads of its own: a thread counts for one endpoint
/// without interlocked operations, so servers that take turns on one thread would not be equal.
/// </summary>
internal sealed class Lane : IDisposable
{
    private readonly BlockingCollection<Action> _work = [];
    private readonly Thread _thread;

    /// <param name="processor">The processor it is kept on; below zero for any.</param>
    public Lane(int processor = -1)
    {
        _thread = new Thread(() => Work(processor)) { IsBackground = true, Name = "Lane" };
        _thread.Start();
    }

    /// <summary>Runs something on the thread.</summary>
    public Task<T> RunAsync<T>(Func<T> function)
    {
        TaskCompletionSource<T> completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _work.Add(() =>
        {
            try
            {
                completion.SetResult(function());
            }
            // Whoever awaits gets it.
            catch (Exception exception)
            {
                completion.SetException(exception);
            }
        });
        return completion.Task;
    }

    public void Dispose()
    {
        _work.CompleteAdding();
        _thread.Join();
        _work.Dispose();
    }

    private void Work(int processor)
    {
        if (processor >= 0 && OperatingSystem.IsLinux())
        {
            Processor.Pin(processor);
        }

        foreach (Action action in _work.GetConsumingEnumerable())
        {
            action();
        }
    }
}
