using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>
/// The threads of the library: receive loops, stand-bys that take over when user code blocks, and resources that proved slow.
/// Injected, so that tests can run everything on one thread. Never the shared thread pool: a pool blocked by others must not stop a server.
/// </summary>
public abstract class CoapScheduler
{
    /// <summary>
    /// The library's own threads, shared by all endpoints of the process. Background threads; idle ones end by themselves.
    /// </summary>
    public static CoapScheduler Default { get; } = new CoapThreads();

    /// <summary>Runs work that ends by itself, soon, on a thread of the library.</summary>
    /// <param name="work">The work; it must not throw.</param>
    /// <param name="state">Passed to the work.</param>
    /// <returns>Whether a thread could be had; if not, nothing runs.</returns>
    public abstract bool Queue(Action<object?> work, object? state);

    /// <summary>
    /// As <see cref="Queue"/>, but a scheduler that throws costs no more than the thread that it does not give: it counts as
    /// <see cref="CoapCounter.StageErrors"/>, and nothing leaves this call.
    /// </summary>
    /// <param name="work">The work; it must not throw.</param>
    /// <param name="state">Passed to the work.</param>
    /// <param name="counters">Where what is thrown is counted; null for nowhere.</param>
    /// <param name="logger">Where it is logged.</param>
    /// <returns>Whether a thread could be had; if not, nothing runs.</returns>
    public bool TryQueue(Action<object?> work, object? state, CoapCounters? counters, ILogger? logger)
    {
        ArgumentNullException.ThrowIfNull(work);
        try
        {
            return Queue(work, state);
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            counters?.Add(CoapCounter.StageErrors);
            if (logger is not null)
            {
                Log.StageFailed(logger, exception);
            }

            return false;
        }
    }

    /// <summary>
    /// Whether code that awaits a response goes on through this scheduler too, and not where the runtime would have it. Default false. A
    /// scheduler of virtual time says true: there a run is the same each time only when no other thread takes part.
    /// </summary>
    public virtual bool TakesContinuations => false;
}
