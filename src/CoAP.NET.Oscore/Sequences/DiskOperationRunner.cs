using System.Globalization;

namespace CoAP.NET.Oscore.Sequences;

/// <summary>Runs disk operations on threads of a scheduler, one at a time per gate, and reports failures as those of a store.</summary>
internal static class DiskOperationRunner
{
    /// <summary>Runs an operation.</summary>
    /// <param name="scheduler">The scheduler of the thread.</param>
    /// <param name="gate">The lock to hold.</param>
    /// <param name="file">The file for messages.</param>
    /// <param name="work">The operation.</param>
    /// <param name="cancellationToken">Cancels the wait, not the operation.</param>
    public static Task<T> RunAsync<T>(
        CoapThreadScheduler scheduler, Lock gate, string file, Func<T> work, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(cancellationToken);
        }

        TaskCompletionSource<T> done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!scheduler.TryQueue(_ => Run(gate, file, work, done), null, null, null))
        {
            done.TrySetException(new OscoreStoreException(OscoreStoreFault.Failed,
                "No thread is available to write sequence numbers. The process has too many threads."));
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
                    $"The sequence numbers in {file} are not readable or writable: {exception.Message} The endpoint sends nothing without "
                        + $"them."),
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
