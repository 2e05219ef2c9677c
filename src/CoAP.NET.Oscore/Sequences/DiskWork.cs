using System.Globalization;

namespace CoAP.NET.Oscore;

/// <summary>
/// Does what waits for a disk on threads of a scheduler, one at a time for each gate, and tells failures as those of a store.
/// </summary>
internal static class DiskWork
{
    /// <summary>Does it.</summary>
    /// <param name="scheduler">Whose thread.</param>
    /// <param name="gate">Held meanwhile.</param>
    /// <param name="file">What messages name.</param>
    /// <param name="work">What is to be done.</param>
    /// <param name="cancellationToken">Ends the wait, and not the work.</param>
    public static Task<T> RunAsync<T>(CoapScheduler scheduler, Lock gate, string file, Func<T> work, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(cancellationToken);
        }

        TaskCompletionSource<T> done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!scheduler.TryQueue(_ => Run(gate, file, work, done), null, null, null))
        {
            done.TrySetException(new OscoreStoreException(OscoreStoreFault.Failed,
                "No thread could be had to write sequence numbers. The process has too many threads."));
        }

        return cancellationToken.CanBeCanceled ? done.Task.WaitAsync(cancellationToken) : done.Task;
    }

    private static void Run<T>(Lock gate, string file, Func<T> work, TaskCompletionSource<T> done)
    {
        try
        {
            T result;
            lock (gate)
            {
                result = work();
            }

            done.TrySetResult(result);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            done.TrySetException(new OscoreStoreException(OscoreStoreFault.Failed,
                string.Create(CultureInfo.InvariantCulture,
                    $"The sequence numbers in {file} cannot be read or written: {exception.Message} Nothing is sent without them."),
                exception));
        }
#pragma warning disable CA1031 // work of a scheduler must not throw
        catch (Exception exception)
#pragma warning restore CA1031
        {
            done.TrySetException(exception);
        }
    }
}
